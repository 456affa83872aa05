// Canvas: can be rendered, and described. What it draws follows from its state, the camera and the
// pixel's place.
// PixelCanvas observes what it draws, in the size and with the camera of the pool's pictures.
#include <chrono>
#include <new>
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
constexpr std::int64_t kMostSteps = std::int64_t{1} << 40;

// The byte is shade + 31 * step + 101 * camera + 3 * y + 5 * x + 64 * channel, modulo 256; the
// environment's own view is that of camera 0.
void Paint(const Frame& frame, std::int64_t shade, std::int64_t step) {
  const int camera = frame.camera < 0 ? 0 : frame.camera;
  auto pixel = frame.pixels.begin();
  for (int y = 0; y < frame.height; ++y) {
    for (int x = 0; x < frame.width; ++x) {
      for (int channel = 0; channel < kChannels; ++channel) {
        *pixel++ = static_cast<std::uint8_t>(shade + 31 * step + 101 * camera + 3 * y + 5 * x +
                                             64 * channel);
      }
    }
  }
}

class Canvas final : public Env {
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

  void Reset(Random& random, const Options&) override {
    shade_ = random.Integers(256);
    step_ = 0;
  }

  StepResult Step(const Action&, Random&) override {
    if (step_time_.count() > 0.0) std::this_thread::sleep_for(step_time_);
    return {.reward = 1.0, .terminated = ++step_ >= length_};
  }

  void Observe(const Row& row) const override {
    row.Observation<std::int64_t>()[0] = shade_;
    row.Observation<std::int64_t>()[1] = step_;
    row.Info<std::int64_t>()[0] = releases_;
  }

  void Serialize(Archive& archive) override {
    archive.Index(shade_, 256);
    archive.Range(step_, 0, kMostSteps);
  }

  void Render(const Frame& frame) override {
    TakeTimeOrFail();
    if (frame.camera >= kCameras) {
      throw std::invalid_argument("camera_id is " + std::to_string(frame.camera) +
                                  ", expected -1 to " + std::to_string(kCameras - 1));
    }
    Paint(frame, shade_, step_);
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
  std::int64_t shade_ = 0;
  std::int64_t step_ = 0;
  std::int64_t releases_ = 0;
};

class PixelCanvas final : public Env {
 public:
  explicit PixelCanvas(const Options& options)
      : width_(static_cast<int>(options.Integer("render_width"))),
        height_(static_cast<int>(options.Integer("render_height"))),
        camera_(static_cast<int>(options.Integer("render_camera_id"))) {}

  static Spec MakeSpec(const Options& options) {
    const auto width = static_cast<int>(options.Integer("render_width"));
    const auto height = static_cast<int>(options.Integer("render_height"));
    return {.observation = {Box("obs", DType::kUInt8, {height, width, kChannels})},
            .action = {Discrete("action", 2)},
            .info = {}};
  }

  void Reset(Random& random, const Options&) override {
    shade_ = random.Integers(256);
    step_ = 0;
  }

  StepResult Step(const Action&, Random&) override {
    ++step_;
    return {.reward = 1.0};
  }

  void Observe(const Row& row) const override {
    Paint({width_, height_, camera_, row.Observation<std::uint8_t>()}, shade_, step_);
  }

  void Serialize(Archive& archive) override {
    archive.Index(shade_, 256);
    archive.Range(step_, 0, kMostSteps);
  }

  void Render(const Frame& frame) override { Paint(frame, shade_, step_); }

 private:
  const int width_;
  const int height_;
  const int camera_;
  std::int64_t shade_ = 0;
  std::int64_t step_ = 0;
};

[[maybe_unused]] const bool canvas_registered = Register({
    .name = "Canvas",
    .options = {{"episode_length", std::int64_t{5}, "steps until the episode terminates"},
                {"render_error", "none", "'runtime_error', 'bad_alloc', 'number' or 'none'"},
                {"render_ms", 0.0, "how long drawing takes, milliseconds"},
                {"step_ms", 0.0, "how long a step takes, milliseconds"},
                {"fps", 25.0, "how many steps make a second"}},
    .reset_options = {},
    .spec = Canvas::MakeSpec,
    .create = Create<Canvas>,
    .frame_size = [](const Options&) { return kCanvas; },
    .render_fps = Canvas::FramesPerSecond,
});

[[maybe_unused]] const bool pixel_canvas_registered = Register({
    .name = "PixelCanvas",
    .options = {{"render_width", std::int64_t{kPixels.width}, "width of observed pictures"},
                {"render_height", std::int64_t{kPixels.height}, "height of observed pictures"},
                {"render_camera_id", std::int64_t{-1}, "camera of observed pictures"}},
    .reset_options = {},
    .spec = PixelCanvas::MakeSpec,
    .create = Create<PixelCanvas>,
    .frame_size = [](const Options&) { return kPixels; },
});

}  // namespace
}  // namespace envpool
