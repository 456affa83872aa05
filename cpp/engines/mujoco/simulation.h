// Simulation: a model, and the data that MuJoCo computes of it.
//
// An error of MuJoCo leaves the data in disorder. The next reset, or state that is read, begins
// with new data then.
#pragma once

#include <mujoco/mujoco.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "envpool/archive.h"
#include "mujoco/engine.h"
#include "mujoco/own_model.h"

namespace envpool::mujoco {

struct DeleteData {
  void operator()(mjData* data) const { mj_deleteData(data); }
};

class Simulation : public OwnModel {
 public:
  Simulation(std::string name, std::shared_ptr<const mjModel> shared);

  const mjData& Data() const { return *data_; }
  mjData& Data() { return *data_; }

  // Runs `call`, which gets the model and the data and calls MuJoCo, as RunEngine does; keeps what
  // MuJoCo warns of.
  template <class Call>
  void Run(const Call& call) {
    is_damaged_ = true;
    const std::string warning = RunEngine([&] { call(Model(), *data_); });
    is_damaged_ = false;
    if (!warning.empty()) warnings_ += (warnings_.empty() ? "" : "; ") + warning;
  }
  // Returns what Run has kept since the last call.
  std::string TakeWarnings() { return std::exchange(warnings_, {}); }
  // True if an error has left the data in disorder.
  bool IsDamaged() const { return is_damaged_; }

  // mj_resetData.
  void Reset();
  void Forward() {
    Run([](const mjModel& model, mjData& data) { mj_forward(&model, &data); });
  }
  // mj_step(nstep=steps).
  void Step(std::int64_t steps) {
    Run([steps](const mjModel& model, mjData& data) {
      for (std::int64_t i = 0; i < steps; ++i) mj_step(&model, &data);
    });
  }

  std::span<const double> Qpos() const { return {data_->qpos, Size(Model().nq)}; }
  std::span<double> Qpos() { return {data_->qpos, Size(Model().nq)}; }
  std::span<const double> Qvel() const { return {data_->qvel, Size(Model().nv)}; }
  std::span<double> Qvel() { return {data_->qvel, Size(Model().nv)}; }
  std::span<const double> Control() const { return {data_->ctrl, Size(Model().nu)}; }
  std::span<double> Control() { return {data_->ctrl, Size(Model().nu)}; }

  // Where something is now, m.
  std::array<double, 3> BodyPosition(int body) const { return PointAt(data_->xpos, body); }
  std::array<double, 3> GeomPosition(int geom) const { return PointAt(data_->geom_xpos, geom); }
  std::array<double, 3> SitePosition(int site) const { return PointAt(data_->site_xpos, site); }

  // True if all of qpos and qvel are finite.
  bool IsFinite() const;
  // Throws std::runtime_error with what MuJoCo has warned of if it has found numbers that are not
  // finite, or too large, since the last reset. It goes on from the model's initial state then.
  void RequireStable();
  // cfrc_ext: six numbers for each body, the world's first.
  std::span<const double> ContactForces() const {
    return {data_->cfrc_ext, 6 * Size(Model().nbody)};
  }

  // Arrays of the data.
  using Arrays = std::vector<std::span<double>>;

  // Writes the state, what MuJoCo has computed of it, and the model's own arrays; or reads them.
  // `more` returns further arrays that belong to it.
  void Serialize(Archive& archive, Arrays (*more)(const mjModel& model, mjData& data) = nullptr);

 protected:
  void MakeData();

 private:
  static std::size_t Size(mjtSize size) { return static_cast<std::size_t>(size); }
  static std::array<double, 3> PointAt(const double* points, int index) {
    const double* point = points + 3 * index;
    return {point[0], point[1], point[2]};
  }

  std::unique_ptr<mjData, DeleteData> data_;
  bool is_damaged_ = false;
  std::string warnings_;
};

}  // namespace envpool::mujoco
