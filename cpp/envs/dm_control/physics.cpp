#include "dm_control/physics.h"

#include <array>
#include <cstddef>
#include <span>
#include <string>
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

// Calls MuJoCo, whose new warnings are errors.
template <class Call>
void Physics::Check(const Call& call) {
  const Counts before = CountWarnings(Data());
  Run(call);
  TakeWarnings();
  const std::string warnings = NewWarnings(Data(), before);
  if (!warnings.empty()) throw PhysicsError("the state of the physics is invalid: " + warnings);
}

void Physics::Reset() {
  Simulation::Reset();
  AfterReset();
}

void Physics::AfterReset() {
  const DisabledActuation disabled(Copy());
  is_after_reset_ = true;
  Check([](const mjModel& model, mjData& data) { mj_forward(&model, &data); });
}

void Physics::ResetWhateverComes() {
  Simulation::Reset();
  AfterResetWhateverComes();
}

void Physics::AfterResetWhateverComes() {
  try {
    AfterReset();
  } catch (const PhysicsError&) {  // as dm_control does here
  }
}

int Physics::CountContacts() {
  Run([](const mjModel& model, mjData& data) {
    mj_kinematics(&model, &data);
    mj_collision(&model, &data);
  });
  return static_cast<int>(Data().ncon);
}

void Physics::Step(std::int64_t steps) {
  is_after_reset_ = false;
  Check([steps](const mjModel& model, mjData& data) {
    std::int64_t whole = steps;
    if (model.opt.integrator != mjINT_RK4) {
      mj_step2(&model, &data);
      --whole;
    }
    for (std::int64_t i = 0; i < whole; ++i) mj_step(&model, &data);
    mj_step1(&model, &data);
  });
}

// What MuJoCo had computed from the state that was read.
void Physics::Recompute() {
  if (is_after_reset_) return AfterResetWhateverComes();
  Run([](const mjModel& model, mjData& data) { mj_step1(&model, &data); });
}

void Physics::Serialize(Archive& archive) {
  constexpr unsigned kState = mjSTATE_INTEGRATION;
  std::vector<double> state(static_cast<std::size_t>(mj_stateSize(&Model(), kState)));
  const std::size_t size = state.size();
  SerializeOwn(archive);
  archive(is_after_reset_);
  if (archive.IsReader()) {
    archive(state);
    archive.Require(state.size() == size, "a state of another model");
    MakeData();
    const auto set = [&state](const mjModel& model, mjData& data) {
      mj_setState(&model, &data, state.data(), kState);
    };
    Run(set);
    Recompute();
    Run(set);  // the warm start, which a forward computation writes
  } else {
    Run([&state](const mjModel& model, mjData& data) {
      mj_getState(&model, &data, state.data(), kState);
    });
    archive(state);
  }
  // Sensors of forces still show what the last step computed.
  archive(std::span(Data().sensordata, static_cast<std::size_t>(Model().nsensordata)));
}

}  // namespace envpool::dm_control
