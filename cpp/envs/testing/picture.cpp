// Picture: the observation is an image that changes with each step and action.
#include <algorithm>
#include <cstdint>
#include <numeric>

#include "envpool/family.h"

namespace envpool {
namespace {

constexpr int kHeight = 12;
constexpr int kWidth = 16;
constexpr int kChannels = 3;
constexpr std::int64_t kMostSteps = std::int64_t{1} << 40;

class Picture final : public Env {
 public:
  explicit Picture(const Options& options) : length_(options.Integer("episode_length")) {}

  static Spec MakeSpec(const Options&) {
    return {.observation = {Box("obs", DType::kUInt8, {kHeight, kWidth, kChannels})},
            .action = {Discrete("action", 4)},
            .info = {Box("brightness", DType::kFloat64, {}), Box("frame.shade", DType::kInt64, {}),
                     Box("frame.corner", DType::kUInt8, {kChannels})}};
  }

  void Reset(Random& random, const Options&) override {
    shade_ = random.Integers(256);
    step_ = 0;
    action_ = 0;
  }

  StepResult Step(const Action& action, Random&) override {
    ++step_;
    action_ = action.Value<std::int32_t>();
    return {.reward = action_ + 1.0 / static_cast<double>(step_), .terminated = step_ >= length_};
  }

  void Observe(const Row& row) const override {
    const auto pixels = row.Observation<std::uint8_t>();
    auto pixel = pixels.begin();
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        for (int channel = 0; channel < kChannels; ++channel) {
          *pixel++ = static_cast<std::uint8_t>(shade_ + 7 * step_ + 3 * y + 5 * x +
                                               (1 + action_) * 11 * channel);
        }
      }
    }
    row.Info<double>(0)[0] =
        std::accumulate(pixels.begin(), pixels.end(), 0.0) / static_cast<double>(pixels.size());
    row.Info<std::int64_t>(1)[0] = shade_;
    std::ranges::copy(pixels.last(kChannels), row.Info<std::uint8_t>(2).begin());
  }

  void Serialize(Archive& archive) override {
    archive.Index(shade_, 256);
    archive.Range(step_, 0, kMostSteps);
    archive.Index(action_, 4);
  }

 private:
  const std::int64_t length_;
  std::int64_t shade_ = 0;
  std::int64_t step_ = 0;
  std::int32_t action_ = 0;
};

[[maybe_unused]] const bool registered = Register({
    .name = "Picture",
    .options = {{"episode_length", std::int64_t{5}, "steps until the episode terminates"}},
    .reset_options = {},
    .spec = Picture::MakeSpec,
    .create = Create<Picture>,
});

}  // namespace
}  // namespace envpool
