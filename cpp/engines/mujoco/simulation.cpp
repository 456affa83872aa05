#include "mujoco/simulation.h"

#include <mujoco/mjxmacro.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <new>
#include <stdexcept>
#include <utility>

namespace envpool::mujoco {

namespace {

// Poses and what else MuJoCo computed in the last step. After it, they are no longer a function of
// the state, but observations and pictures show them.
Simulation::Arrays DerivedNumbers(const mjModel& model, mjData& data) {
  const auto bodies = static_cast<std::size_t>(model.nbody);
  const auto joints = static_cast<std::size_t>(model.njnt);
  const auto geoms = static_cast<std::size_t>(model.ngeom);
  const auto sites = static_cast<std::size_t>(model.nsite);
  const auto cameras = static_cast<std::size_t>(model.ncam);
  const auto lights = static_cast<std::size_t>(model.nlight);
  const auto tendons = static_cast<std::size_t>(model.ntendon);
  const auto wraps = static_cast<std::size_t>(model.nwrap);
  const auto dofs = static_cast<std::size_t>(model.nv);
  return {
      {data.xpos, 3 * bodies},      {data.xquat, 4 * bodies},      {data.xmat, 9 * bodies},
      {data.xipos, 3 * bodies},     {data.ximat, 9 * bodies},      {data.cinert, 10 * bodies},
      {data.cvel, 6 * bodies},      {data.cfrc_ext, 6 * bodies},   {data.xanchor, 3 * joints},
      {data.xaxis, 3 * joints},     {data.geom_xpos, 3 * geoms},   {data.geom_xmat, 9 * geoms},
      {data.site_xpos, 3 * sites},  {data.site_xmat, 9 * sites},   {data.cam_xpos, 3 * cameras},
      {data.cam_xmat, 9 * cameras}, {data.light_xpos, 3 * lights}, {data.light_xdir, 3 * lights},
      {data.ten_length, tendons},   {data.ten_velocity, tendons},  {data.wrap_xpos, 6 * wraps},
      {data.qfrc_actuator, dofs},   {data.qfrc_constraint, dofs}};
}

// The paths of tendons, which pictures show.
void SerializePaths(const mjModel& model, mjData& data, Archive& archive) {
  const auto tendons = static_cast<std::size_t>(model.ntendon);
  const auto points = 2 * static_cast<std::size_t>(model.nwrap);
  const std::span<int> starts(data.ten_wrapadr, tendons);
  const std::span<int> lengths(data.ten_wrapnum, tendons);
  archive.Range(starts, 0, points);
  archive.Range(lengths, 0, points);
  archive.Range(std::span<int>(data.wrap_obj, points), -2, model.ngeom - 1);  // -1 and -2: no geom
  for (std::size_t i = 0; i < tendons; ++i) {
    archive.Require(std::cmp_less_equal(starts[i] + lengths[i], points), "a tendon without an end");
  }
}

// Returns how many bodies, joints, geoms and so on the model has.
std::vector<mjtSize> SizesOf(const mjModel& model) {
#define X(name) model.name,
  return {MJMODEL_SIZES};  // a list of MuJoCo's own
#undef X
}

// Buffers of delayed controls and sensors: the second number of each is the place of its newest
// entry.
bool HasPlacesWithin(const mjModel& model, const mjData& data) {
  const auto is_within = [&data](int address, int entries) {
    if (address < 0 || entries <= 0) return true;
    const double place = data.history[address + 1];
    return place >= 0.0 && place < entries;
  };
  for (int i = 0; i < model.nu; ++i) {
    if (!is_within(model.actuator_historyadr[i], model.actuator_history[2 * i])) return false;
  }
  for (int i = 0; i < model.nsensor; ++i) {
    if (!is_within(model.sensor_historyadr[i], model.sensor_history[2 * i])) return false;
  }
  return true;
}

// Writes the state, or reads it. Throws std::invalid_argument for the state of a model with other
// parts, or one that is none; and leaves `data` in disorder then.
void SerializeState(const mjModel& model, mjData& data, const std::string& name, Archive& archive) {
  constexpr unsigned kState = mjSTATE_INTEGRATION;
  const auto size = static_cast<std::size_t>(mj_stateSize(&model, kState));
  std::vector<double> state(size);
  // Which parts the model has: set_attr may have changed it.
  const std::vector<mjtSize> own_sizes = SizesOf(model);
  std::vector<mjtSize> sizes = own_sizes;
  archive.Any(sizes);
  if (archive.IsReader()) {
    archive(state);
    if (sizes != own_sizes || state.size() != size) {
      throw std::invalid_argument(name + ": the state is of another model");
    }
    RunEngine([&] { mj_setState(&model, &data, state.data(), kState); });
    archive.Require(HasPlacesWithin(model, data), "a place outside of a buffer");
  } else {
    RunEngine([&] { mj_getState(&model, &data, state.data(), kState); });
    archive(state);
  }
}

}  // namespace

Simulation::Simulation(std::string name, std::shared_ptr<const mjModel> shared)
    : OwnModel(std::move(name), std::move(shared)) {
  MakeData();
}

void Simulation::MakeData() {
  mjData* data = nullptr;
  RunEngine([&] { data = mj_makeData(Shared().get()); });
  if (data == nullptr) throw std::bad_alloc();
  data_.reset(data);
}

void Simulation::Reset() {
  if (is_damaged_) MakeData();
  Run([](const mjModel& model, mjData& data) { mj_resetData(&model, &data); });
}

bool Simulation::IsFinite() const {
  const auto is_finite = [](double x) { return std::isfinite(x); };
  return std::ranges::all_of(Qpos(), is_finite) && std::ranges::all_of(Qvel(), is_finite);
}

void Simulation::RequireStable() {
  for (const mjtWarning kind : {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC}) {
    if (data_->warning[kind].number > 0) throw std::runtime_error(TakeWarnings());
  }
}

void Simulation::Serialize(Archive& archive, Arrays (*more)(const mjModel& model, mjData& data)) {
  if (archive.IsReader() && std::exchange(is_damaged_, true)) MakeData();
  SerializeState(Model(), *data_, Name(), archive);
  for (std::span<double> array : DerivedNumbers(Model(), *data_)) archive(array);
  SerializePaths(Model(), *data_, archive);
  if (more != nullptr) {
    for (std::span<double> array : more(Model(), *data_)) archive(array);
  }
  SerializeOwn(archive);  // last, because a reset does not mend it
  if (archive.IsReader()) is_damaged_ = false;
}

}  // namespace envpool::mujoco
