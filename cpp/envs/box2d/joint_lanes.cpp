// Follows b2RevoluteJoint::SolveVelocityConstraints operation by operation.
#include "box2d/joint_lanes.h"

namespace envpool::box2d {

namespace {

inline Floats Dot(const Vectors3& a, const Vectors3& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline Vectors3 Cross(const Vectors3& a, const Vectors3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline Vectors3 operator-(const Vectors3& a) { return {-a.x, -a.y, -a.z}; }

// What Solve33 and Solve22 divide by.
float Inverse(float determinant) { return determinant != 0.0F ? 1.0F / determinant : determinant; }

}  // namespace

bool IsAtWork(b2Joint& joint) {
  if (joint.GetType() != e_revoluteJoint) return false;
  const auto& hinge = static_cast<const b2RevoluteJoint&>(joint);
  return hinge.m_enableMotor && hinge.m_enableLimit && hinge.m_limitState != e_equalLimits &&
         hinge.m_invIA + hinge.m_invIB != 0.0F;
}

void JointLanes::Read(std::size_t lane, const b2RevoluteJoint& joint, const b2SolverData& data) {
  mass_a.Set(lane, joint.m_invMassA);
  mass_b.Set(lane, joint.m_invMassB);
  inertia_a.Set(lane, joint.m_invIA);
  inertia_b.Set(lane, joint.m_invIB);
  arm_a.Set(lane, joint.m_rA);
  arm_b.Set(lane, joint.m_rB);
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

void JointLanes::Write(std::size_t lane, b2RevoluteJoint& joint) const {
  joint.m_motorImpulse = motor_impulse.Get(lane);
  joint.m_impulse.Set(impulse.x.Get(lane), impulse.y.Get(lane), impulse.z.Get(lane));
}

Vectors3 JointLanes::Solve33(const Vectors3& b) const {
  return {inverse_33 * Dot(b, ey_ez), inverse_33 * Dot(ex, Cross(b, ez)),
          inverse_33 * Dot(ex, Cross(ey, b))};
}

Vectors JointLanes::Solve22(const Vectors& b) const {
  return {inverse_22 * (ey.y * b.x - ey.x * b.y), inverse_22 * (ex.x * b.y - ex.y * b.x)};
}

void JointLanes::Solve(std::span<Velocities> velocities) {
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

}  // namespace envpool::box2d
