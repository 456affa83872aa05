// Canvas can be rendered, and described; PixelCanvas observes what it draws, in the size and with
// the camera of the pool's pictures; Picture observes an image that changes with each step and
// action.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>

#include "envpool/family.h"

namespace envpool {
namespace {

constexpr FrameSize kCanvas = {32, 24};
constexpr FrameSize kPixels = {16, 12};
constexpr int kCameras = 3;
constexpr int kChannels = 3;

int IntOf(const Options& options, const char* name) {
  return static_cast<int>(options.Integer(name));
}

// All three draw a shade, and count the steps of an episode.
class Painter : public Env {
 public:
  void Reset(Random& random, const Options&) override {
    shade_ = random.Integers(256);
    step_ = 0;
  }

  void Serialize(Archive& archive) override {
    archive.Index(shade_, 256);
    archive.Range(step_, 0, std::int64_t{1} << 40);
  }

 protected:
  // Writes the bytes `shade` + 3 * y + 5 * x + `hue` * channel, modulo 256.
  static void Paint(const Frame& frame, std::int64_t shade, std::int64_t hue) {
    auto pixel = frame.pixels.begin();
    for (int y = 0; y < frame.height; ++y) {
      for (int x = 0; x < frame.width; ++x) {
        for (int channel = 0; channel < kChannels; ++channel) {
          *pixel++ = static_cast<std::uint8_t>(shade + 3 * y + 5 * x + hue * channel);
        }
      }
    }
  }

  // Paints what a camera sees; the environment's own view is that of camera 0.
  void PaintView(const Frame& frame) const {
    Paint(frame, shade_ + 31 * step_ + 101 * std::max(frame.camera, 0), 64);
  }

  std::int64_t shade_ = 0;
  std::int64_t step_ = 0;
};

class Canvas final : public Painter {
 public:
  explicit Canvas(const Options& options)
      : length_(options.Integer("episode_length")),
        error_(options.Text("render_error")),
        render_time_(options.Number("render_ms")),
        step_time_(options.Number("step_ms")) {}

  static Spec MakeSpec(const Options&) {
    return {.observation = {Box("obs", DType::kInt64, {2}, {0})},
            .action = {Discrete("action", 2)},
            .info = {Box("releases", DType::kInt64, {})}};
  }
  static double FramesPerSecond(const Options& options) { return options.Number("fps"); }

  StepResult Step(const Action&, Random&) override {
    if (step_time_.count() > 0.0) std::this_thread::sleep_for(step_time_);
    return {.reward = 1.0, .terminated = ++step_ >= length_};
  }

  void Observe(const Row& row) const override {
    row.Observation<std::int64_t>()[0] = shade_;
    row.Observation<std::int64_t>()[1] = step_;
    row.Info<std::int64_t>()[0] = releases_;
  }

  void Render(const Frame& frame) override {
    TakeTimeOrFail();
    if (frame.camera >= kCameras) {
      throw std::invalid_argument("camera_id is " + std::to_string(frame.camera) +
                                  ", expected -1 to " + std::to_string(kCameras - 1));
    }
    PaintView(frame);
  }

  Scene Describe() const override {
    TakeTimeOrFail();
    return {{"state", {static_cast<double>(shade_), static_cast<double>(step_)}}, {"nothing", {}}};
  }

  void Release() override { ++releases_; }

 private:
  using Time = std::chrono::duration<double, std::milli>;

  void TakeTimeOrFail() const {
    if (render_time_.count() > 0.0) std::this_thread::sleep_for(render_time_);
    if (error_ == "bad_alloc") throw std::bad_alloc();
    if (error_ == "number") throw 42;
    if (error_ != "none") throw std::runtime_error("failed on purpose in render");
  }

  const std::int64_t length_;
  const std::string error_;
  const Time render_time_;
  const Time step_time_;
  std::int64_t releases_ = 0;
};

class PixelCanvas final : public Painter {
 public:
  explicit PixelCanvas(const Options& options)
      : width_(IntOf(options, "render_width")),
        height_(IntOf(options, "render_height")),
        camera_(IntOf(options, "render_camera_id")) {}

  static Spec MakeSpec(const Options& options) {
    return {.observation = {Box(
                "obs", DType::kUInt8,
                {IntOf(options, "render_height"), IntOf(options, "render_width"), kChannels})},
            .action = {Discrete("action", 2)}};
  }

  StepResult Step(const Action&, Random&) override {
    ++step_;
    return {.reward = 1.0};
  }

  void Observe(const Row& row) const override {
    PaintView({width_, height_, camera_, row.Observation<std::uint8_t>()});
  }

  void Render(const Frame& frame) override { PaintView(frame); }

 private:
  const int width_;
  const int height_;
  const int camera_;
};

class Picture final : public Painter {
 public:
  explicit Picture(const Options& options) : length_(options.Integer("episode_length")) {}

  static Spec MakeSpec(const Options&) {
    return {.observation = {Box("obs", DType::kUInt8, {kPixels.height, kPixels.width, kChannels})},
            .action = {Discrete("action", 4)},
            .info = {Box("brightness", DType::kFloat64, {}), Box("frame.shade", DType::kInt64, {}),
                     Box("frame.corner", DType::kUInt8, {kChannels})}};
  }

  void Reset(Random& random, const Options& options) override {
    Painter::Reset(random, options);
    action_ = 0;
  }

  StepResult Step(const Action& action, Random&) override {
    ++step_;
    action_ = action.Value<std::int32_t>();
    return {.reward = action_ + 1.0 / static_cast<double>(step_), .terminated = step_ >= length_};
  }

  void Observe(const Row& row) const override {
    const auto pixels = row.Observation<std::uint8_t>();
    Paint({.width = kPixels.width, .height = kPixels.height, .pixels = pixels}, shade_ + 7 * step_,
          (1 + action_) * 11);
    row.Info<double>(0)[0] =
        std::accumulate(pixels.begin(), pixels.end(), 0.0) / static_cast<double>(pixels.size());
    row.Info<std::int64_t>(1)[0] = shade_;
    std::ranges::copy(pixels.last(kChannels), row.Info<std::uint8_t>(2).begin());
  }

  void Serialize(Archive& archive) override {
    Painter::Serialize(archive);
    archive.Index(action_, 4);
  }

 private:
  const std::int64_t length_;
  std::int32_t action_ = 0;
};

[[maybe_unused]] const bool canvas_registered = Register({
    .name = "Canvas",
    .options = {{"episode_length", 5, "steps until the episode terminates"},
                {"render_error", "none", "'runtime_error', 'bad_alloc', 'number' or 'none'"},
                {"render_ms", 0.0, "how long drawing takes, milliseconds"},
                {"step_ms", 0.0, "how long a step takes, milliseconds"},
                {"fps", 25.0, "how many steps make a second"}},
    .spec = Canvas::MakeSpec,
    .create = Create<Canvas>,
    .frame_size = [](const Options&) { return kCanvas; },
    .render_fps = Canvas::FramesPerSecond,
});

[[maybe_unused]] const bool pixel_canvas_registered = Register({
    .name = "PixelCanvas",
    .options = {{"render_width", std::int64_t{kPixels.width}, "width of observed pictures"},
                {"render_height", std::int64_t{kPixels.height}, "height of observed pictures"},
                {"render_camera_id", -1, "camera of observed pictures"}},
    .spec = PixelCanvas::MakeSpec,
    .create = Create<PixelCanvas>,
    .frame_size = [](const Options&) { return kPixels; },
});

[[maybe_unused]] const bool picture_registered = Register({
    .name = "Picture",
    .options = {{"episode_length", 5, "steps until the episode terminates"}},
    .spec = Picture::MakeSpec,
    .create = Create<Picture>,
});

}  // namespace
}  // namespace envpool
