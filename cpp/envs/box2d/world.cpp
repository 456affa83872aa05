#include "box2d/world.h"

#include <algorithm>
#include <stdexcept>

namespace envpool::box2d {

namespace {

// Box2D fills tables of its own at the first allocation and the first contact, with nothing to keep
// threads apart. The initialisation of a static variable does.
bool FillTables() {
  b2World world({0.0F, 0.0F});
  b2BodyDef definition;
  definition.type = b2_dynamicBody;
  for (int i = 0; i < 2; ++i) {
    World::AddFixture(*world.CreateBody(&definition), Rectangle(1.0, 1.0), {.density = 1.0});
  }
  world.Step(0.02F, 1, 1);
  return true;
}

}  // namespace

World::World() { [[maybe_unused]] static const bool filled = FillTables(); }

void World::Clear(double gravity) { world_.emplace(Vector(0.0, gravity)); }

b2Body* World::AddBody(b2BodyType type, const b2Vec2& position, double angle) {
  b2BodyDef definition;
  definition.type = type;
  definition.position = position;
  definition.angle = static_cast<float>(angle);
  return world_->CreateBody(&definition);
}

b2Fixture* World::AddFixture(b2Body& body, const b2Shape& shape, const Material& material) {
  b2FixtureDef definition;
  definition.shape = &shape;
  definition.density = static_cast<float>(material.density);
  definition.friction = static_cast<float>(material.friction);
  definition.restitution = static_cast<float>(material.restitution);
  definition.filter.categoryBits = material.category;
  definition.filter.maskBits = material.collides_with;
  return body.CreateFixture(&definition);
}

b2RevoluteJoint* World::AddHinge(const Hinge& hinge) {
  b2RevoluteJointDef definition;
  definition.bodyA = hinge.a;
  definition.bodyB = hinge.b;
  definition.localAnchorA = hinge.anchor_a;
  definition.localAnchorB = hinge.anchor_b;
  definition.referenceAngle =
      static_cast<float>(double{hinge.b->GetAngle()} - double{hinge.a->GetAngle()});
  definition.enableMotor = true;
  definition.maxMotorTorque = static_cast<float>(hinge.torque);
  definition.motorSpeed = static_cast<float>(hinge.speed);
  definition.enableLimit = true;
  definition.lowerAngle = static_cast<float>(hinge.lower);
  definition.upperAngle = static_cast<float>(hinge.upper);
  return static_cast<b2RevoluteJoint*>(world_->CreateJoint(&definition));
}

std::vector<std::int32_t> World::FreeNodes() const {
  const b2DynamicTree& tree = world_->GetContactManager().m_broadPhase.m_tree;
  std::vector<std::int32_t> nodes;
  for (int32 node = tree.m_freeList; node != b2_nullNode; node = tree.m_nodes[node].next) {
    nodes.push_back(node);
  }
  return nodes;
}

void World::SetFreeNodes(std::span<const std::int32_t> nodes) {
  std::vector<std::int32_t> sorted(nodes.begin(), nodes.end());
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != static_cast<std::int32_t>(i)) {
      throw std::invalid_argument("the state's tree of shapes is damaged");
    }
  }
  if (nodes.empty()) throw std::invalid_argument("the state's tree of shapes is empty");
  // The tree has no other way to grow than to be filled.
  auto& tree = const_cast<b2DynamicTree&>(world_->GetContactManager().m_broadPhase.m_tree);
  std::vector<int32> taken;
  while (tree.m_nodeCapacity < static_cast<int32>(nodes.size()))
    taken.push_back(tree.AllocateNode());
  for (const int32 node : taken) tree.FreeNode(node);
  if (tree.m_nodeCapacity != static_cast<int32>(nodes.size())) {
    throw std::invalid_argument("the state's tree of shapes has an impossible size");
  }
  tree.m_freeList = nodes.front();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    tree.m_nodes[nodes[i]].next = i + 1 < nodes.size() ? nodes[i + 1] : b2_nullNode;
  }
}

}  // namespace envpool::box2d
