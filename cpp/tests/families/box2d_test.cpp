// Box2D's environments in a pool: threads that share the engine's tables, and snapshots.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "box2d/together.h"
#include "box2d/walker_lidar.h"
#include "environments/action_store.h"
#include "tests/families/family_fixture.h"

namespace envpool {
namespace {

constexpr int kEnvs = 8;

PoolConfig Config(const EnvType& type, int num_threads) {
  PoolConfig config = MakeConfig(type, kEnvs, kEnvs, num_threads);
  config.max_episode_steps = 60;
  return config;
}

// Discrete tasks get action 2, which is an engine of the lander; the others get full throttle.
Delivery StepAll(Pool& pool) {
  const std::size_t elements = pool.GetSpec().action[0].Elements() * kEnvs;
  const bool is_float = pool.GetSpec().action[0].dtype == DType::kFloat32;
  return is_float ? StepAll(pool, std::vector<float>(elements, 1.0F))
                  : StepAll(pool, std::vector<std::int32_t>(elements, 2));
}

// The walker's type, with an option that is on for all that are made of it.
EnvType MakeHardcore() {
  EnvType type = FindType(BOX2D_LIBRARY, "BipedalWalker");
  for (OptionSpec& option : type.options) {
    if (option.name == "hardcore") option.default_value = true;
  }
  return type;
}

class Box2dTest : public testing::TestWithParam<std::string> {
 protected:
  static int Steps() { return GetParam() == "CarRacing" ? 8 : 150; }
  static const EnvType& Type() {
    static const EnvType hardcore = MakeHardcore();
    return GetParam() == "Hardcore" ? hardcore : FindType(BOX2D_LIBRARY, GetParam());
  }
  static Pool MakePool(int num_threads) {
    return Pool(OfType(Type(), Config(Type(), num_threads)));
  }
  static std::vector<std::byte> Step(Pool& pool, int) {
    const Delivery delivery = StepAll(pool);
    const Column& column = pool.GetLayout().observation[0];
    const std::byte* first = delivery.block.get() + column.offset;
    return {first, first + delivery.rows * column.row_bytes};
  }
};

TEST_P(Box2dTest, ThreadsDontChangeResults) { ExpectThreadsDontMatter(MakePool, Step, Steps()); }

TEST_P(Box2dTest, GoesOnFromASnapshot) { ExpectSnapshotsGoOn(MakePool, Step, Steps()); }

// An environment, and everything of its world that a solver writes or reads.
class Simulation {
 public:
  Simulation(const EnvType& type, std::uint64_t seed)
      : random(seed), env(type.create(Options(type.options))) {}

  void Reset() { env->Reset(random, Options({{"randomize", true, ""}})); }

  std::vector<float> State() const {
    std::vector<float> state;
    for (b2Body* body = GetWorld()->GetBodyList(); body != nullptr; body = body->GetNext()) {
      const b2Vec2 position = body->GetPosition(), velocity = body->GetLinearVelocity();
      state.insert(state.end(), {position.x, position.y, body->GetAngle(), velocity.x, velocity.y,
                                 body->GetAngularVelocity()});
    }
    for (b2Joint* joint = GetWorld()->GetJointList(); joint != nullptr; joint = joint->GetNext()) {
      const auto& hinge = static_cast<const b2RevoluteJoint&>(*joint);
      state.insert(state.end(),
                   {hinge.m_impulse.x, hinge.m_impulse.y, hinge.m_impulse.z, hinge.m_motorImpulse});
    }
    return state;
  }

  // The number of contacts that touch.
  int Contacts() const {
    int count = 0;
    for (b2Contact* contact = GetWorld()->GetContactList(); contact != nullptr;
         contact = contact->GetNext()) {
      count += contact->IsTouching();
    }
    return count;
  }

  std::vector<b2Body*> StaticBodies() const {
    std::vector<b2Body*> found;
    for (b2Body* body = GetWorld()->GetBodyList(); body != nullptr; body = body->GetNext()) {
      if (body->GetType() == b2_staticBody) found.push_back(body);
    }
    return found;
  }

  void RayCast(b2RayCastCallback& callback, const b2Vec2& from, const b2Vec2& to) const {
    GetWorld()->RayCast(&callback, from, to);
  }

  float VerticalSpeed() const { return Heaviest().GetLinearVelocity().y; }
  float Angle() const { return Heaviest().GetAngle(); }

  Random random;
  std::unique_ptr<Env> env;

 private:
  box2d::World& GetWorld() const { return static_cast<box2d::WorldEnv&>(*env).GetWorld(); }
  const b2Body& Heaviest() const {
    const b2Body* heaviest = GetWorld()->GetBodyList();
    for (const b2Body* body = heaviest; body != nullptr; body = body->GetNext()) {
      if (body->GetMass() > heaviest->GetMass()) heaviest = body;
    }
    return *heaviest;
  }
};

// Draws actions; every second environment is flown gently instead, if it is a lander, so that it
// comes to stand, and to rest, on its legs.
std::vector<float> DrawActions(const std::vector<Simulation>& all, const Field& field, bool flies,
                               Random& random) {
  std::vector<float> actions;
  for (std::size_t env = 0; env < all.size(); ++env) {
    const bool is_gentle = flies && env % 2 == 1;
    const bool falls = all[env].VerticalSpeed() < -0.6F;
    const float turn = all[env].Angle() > 0.05F ? 1.0F : all[env].Angle() < -0.05F ? -1.0F : 0.0F;
    for (std::size_t i = 0; i < field.Elements(); ++i) {
      if (field.space == Space::kDiscrete) {
        const float gentle = falls ? 2.0F : turn > 0.0F ? 3.0F : turn < 0.0F ? 1.0F : 0.0F;
        actions.push_back(is_gentle ? gentle : static_cast<float>(random.Integers(0, 4)));
      } else {
        const float gentle = i == 0 ? (falls ? 0.5F : -1.0F) : turn * 0.6F;
        actions.push_back(is_gentle ? gentle : static_cast<float>(random.Uniform(-1.0, 1.0)));
      }
    }
  }
  return actions;
}

std::vector<Simulation> MakeSimulations(const EnvType& type) {
  std::vector<Simulation> all;
  for (std::uint64_t seed = 0; seed < kEnvs; ++seed) all.emplace_back(type, seed);
  for (Simulation& one : all) one.Reset();
  return all;
}

// Millions of Box2D's solver calls beside ours, and nothing that they leave differs in a bit.
TEST_P(Box2dTest, StepsTogetherAsAlone) {
  std::vector<Simulation> alone = MakeSimulations(Type());
  std::vector<Simulation> together = MakeSimulations(Type());
  const Spec spec = Type().spec(Options(Type().options));
  ActionStore actions(spec.action, kEnvs, 1);
  const Field& field = spec.action[0];
  Random random(1);
  const Ints ids = {0, 1, 2, 3, 4, 5, 6, 7};
  const bool flies = GetParam().starts_with("Lunar");
  const int times = flies || GetParam() == "CarRacing" ? 40 : 15;
  int contacts = 0, ends = 0, rests = 0;
  for (int step = 0; step < times * Steps(); ++step) {
    const std::vector<float> drawn = DrawActions(alone, field, flies, random);
    const std::vector<std::int32_t> choices(drawn.begin(), drawn.end());
    const bool is_float = field.dtype == DType::kFloat32;
    const auto* data = is_float ? reinterpret_cast<const std::byte*>(drawn.data())
                                : reinterpret_cast<const std::byte*>(choices.data());
    actions.Store(0, {data, field.dtype, kEnvs}, ids);
    const auto count = static_cast<std::size_t>(random.Integers(1, kEnvs + 1));
    std::vector<Turn> turns;
    for (std::size_t i = 0; i < count; ++i) {
      turns.push_back({*together[i].env, actions.Get(i, 1), together[i].random});
    }
    Type().step_together(turns);
    for (std::size_t i = 0; i < count; ++i) {
      const StepResult result = alone[i].env->Step(actions.Get(i, 1), alone[i].random);
      ASSERT_FALSE(turns[i].failure);
      ASSERT_EQ(turns[i].result.reward, result.reward) << "step " << step;
      ASSERT_EQ(turns[i].result.terminated, result.terminated);
      const std::vector<float> one = alone[i].State(), other = together[i].State();
      ASSERT_EQ(one.size(), other.size());
      ASSERT_EQ(std::memcmp(one.data(), other.data(), one.size() * sizeof(float)), 0)
          << "step " << step << " environment " << i;
      contacts += alone[i].Contacts() > 0;
      ends += result.terminated;
      rests += result.reward == 100.0;
      if (!result.terminated) continue;
      alone[i].Reset();
      together[i].Reset();
    }
  }
  EXPECT_GT(contacts, 500);
  EXPECT_GT(ends, GetParam() == "CarRacing" ? -1 : 10);
  EXPECT_GT(rests, flies ? 0 : -1);
}

// What Gymnasium's callback keeps of a ray.
struct FirstHit : b2RayCastCallback {
  float ReportFixture(b2Fixture* fixture, const b2Vec2& at, const b2Vec2&, float part) override {
    if (fixture->GetBody()->GetType() != b2_staticBody) return -1.0F;
    is_edge = fixture->GetType() == b2Shape::e_edge;
    point = at;
    fraction = part;
    return part;
  }

  bool is_edge = false;
  b2Vec2 point{-1.0F, -1.0F};
  float fraction = 1.0F;
};

TEST(WalkerLidarTest, SeesWhatBox2dsRaysHit) {
  Random random(1);
  int edges = 0, polygons = 0, misses = 0;
  std::vector<Simulation> simulations = MakeSimulations(FindType(BOX2D_LIBRARY, "BipedalWalker"));
  std::ranges::move(MakeSimulations(MakeHardcore()), std::back_inserter(simulations));
  for (const Simulation& simulation : simulations) {
    box2d::WalkerLidar lidar;
    lidar.SetTerrain(simulation.StaticBodies());
    for (int cast = 0; cast < 5000; ++cast) {
      // Some beyond the ends of the ground, some below it, some right on a corner.
      b2Vec2 from(static_cast<float>(random.Uniform(-3.0, 96.0)),
                  static_cast<float>(random.Uniform(1.0, 12.0)));
      if (cast % 10 == 0) from.x = static_cast<float>(14 / 30.0 * std::floor(from.x / 14 * 30.0));
      lidar.Cast(from);
      for (std::size_t i = 0; i < lidar.kRays; ++i) {
        const double angle = 1.5 * static_cast<double>(i) / 10.0;
        const double x = from.x + std::sin(angle) * (160 / 30.0);
        const double y = from.y - std::cos(angle) * (160 / 30.0);
        FirstHit hit;
        simulation.RayCast(hit, from, {static_cast<float>(x), static_cast<float>(y)});
        const bool is_miss = hit.point.x == -1.0F;
        const auto& ray = lidar.Rays()[i];
        ASSERT_EQ(ray.fraction, hit.fraction)
            << "ray " << i << " from " << from.x << ", " << from.y;
        ASSERT_EQ(ray.to[0], is_miss ? x : hit.point.x);
        ASSERT_EQ(ray.to[1], is_miss ? y : hit.point.y);
        ++(is_miss ? misses : hit.is_edge ? edges : polygons);
      }
    }
  }
  EXPECT_GT(edges, 10000);
  EXPECT_GT(misses, 10000);
  EXPECT_GT(polygons, 10000);
}

INSTANTIATE_TEST_SUITE_P(AllTypes, Box2dTest,
                         testing::Values("LunarLanderDiscrete", "LunarLanderContinuous",
                                         "BipedalWalker", "Hardcore", "CarRacing"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace envpool
