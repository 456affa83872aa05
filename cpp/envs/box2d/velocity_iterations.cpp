#include "box2d/velocity_iterations.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "box2d/joint_lanes.h"

namespace envpool::box2d {

namespace {

// Of our tasks' islands: five bodies of the walker, or five and the road's of the car.
constexpr std::size_t kMaxBodies = 8;
constexpr std::size_t kMaxJoints = 4;

// Islands with the same joints between the same bodies, each in its lane.
class SideBySide {
 public:
  // Returns false if it cannot: for another kind of joints, or others than those of the first.
  bool Take(const Island& island);
  std::span<const Island> Taken() const { return std::span(islands_).first(count_); }
  void Iterate();

 private:
  // Where the velocities of a lane's bodies come from, in the order in which its joints name them.
  struct Bodies {
    std::array<b2Velocity*, kMaxBodies> velocities;
    std::size_t count = 0;

    // The number of this body; kMaxBodies if there are too many.
    std::size_t Find(b2Velocity* velocity) {
      const auto known = std::span(velocities).first(count);
      const auto place =
          static_cast<std::size_t>(std::ranges::find(known, velocity) - known.begin());
      if (place == count && count < kMaxBodies) velocities[count++] = velocity;
      return place;
    }
  };

  bool Matches(const Island& island, Bodies& bodies);
  void ReadVelocity(std::size_t lane, std::size_t body);
  void WriteVelocity(std::size_t lane, std::size_t body) const;
  void FindTouched(std::size_t lane);
  void SolveContacts(std::size_t lane);

  std::array<Velocities, kMaxBodies> velocities_{};
  std::array<JointLanes, kMaxJoints> joints_{};
  std::size_t num_joints_ = 0;
  std::array<Island, kLanes> islands_;
  std::array<Bodies, kLanes> bodies_;
  std::array<std::vector<std::size_t>, kLanes> touched_;  // which bodies have contacts
  std::size_t count_ = 0;
};

bool SideBySide::Matches(const Island& island, Bodies& bodies) {
  if (count_ == kLanes || island.joints.empty() || island.joints.size() > kMaxJoints) return false;
  const bool is_first = count_ == 0;
  if (!is_first &&
      (island.joints.size() != num_joints_ ||
       island.data->step.velocityIterations != islands_[0].data->step.velocityIterations)) {
    return false;
  }
  for (std::size_t i = 0; i < island.joints.size(); ++i) {
    if (!IsAtWork(*island.joints[i])) return false;
    const auto& hinge = static_cast<const b2RevoluteJoint&>(*island.joints[i]);
    const std::size_t a = bodies.Find(island.data->velocities + hinge.m_indexA);
    const std::size_t b = bodies.Find(island.data->velocities + hinge.m_indexB);
    if (a == kMaxBodies || b == kMaxBodies) return false;
    if (!is_first && (a != joints_[i].a || b != joints_[i].b)) return false;
    joints_[i].a = a;
    joints_[i].b = b;
  }
  return true;
}

bool SideBySide::Take(const Island& island) {
  Bodies bodies;
  if (!Matches(island, bodies)) return false;
  const std::size_t lane = count_++;
  num_joints_ = island.joints.size();
  islands_[lane] = island;
  bodies_[lane] = bodies;
  for (std::size_t i = 0; i < num_joints_; ++i) {
    joints_[i].Read(lane, static_cast<const b2RevoluteJoint&>(*island.joints[i]), *island.data);
  }
  for (std::size_t body = 0; body < bodies.count; ++body) ReadVelocity(lane, body);
  FindTouched(lane);
  return true;
}

void SideBySide::ReadVelocity(std::size_t lane, std::size_t body) {
  const b2Velocity& velocity = *bodies_[lane].velocities[body];
  velocities_[body].v.Set(lane, velocity.v);
  velocities_[body].w.Set(lane, velocity.w);
}

void SideBySide::WriteVelocity(std::size_t lane, std::size_t body) const {
  b2Velocity& velocity = *bodies_[lane].velocities[body];
  velocity.v = velocities_[body].v.Get(lane);
  velocity.w = velocities_[body].w.Get(lane);
}

// Bodies without joints, such as the ground, have their velocities from the contacts alone.
void SideBySide::FindTouched(std::size_t lane) {
  const Island& island = islands_[lane];
  for (std::size_t body = 0; body < bodies_[lane].count; ++body) {
    const auto index = bodies_[lane].velocities[body] - island.data->velocities;
    for (int32 i = 0; i < island.contacts->m_count; ++i) {
      const b2ContactVelocityConstraint& contact = island.contacts->m_velocityConstraints[i];
      if (contact.indexA != index && contact.indexB != index) continue;
      touched_[lane].push_back(body);
      break;
    }
  }
}

void SideBySide::SolveContacts(std::size_t lane) {
  for (const std::size_t body : touched_[lane]) WriteVelocity(lane, body);
  islands_[lane].contacts->SolveVelocityConstraints();
  for (const std::size_t body : touched_[lane]) ReadVelocity(lane, body);
}

void SideBySide::Iterate() {
  for (int32 i = 0; i < islands_[0].data->step.velocityIterations; ++i) {
    for (std::size_t joint = 0; joint < num_joints_; ++joint) joints_[joint].Solve(velocities_);
    for (std::size_t lane = 0; lane < count_; ++lane) {
      if (!touched_[lane].empty()) SolveContacts(lane);
    }
  }
  for (std::size_t lane = 0; lane < count_; ++lane) {
    for (std::size_t body = 0; body < bodies_[lane].count; ++body) WriteVelocity(lane, body);
    for (std::size_t i = 0; i < num_joints_; ++i) {
      joints_[i].Write(lane, static_cast<b2RevoluteJoint&>(*islands_[lane].joints[i]));
    }
  }
}

}  // namespace

void IterateOne(const Island& island) {
  for (int32 i = 0; i < island.data->step.velocityIterations; ++i) {
    for (b2Joint* joint : island.joints) joint->SolveVelocityConstraints(*island.data);
    island.contacts->SolveVelocityConstraints();
  }
}

void Iterate(std::span<const Island> islands) {
  SideBySide lanes;
  for (const Island& island : islands) {
    if (!lanes.Take(island)) IterateOne(island);
  }
  if (lanes.Taken().size() == 1) {
    IterateOne(lanes.Taken()[0]);
  } else if (!lanes.Taken().empty()) {
    lanes.Iterate();
  }
}

}  // namespace envpool::box2d
