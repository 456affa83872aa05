// Follows b2RevoluteJoint::SolveVelocityConstraints operation by operation.
#include "box2d/velocity_iterations.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace envpool::box2d {

namespace {

// Of our tasks' islands: five bodies of the walker, or five and the road's of the car.
constexpr std::size_t kMaxBodies = 8;
constexpr std::size_t kMaxJoints = 4;

struct Vectors {
  Floats x, y;
};

inline Vectors operator+(const Vectors& a, const Vectors& b) { return {a.x + b.x, a.y + b.y}; }
inline Vectors operator-(const Vectors& a, const Vectors& b) { return {a.x - b.x, a.y - b.y}; }
inline Vectors operator-(const Vectors& a) { return {-a.x, -a.y}; }
inline Vectors operator*(Floats a, const Vectors& b) { return {a * b.x, a * b.y}; }
inline Floats Cross(const Vectors& a, const Vectors& b) { return a.x * b.y - a.y * b.x; }
inline Vectors Cross(Floats a, const Vectors& b) { return {-a * b.y, a * b.x}; }
inline Vectors Select(Mask mask, const Vectors& yes, const Vectors& no) {
  return {Select(mask, yes.x, no.x), Select(mask, yes.y, no.y)};
}

struct Vectors3 {
  Floats x, y, z;

  Vectors Plane() const { return {x, y}; }
  void Set(std::size_t lane, const b2Vec3& value) {
    x.Set(lane, value.x);
    y.Set(lane, value.y);
    z.Set(lane, value.z);
  }
};

inline Floats Dot(const Vectors3& a, const Vectors3& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline Vectors3 Cross(const Vectors3& a, const Vectors3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline Vectors3 operator-(const Vectors3& a) { return {-a.x, -a.y, -a.z}; }

struct Velocities {
  Vectors v;
  Floats w;
};

// What Solve33 and Solve22 divide by.
float Inverse(float determinant) { return determinant != 0.0F ? 1.0F / determinant : determinant; }

// A joint in all lanes.
struct Joint {
  std::size_t a = 0;  // its bodies, by their places among the velocities
  std::size_t b = 0;
  Floats mass_a, mass_b, inertia_a, inertia_b;  // inverse ones
  Vectors arm_a, arm_b;
  Floats motor_speed, motor_mass, most_impulse;
  // The matrix, and what Box2D computes of it in each iteration.
  Vectors3 ex, ey, ez, ey_ez;
  Floats inverse_33, inverse_22;
  Mask is_limited, is_at_lower, is_at_upper;
  bool is_any_limited = false;
  bool is_any_free = false;

  Floats motor_impulse;
  Vectors3 impulse;

  void Read(std::size_t lane, const b2RevoluteJoint& joint, const b2SolverData& data);
  void Write(std::size_t lane, b2RevoluteJoint& joint) const;
  void Solve(std::span<Velocities> velocities);

 private:
  Vectors3 Solve33(const Vectors3& b) const;
  Vectors Solve22(const Vectors& b) const;
};

void Joint::Read(std::size_t lane, const b2RevoluteJoint& joint, const b2SolverData& data) {
  mass_a.Set(lane, joint.m_invMassA);
  mass_b.Set(lane, joint.m_invMassB);
  inertia_a.Set(lane, joint.m_invIA);
  inertia_b.Set(lane, joint.m_invIB);
  arm_a.x.Set(lane, joint.m_rA.x);
  arm_a.y.Set(lane, joint.m_rA.y);
  arm_b.x.Set(lane, joint.m_rB.x);
  arm_b.y.Set(lane, joint.m_rB.y);
  motor_speed.Set(lane, joint.m_motorSpeed);
  motor_mass.Set(lane, joint.m_motorMass);
  most_impulse.Set(lane, data.step.dt * joint.m_maxMotorTorque);
  const b2Mat33& mass = joint.m_mass;
  const b2Vec3 cross = b2Cross(mass.ey, mass.ez);
  ex.Set(lane, mass.ex);
  ey.Set(lane, mass.ey);
  ez.Set(lane, mass.ez);
  ey_ez.Set(lane, cross);
  inverse_33.Set(lane, Inverse(b2Dot(mass.ex, cross)));
  inverse_22.Set(lane, Inverse(mass.ex.x * mass.ey.y - mass.ey.x * mass.ex.y));
  const b2LimitState limit = joint.m_limitState;
  is_limited.Set(lane, limit != e_inactiveLimit);
  is_at_lower.Set(lane, limit == e_atLowerLimit);
  is_at_upper.Set(lane, limit == e_atUpperLimit);
  (limit == e_inactiveLimit ? is_any_free : is_any_limited) = true;
  motor_impulse.Set(lane, joint.m_motorImpulse);
  impulse.Set(lane, joint.m_impulse);
}

void Joint::Write(std::size_t lane, b2RevoluteJoint& joint) const {
  joint.m_motorImpulse = motor_impulse.Get(lane);
  joint.m_impulse.Set(impulse.x.Get(lane), impulse.y.Get(lane), impulse.z.Get(lane));
}

Vectors3 Joint::Solve33(const Vectors3& b) const {
  return {inverse_33 * Dot(b, ey_ez), inverse_33 * Dot(ex, Cross(b, ez)),
          inverse_33 * Dot(ex, Cross(ey, b))};
}

Vectors Joint::Solve22(const Vectors& b) const {
  return {inverse_22 * (ey.y * b.x - ey.x * b.y), inverse_22 * (ex.x * b.y - ex.y * b.x)};
}

void Joint::Solve(std::span<Velocities> velocities) {
  Velocities body_a = velocities[a], body_b = velocities[b];

  const Floats motor_change = -motor_mass * (body_b.w - body_a.w - motor_speed);
  const Floats before = motor_impulse;
  motor_impulse = Clamp(before + motor_change, -most_impulse, most_impulse);
  body_a.w = body_a.w - inertia_a * (motor_impulse - before);
  body_b.w = body_b.w + inertia_b * (motor_impulse - before);

  const Vectors error = body_b.v + Cross(body_b.w, arm_b) - body_a.v - Cross(body_a.w, arm_a);
  Vectors3 change{};
  Vectors right = -error;
  Mask is_plane = ~is_limited;  // where the two equations of the point are solved alone
  if (is_any_limited) {
    change = -Solve33({error.x, error.y, body_b.w - body_a.w});
    const Floats sum = impulse.z + change.z;
    const Floats zero = Floats::All(0.0F);
    const Mask is_released = (is_at_lower & (sum < zero)) | (is_at_upper & (sum > zero));
    right = Select(is_limited, right + impulse.z * ez.Plane(), right);
    is_plane = is_plane | is_released;
    change.z = Select(is_released, -impulse.z, change.z);
    impulse.z = Select(is_released, zero, Select(is_limited, sum, impulse.z));
  }
  if (is_any_free || IsAny(is_plane)) {
    const Vectors plane = Select(is_plane, Solve22(right), change.Plane());
    change.x = plane.x;
    change.y = plane.y;
  }
  impulse.x = impulse.x + change.x;
  impulse.y = impulse.y + change.y;
  // Adding this zero changes nothing, where a joint that is free adds nothing.
  const Floats turn = Select(is_limited, change.z, Floats::All(-0.0F));

  const Vectors push = change.Plane();
  body_a.v = body_a.v - mass_a * push;
  body_a.w = body_a.w - inertia_a * (Cross(arm_a, push) + turn);
  body_b.v = body_b.v + mass_b * push;
  body_b.w = body_b.w + inertia_b * (Cross(arm_b, push) + turn);
  velocities[a] = body_a;
  velocities[b] = body_b;
}

bool IsHingeAtWork(b2Joint& joint) {
  if (joint.GetType() != e_revoluteJoint) return false;
  const auto& hinge = static_cast<const b2RevoluteJoint&>(joint);
  return hinge.m_enableMotor && hinge.m_enableLimit && hinge.m_limitState != e_equalLimits &&
         hinge.m_invIA + hinge.m_invIB != 0.0F;
}

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
  std::array<Joint, kMaxJoints> joints_{};
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
    if (!IsHingeAtWork(*island.joints[i])) return false;
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
  velocities_[body].v.x.Set(lane, velocity.v.x);
  velocities_[body].v.y.Set(lane, velocity.v.y);
  velocities_[body].w.Set(lane, velocity.w);
}

void SideBySide::WriteVelocity(std::size_t lane, std::size_t body) const {
  b2Velocity& velocity = *bodies_[lane].velocities[body];
  velocity.v.x = velocities_[body].v.x.Get(lane);
  velocity.v.y = velocities_[body].v.y.Get(lane);
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
