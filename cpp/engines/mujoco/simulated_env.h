// SimulatedEnv: what environments on MuJoCo have in common: a simulation, how long a step is, and
// pictures.
#pragma once

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "envpool/env.h"
#include "envpool/field.h"
#include "mujoco/compiler.h"
#include "mujoco/pictures/camera_pictures.h"
#include "mujoco/pictures/picture_stack.h"
#include "mujoco/pictures/view.h"
#include "mujoco/simulation.h"

namespace envpool::mujoco {

// frame_skip and frame_stack.
std::vector<OptionSpec> StepOptions(std::int64_t frame_skip);
inline std::size_t FrameStack(const Options& options) {
  return static_cast<std::size_t>(options.Integer("frame_stack"));
}

// The field of an action that is a model's controls, between their limits if they have any.
Field ControlsOf(const mjModel& model);

// Returns how many steps of an environment a simulated second has.
double StepsPerSecond(const Options& options, const mjModel& model);

// Returns the bytes that an environment takes at least, if it observes so many numbers, or
// pictures.
std::size_t MemoryOf(const Options& options, std::size_t numbers);

// Draws what a model and its data show.
using Painter = std::function<void(const mjModel& model, mjData& data)>;

// `W` is Simulation, or a class of the family's own that is derived from it.
template <class W = Simulation>
class SimulatedEnv : public Env {
 public:
  // Reads the options of StepOptions() and PictureOptions(). `name` is what messages call the
  // model.
  SimulatedEnv(const Options& options, std::string name, std::shared_ptr<const mjModel> model,
               Style style)
      : frame_skip_(options.Integer("frame_skip")),
        world_(std::move(name), std::move(model)),
        view_(options, world_.Shared(), style),
        pictures_(options, FrameStack(options)),
        cameras_(options, *world_.Shared()) {}

  std::string Fingerprint() const override {
    return "content of the model=" + ContentOf(world_.Shared());
  }
  void Render(const Frame& frame) final {
    Show([&](const mjModel& model, mjData& data) { view_.Draw(model, data, frame); });
  }
  void Release() final { view_.Release(); }

 protected:
  // Has `paint` draw what is there now. Must not change it: see Env::Render.
  virtual void Show(const Painter& paint) { paint(world_.Model(), world_.Data()); }

  // After a reset or step: passes MuJoCo's warnings on. Returns true if pictures are observed; then
  // the newest is drawn, and an episode's first takes the place of all. Draws what cameras show.
  bool NotePicture(bool is_first) {
    const std::string warnings = world_.TakeWarnings();
    if (!warnings.empty()) Warn(warnings);
    if (!cameras_.empty()) {
      Show([&](const mjModel& model, mjData& data) { cameras_.Draw(view_, model, data); });
    }
    if (pictures_.empty()) return false;
    Show([&](const mjModel& model, mjData& data) { pictures_.Add(view_, model, data, is_first); });
    return true;
  }
  // Returns true if pictures are observed; then writes them.
  bool ObservePictures(const Row& row) const {
    if (pictures_.empty()) return false;
    std::ranges::copy(pictures_.Pixels(), row.Observation<std::uint8_t>().begin());
    return true;
  }
  // Writes what cameras show to the fields of the observation from this one on.
  void ObserveCameras(const Row& row, std::size_t first) const { cameras_.Observe(row, first); }
  // Writes or reads what pictures depend on beside the world.
  void SerializePictures(Archive& archive) { archive(pictures_, view_, cameras_); }

  const W& World() const { return world_; }
  W& World() { return world_; }
  std::int64_t FrameSkip() const { return frame_skip_; }
  // Seconds of a step.
  double Dt() const { return world_.Model().opt.timestep * static_cast<double>(frame_skip_); }

 private:
  const std::int64_t frame_skip_;
  W world_;
  View view_;
  PictureStack pictures_;
  CameraPictures cameras_;
};

}  // namespace envpool::mujoco
