#include "dm_control/physics.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace envpool::dm_control {

namespace {

using Counts = std::array<int, mjNWARNING>;

Counts CountWarnings(const mjData& data) {
  Counts counts;
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = data.warning[i].number;
  return counts;
}

// What MuJoCo has warned of since then.
std::string NewWarnings(const mjData& data, const Counts& before) {
  std::string text;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (data.warning[i].number <= before[i]) continue;
    text += text.empty() ? "" : "; ";
    text +=
        mju_warningText(static_cast<int>(i), static_cast<std::size_t>(data.warning[i].lastinfo));
  }
  return text;
}

// While it lives, the model's actuators do nothing.
class DisabledActuation {
 public:
  explicit DisabledActuation(mjModel& model) : model_(model), before_(model.opt.disableflags) {
    model_.opt.disableflags |= mjDSBL_ACTUATION;
  }
  DisabledActuation(const DisabledActuation&) = delete;
  DisabledActuation& operator=(const DisabledActuation&) = delete;
  ~DisabledActuation() { model_.opt.disableflags = before_; }

 private:
  mjModel& model_;
  const int before_;
};

}  // namespace

Physics::Physics(std::shared_ptr<const mjModel> shared) : own_(std::move(shared)) { MakeState(); }

int Physics::Find(mjtObj type, const char* name) const {
  const int id = mj_name2id(&model_, type, name);
  if (id < 0) {
    throw std::runtime_error(std::string("dm_control's model has no ") + mju_type2Str(type) + " '" +
                             name + "'");
  }
  return id;
}

// Calls MuJoCo, whose new warnings are errors.
template <class Run>
void Physics::Check(const Run& run) {
  const Counts before = CountWarnings(*data_);
  is_damaged_ = true;
  mujoco::RunEngine(run);
  is_damaged_ = false;
  const std::string warnings = NewWarnings(*data_, before);
  if (!warnings.empty()) throw PhysicsError("the state of the physics is invalid: " + warnings);
}

void Physics::SetInitialState() {
  if (is_damaged_) MakeState();
  mujoco::RunEngine([this] { mj_resetData(&model_, data_.get()); });
}

void Physics::Reset() {
  SetInitialState();
  AfterReset();
}

void Physics::AfterReset() {
  const DisabledActuation disabled(model_);
  is_after_reset_ = true;
  Check([this] { mj_forward(&model_, data_.get()); });
}

void Physics::ResetWhateverComes() {
  SetInitialState();
  AfterResetWhateverComes();
}

void Physics::AfterResetWhateverComes() {
  try {
    AfterReset();
  } catch (const PhysicsError&) {  // as dm_control does here
  }
}

int Physics::CountContacts() {
  is_damaged_ = true;
  mujoco::RunEngine([this] {
    mj_kinematics(&model_, data_.get());
    mj_collision(&model_, data_.get());
  });
  is_damaged_ = false;
  return static_cast<int>(data_->ncon);
}

void Physics::Step(std::int64_t steps) {
  is_after_reset_ = false;
  Check([this, steps] {
    std::int64_t whole = steps;
    if (model_.opt.integrator != mjINT_RK4) {
      mj_step2(&model_, data_.get());
      --whole;
    }
    for (std::int64_t i = 0; i < whole; ++i) mj_step(&model_, data_.get());
    mj_step1(&model_, data_.get());
  });
}

// What MuJoCo had computed from the state that was read.
void Physics::Recompute() {
  if (is_after_reset_) {
    AfterResetWhateverComes();
  } else {
    is_damaged_ = true;
    mujoco::RunEngine([this] { mj_step1(&model_, data_.get()); });
    is_damaged_ = false;
  }
}

void Physics::Serialize(Archive& archive) {
  constexpr unsigned kState = mjSTATE_INTEGRATION;
  std::vector<double> state(static_cast<std::size_t>(mj_stateSize(&model_, kState)));
  const std::size_t size = state.size();
  archive(own_);
  archive(is_after_reset_);
  if (archive.IsReader()) {
    archive(state);
    archive.Require(state.size() == size, "a state of another model");
    MakeState();
    const auto set = [this, &state] { mj_setState(&model_, data_.get(), state.data(), kState); };
    mujoco::RunEngine(set);
    Recompute();
    mujoco::RunEngine(set);  // the warm start, which a forward computation writes
  } else {
    mujoco::RunEngine([this, &state] { mj_getState(&model_, data_.get(), state.data(), kState); });
    archive(state);
  }
  // Of forces, sensors still tell what the last step computed.
  archive(std::span(data_->sensordata, static_cast<std::size_t>(model_.nsensordata)));
}

}  // namespace envpool::dm_control
