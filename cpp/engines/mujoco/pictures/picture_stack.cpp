#include "mujoco/pictures/picture_stack.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace envpool::mujoco {

namespace {

constexpr int kSide = 84;  // of an observed picture, pixels

// The pictures to observe; of no size if there are none.
Frame ReadFrame(const Options& options) {
  if (!options.Flag("from_pixels")) return {};
  const auto width = static_cast<int>(options.Integer("render_width"));
  const auto height = static_cast<int>(options.Integer("render_height"));
  return {.width = width > 0 ? width : kSide,
          .height = height > 0 ? height : kSide,
          .camera = static_cast<int>(options.Integer("render_camera_id")),
          .pixels = {}};
}

std::size_t BytesOf(const Frame& frame) {
  return 3 * static_cast<std::size_t>(frame.width) * static_cast<std::size_t>(frame.height);
}

}  // namespace

PictureStack::PictureStack(const Options& options, std::size_t count)
    : frame_(ReadFrame(options)), picture_(BytesOf(frame_)), stack_(count * picture_.size()) {}

void PictureStack::Add(View& view, const mjModel& model, mjData& data, bool is_first) {
  Frame frame = frame_;
  frame.pixels = picture_;
  view.Draw(model, data, frame);
  const auto size = static_cast<std::ptrdiff_t>(picture_.size());
  std::copy(stack_.begin() + size, stack_.end(), stack_.begin());
  const std::span<std::uint8_t> newest = std::span(stack_).last(picture_.size());
  for (std::size_t channel = 0, i = 0; channel < 3; ++channel) {
    for (std::size_t pixel = channel; pixel < picture_.size(); pixel += 3) {
      newest[i++] = picture_[pixel];
    }
  }
  for (auto older = stack_.begin(); is_first && older + size != stack_.end(); older += size) {
    std::ranges::copy(newest, older);
  }
}

std::size_t PictureStackBytes(const Options& options, std::size_t count) {
  return count * BytesOf(ReadFrame(options));
}

Field PixelsField(const Options& options, std::size_t count) {
  const Frame frame = ReadFrame(options);
  return Box("pixels", DType::kUInt8, {3 * static_cast<int>(count), frame.height, frame.width},
             {0.0}, {255.0});
}

std::vector<OptionSpec> PictureOptions(const std::string& size, std::vector<std::string> camera) {
  const std::string sides = "of pictures; 0: " + size + ", observed ones 84";
  std::vector<OptionSpec> options = {
      {"from_pixels", false, "observe pictures: uint8, channels first"},
      {"render_width", std::int64_t{0}, sides},
      {"render_height", std::int64_t{0}, sides},
      {"render_camera_id", std::int64_t{-1}, "a camera of the model; -1: the free one"}};
  std::ranges::move(ViewOptions(std::move(camera)), std::back_inserter(options));
  return options;
}

}  // namespace envpool::mujoco
