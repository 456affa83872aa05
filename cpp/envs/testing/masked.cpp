// Masked: refuses the actions that its mask does not allow, which are others after each step.
//
// At the end of an episode the mask allows nothing.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/family.h"

namespace envpool {
namespace {

constexpr std::int64_t kLength = 7;  // of an episode
constexpr FrameSize kMaskedFrame = {8, 8};

class Masked final : public Env {
 public:
  explicit Masked(const Options& options)
      : sizes_(SizesOf(options)),
        players_(static_cast<std::size_t>(options.Integer("players"))),
        in_info_(options.Flag("in_info")),
        closed_at_(options.Integer("closed_at")) {
    for (const auto& parts : sizes_) masks_.emplace_back(players_ * Total(parts));
  }

  static Spec MakeSpec(const Options& options) {
    Spec spec = SpecOf(options.Text("actions"));
    const int players = spec.max_num_players = static_cast<int>(options.Integer("players"));
    for (Field& field : spec.action) field.per_player = players > 1;
    for (Field& field : spec.observation) field.per_player = players > 1 && field.name != "obs";
    if (options.Flag("in_info")) {
      spec.info.assign(spec.observation.begin() + 1, spec.observation.end());
      spec.observation.resize(1);
      spec.observation_structure = Structure::kSingle;
    }
    return spec;
  }

  void Reset(Random& random, const Options&) override {
    step_ = 0;
    Draw(random);
  }

  StepResult Step(const Action& action, Random& random) override {
    for (std::size_t field = 0; field < sizes_.size(); ++field) {
      const auto values = action.Values<std::int32_t>(field);
      std::size_t begin = 0;  // of a part's mask
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (masks_[field][begin + static_cast<std::size_t>(values[i])] == 0) {
          throw std::invalid_argument("action " + std::to_string(values[i]) + " is not allowed");
        }
        begin += static_cast<std::size_t>(sizes_[field][i % sizes_[field].size()]);
      }
    }
    ++step_;
    Draw(random);
    const bool is_over = step_ >= kLength;
    if (is_over || step_ == closed_at_) {
      for (auto& mask : masks_) std::ranges::fill(mask, std::int8_t{0});
    }
    return {.reward = 1.0, .terminated = is_over};
  }

  void Observe(const Row& row) const override {
    const auto obs = row.Observation<float>();
    std::ranges::fill(obs, static_cast<float>(step_) / kLength);
    for (std::size_t i = 0; i < masks_.size(); ++i) {
      const auto mask = in_info_ ? row.Info<std::int8_t>(i) : row.Observation<std::int8_t>(i + 1);
      std::ranges::copy(masks_[i], mask.begin());
    }
  }

  int NumPlayers() const override { return static_cast<int>(players_); }
  double PlayerReward(int /*player*/) const override { return 1.0; }

  void Serialize(Archive& archive) override {
    archive.Count(step_);
    for (auto& mask : masks_) archive.Range(std::span(mask), std::int8_t{0}, std::int8_t{1});
  }

  void Render(const Frame& frame) override { std::ranges::fill(frame.pixels, std::uint8_t{99}); }

 private:
  using Sizes = std::vector<std::vector<int>>;  // for each field of the action those of its parts

  static Spec DiscreteSpec() {
    return {.observation_structure = Structure::kDict,
            .observation = {Box("obs", DType::kFloat32, {2}, {0.0}, {1.0}),
                            Box("action_mask", DType::kInt8, {5}, {0}, {1})},
            .action = {Discrete("action", 5)}};
  }

  static Spec SpecOf(const std::string& actions) {
    Spec spec = DiscreteSpec();
    if (actions == "multi_discrete") {
      spec.observation[1].shape = {9};
      spec.action = {MultiDiscrete("action", {2, 3, 4})};
    } else if (actions == "dict") {
      spec.observation[1] = Box("action_mask.gear", DType::kInt8, {3}, {0}, {1});
      spec.observation.push_back(Box("action_mask.dials", DType::kInt8, {5}, {0}, {1}));
      spec.action_structure = Structure::kDict;
      spec.action = {Discrete("gear", 3), MultiDiscrete("dials", {2, 3}),
                     Box("force", DType::kFloat32, {}, {-1.0}, {1.0})};
    }
    return spec;
  }

  static Sizes SizesOf(const Options& options) {
    if (options.Text("actions") == "discrete") return {{5}};
    if (options.Text("actions") == "dict") return {{3}, {2, 3}};
    return {{2, 3, 4}};
  }

  static std::size_t Total(const std::vector<int>& sizes) {
    std::size_t total = 0;
    for (const int size : sizes) total += static_cast<std::size_t>(size);
    return total;
  }

  // Allows at least one action of each part.
  void Draw(Random& random) {
    for (std::size_t field = 0; field < sizes_.size(); ++field) {
      std::size_t begin = 0;
      while (begin < masks_[field].size()) {  // once per player
        for (const int size : sizes_[field]) {
          const auto part = std::span(masks_[field]).subspan(begin, static_cast<std::size_t>(size));
          for (std::int8_t& allows : part) allows = random.Unit() < 0.4 ? 1 : 0;
          part[static_cast<std::size_t>(random.Integers(size))] = 1;
          begin += part.size();
        }
      }
    }
  }

  const Sizes sizes_;
  const std::size_t players_;
  const bool in_info_;
  const std::int64_t closed_at_;
  std::vector<std::vector<std::int8_t>> masks_;
  std::int64_t step_ = 0;
};

[[maybe_unused]] const bool registered = Register({
    .name = "Masked",
    .options = {{"actions", "discrete", "their space", {}, {"discrete", "multi_discrete", "dict"}},
                {"in_info", false, "is the mask an info, not part of the observation?"},
                {"players", 1, "how many there are", {1, 3}},
                {"closed_at", -1, "the step after which the mask allows nothing"}},
    .spec = Masked::MakeSpec,
    .create = Create<Masked>,
    .frame_size = [](const Options&) { return kMaskedFrame; },
});

}  // namespace
}  // namespace envpool
