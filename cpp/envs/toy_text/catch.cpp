// Catch: move a paddle at the bottom under a ball that falls down.
//
// The rules are those of bsuite/environments/catch.py in DeepMind's bsuite (I. Osband et al.,
// "Behaviour Suite for Reinforcement Learning", 2020): the paddle starts in the middle, the ball at
// the top of a random column, which is the generator's next integers(width); steps draw nothing.
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "envpool/family.h"
#include "toy_text/checks.h"

namespace envpool {
namespace {

// An option that is a number of cells.
std::int32_t Cells(const Options& options, std::string_view name, std::int64_t least) {
  constexpr std::int64_t kMost = 1000;
  const std::int64_t cells = options.Integer(name);
  if (cells < least || cells > kMost) {
    throw std::invalid_argument(std::string(name) + " is " + std::to_string(cells) + ", expected " +
                                std::to_string(least) + " <= " + std::string(name) +
                                " <= " + std::to_string(kMost));
  }
  return static_cast<std::int32_t>(cells);
}
std::int32_t HeightOf(const Options& options) { return Cells(options, "height", 2); }
std::int32_t WidthOf(const Options& options) { return Cells(options, "width", 1); }

class Catch final : public Env {
 public:
  explicit Catch(const Options& options) : height_(HeightOf(options)), width_(WidthOf(options)) {}

  static Spec MakeSpec(const Options& options) {
    return {.observation = {Box("obs", DType::kFloat32, {HeightOf(options), WidthOf(options)}, {0},
                                {1})},
            .action = {Discrete("action", 3)},
            .info = {}};
  }

  void Reset(Random& random, const Options&) override {
    ball_row_ = 0;
    ball_column_ = static_cast<std::int32_t>(random.Integers(width_));
    paddle_ = width_ / 2;
  }

  StepResult Step(const Action& action, Random&) override {
    paddle_ = std::clamp(paddle_ + action.Value<std::int32_t>() - 1, 0, width_ - 1);
    // Where there is no auto-reset, nobody steps a ball that is down.
    ++ball_row_;
    if (ball_row_ < height_ - 1) return {};
    return {.reward = paddle_ == ball_column_ ? 1.0 : -1.0, .terminated = true};
  }

  void Observe(const Row& row) const override {
    const auto board = row.Observation<float>();
    std::ranges::fill(board, 0.0F);
    board[static_cast<std::size_t>(ball_row_ * width_ + ball_column_)] = 1.0F;
    board[static_cast<std::size_t>((height_ - 1) * width_ + paddle_)] = 1.0F;
  }

  void Serialize(Archive& archive) override { archive(ball_row_, ball_column_, paddle_); }

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
    .options = {{"height", 10, "rows of the board"}, {"width", 5, "columns of the board"}},
    .spec = Catch::MakeSpec,
    .create = Create<Catch>,
    .frame_size = Catch::PictureSize,
    .render_fps = StepsPerSecond,
});

}  // namespace
}  // namespace envpool
