// Catch: move a paddle at the bottom under a ball that falls down.
//
// The rules are those of bsuite/environments/catch.py in DeepMind's bsuite (I. Osband et al.,
// "Behaviour Suite for Reinforcement Learning", 2020): the paddle starts in the middle, the ball at
// the top of a random column, which is the generator's next integers(width); steps draw nothing.
#include <algorithm>
#include <cstdint>

#include "envpool/family.h"
#include "toy_text/checks.h"

namespace envpool {
namespace {

std::int32_t HeightOf(const Options& options) {
  return static_cast<std::int32_t>(options.Integer("height"));
}
std::int32_t WidthOf(const Options& options) {
  return static_cast<std::int32_t>(options.Integer("width"));
}

class Catch final : public Env {
 public:
  explicit Catch(const Options& options) : height_(HeightOf(options)), width_(WidthOf(options)) {}

  static Spec MakeSpec(const Options& options) {
    return {.observation = {Box("obs", DType::kFloat32, {HeightOf(options), WidthOf(options)}, {0},
                                {1})},
            .action = {Discrete("action", 3)}};
  }

  void Reset(Random& random, const Options&) override {
    ball_row_ = 0;
    ball_column_ = static_cast<std::int32_t>(random.Integers(width_));
    paddle_ = width_ / 2;
  }

  StepResult Step(const Action& action, Random&) override {
    paddle_ = std::clamp(paddle_ + action.Value<std::int32_t>() - 1, 0, width_ - 1);
    // Nobody steps a ball that is down, but for who made up a snapshot.
    ball_row_ = std::min(ball_row_ + 1, height_ - 1);
    if (ball_row_ < height_ - 1) return {};
    return {.reward = paddle_ == ball_column_ ? 1.0 : -1.0, .terminated = true};
  }

  void Observe(const Row& row) const override {
    const auto board = row.Observation<float>();
    std::ranges::fill(board, 0.0F);
    board[static_cast<std::size_t>(ball_row_ * width_ + ball_column_)] = 1.0F;
    board[static_cast<std::size_t>((height_ - 1) * width_ + paddle_)] = 1.0F;
  }

  void Serialize(Archive& archive) override {
    archive.Index(ball_row_, static_cast<std::size_t>(height_));
    archive.Index(ball_column_, static_cast<std::size_t>(width_));
    archive.Index(paddle_, static_cast<std::size_t>(width_));
  }

  // A cell has 48 pixels, or as many as make the longer side at most 960.
  static FrameSize PictureSize(const Options& options) {
    const std::int32_t width = WidthOf(options);
    const std::int32_t height = HeightOf(options);
    const std::int32_t cell = std::clamp(960 / std::max(width, height), 1, 48);
    return {cell * width, cell * height};
  }

  Scene Describe() const override {
    return {{"ball", {static_cast<double>(ball_row_), static_cast<double>(ball_column_)}},
            {"paddle", {static_cast<double>(height_ - 1), static_cast<double>(paddle_)}}};
  }

 private:
  const std::int32_t height_;
  const std::int32_t width_;
  std::int32_t ball_row_ = 0;
  std::int32_t ball_column_ = 0;
  std::int32_t paddle_ = 0;  // its column
};

[[maybe_unused]] const bool registered = Register({
    .name = "Catch",
    .options = {{"height", 10, "rows of the board", {2, 1000}},
                {"width", 5, "columns of the board", {1, 1000}}},
    .spec = Catch::MakeSpec,
    .create = Create<Catch>,
    .frame_size = Catch::PictureSize,
    .render_fps = StepsPerSecond,
});

}  // namespace
}  // namespace envpool
