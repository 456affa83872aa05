// SawyerWorld: a simulation, with the arrays of the model that tasks write.
#pragma once

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "envpool/archive.h"
#include "metaworld/vectors.h"
#include "mujoco/simulation.h"

namespace envpool::metaworld {

class SawyerWorld : public mujoco::Simulation {
 public:
  // Welds the hand to what actions move, as the original does.
  SawyerWorld(std::string name, std::shared_ptr<const mjModel> shared);

  // Where things are, by their names, m.
  Vector BodyAt(const char* name) const { return BodyPosition(Body(name)); }
  Vector GeomAt(const char* name) const { return GeomPosition(Geom(name)); }
  Vector SiteAt(const char* name) const { return SitePosition(Site(name)); }
  double JointAt(const char* name) const { return Data().qpos[JointPosition(name)]; }

  // Where they are in the model, beside what they belong to.
  Vector BodyInModel(const char* name) const {
    return numerics::VectorAt(&bodies_[3 * At(mjOBJ_BODY, name)]);
  }
  Vector SiteInModel(const char* name) const {
    return numerics::VectorAt(&sites_[3 * At(mjOBJ_SITE, name)]);
  }
  void MoveBody(const char* name, const Vector& to) {
    std::ranges::copy(to, &bodies_[3 * At(mjOBJ_BODY, name)]);
  }
  void MoveSite(const char* name, const Vector& to) {
    std::ranges::copy(to, &sites_[3 * At(mjOBJ_SITE, name)]);
  }

  // Computes where everything is, and for cameras and lights, too. The original calls mj_forward,
  // but nothing else of what that computes is read: the next step begins with it again.
  void Look() {
    Run([](const mjModel& model, mjData& data) {
      mj_kinematics(&model, &data);
      mj_comPos(&model, &data);
      mj_camlight(&model, &data);
    });
  }

  // A copy of all that was computed, and what takes it over in a world of the same model.
  using OwnedData = std::unique_ptr<mjData, mujoco::DeleteData>;
  OwnedData CopyOfData() const {
    mjData* copy = nullptr;
    mujoco::RunEngine([&] { copy = mj_copyData(nullptr, &Model(), &Data()); });
    return OwnedData(copy);
  }
  void CopyData(const mjData& from) {
    Run([&from](const mjModel& model, mjData& data) { mj_copyData(&data, &model, &from); });
  }

 private:
  std::size_t At(mjtObj type, const char* name) const {
    return static_cast<std::size_t>(Find(type, name));
  }

  std::span<double> bodies_;
  std::span<double> sites_;
};

}  // namespace envpool::metaworld
