// Walk: somebody on a line walks to a flag, in the wind.
//
// Each step costs 1, so the best return is that of the shortest way. The executor owns what all
// environments have in common: seeds, time limits, resets, threads. Nothing here needs a lock,
// because an environment is used by one thread at a time; but other environments run meanwhile, so
// there must be no variables outside of the class that anybody changes.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "envpool/family.h"

// Without a name, so that nothing of this file meets anything of another one.
namespace {

using namespace envpool;

constexpr double kStride = 0.5;  // metres
constexpr double kReach = 0.5;   // how near to the flag is there
constexpr FrameSize kPicture = {400, 100};

using Colour = std::array<std::uint8_t, 3>;

class Walk final : public Env {
 public:
  // Options have been checked against their limits (see the end of this file). Who throws a
  // std::invalid_argument here makes envpool.make raise a ValueError of the same words.
  explicit Walk(const Options& options)
      : length_(options.Number("length")), wind_(options.Number("wind")) {}

  // What is known without an environment. Observations and actions are read and written by their
  // indices in these lists.
  static Spec MakeSpec(const Options& options) {
    const double length = options.Number("length");
    return {.observation = {Box("obs", DType::kFloat32, {2}, {0.0}, {length})},
            .action = {Discrete("action", 2)},
            .info = {Box("distance", DType::kFloat64, {}, {0.0}, {length})}};
  }

  // Starts an episode. All that is random comes from `random`, which is NumPy's default_rng(seed).
  void Reset(Random& random, const Options&) override {
    position_ = random.Uniform(0.0, length_);
    flag_ = random.Uniform(0.0, length_);
  }

  // The action is within its bounds. A time limit is not the environment's business.
  StepResult Step(const Action& action, Random& random) override {
    const double direction = action.Value<std::int32_t>() == 0 ? -1.0 : 1.0;
    const double moved = position_ + direction * kStride + random.Normal(0.0, wind_);
    position_ = std::clamp(moved, 0.0, length_);
    return {.reward = -1.0, .terminated = Distance() < kReach};
  }

  // Writes every element, because the memory still holds older results.
  void Observe(const Row& row) const override {
    const auto obs = row.Observation<float>();
    obs[0] = static_cast<float>(position_);
    obs[1] = static_cast<float>(flag_);
    row.Info<double>()[0] = Distance();
  }

  // All that Reset and Step change, once for writing and for reading. The bytes that are read may
  // be anybody's, so what must be in a range says so.
  void Serialize(Archive& archive) override {
    archive.Range(position_, 0.0, length_);
    archive.Range(flag_, 0.0, length_);
  }

  // Draws the environment as it is, in the size that is asked for.
  void Render(const Frame& frame) override {
    if (frame.camera != -1) throw std::invalid_argument("Walk has no cameras, expected -1");
    std::ranges::fill(frame.pixels, std::uint8_t{255});
    DrawBar(frame, flag_, {200, 40, 40});
    DrawBar(frame, position_, {40, 80, 200});
  }

 private:
  double Distance() const { return std::abs(position_ - flag_); }

  // As wide as a stride, over the lower half of the picture.
  void DrawBar(const Frame& frame, double place, const Colour& colour) const {
    const double pixels_per_metre = frame.width / length_;
    const int left = static_cast<int>((place - kStride / 2) * pixels_per_metre);
    const int right = static_cast<int>((place + kStride / 2) * pixels_per_metre) + 1;
    for (int y = frame.height / 2; y < frame.height; ++y) {
      for (int x = std::max(left, 0); x < std::min(right, frame.width); ++x) {
        const auto pixel = static_cast<std::size_t>(y * frame.width + x);
        std::ranges::copy(colour, frame.pixels.subspan(3 * pixel, 3).begin());
      }
    }
  }

  const double length_;
  const double wind_;
  double position_ = 0.0;
  double flag_ = 0.0;
};

// Options are arguments of envpool.make, with a default that also fixes their type, a description
// and limits.
[[maybe_unused]] const bool registered = Register({
    .name = "Walk",
    .options = {{"length", 10.0, "metres from one end to the other", {1.0, 1e6}},
                {"wind", 0.1, "standard deviation of what it adds to a step, metres", {0.0, 1e6}}},
    .spec = Walk::MakeSpec,
    .create = Create<Walk>,
    .frame_size = [](const Options&) { return kPicture; },
    .render_fps = [](const Options&) { return 10.0; },
});

}  // namespace
