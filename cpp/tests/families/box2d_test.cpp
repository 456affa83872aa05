// Box2D's environments in a pool: threads that share the engine's tables, and snapshots.
#include <string>
#include <string_view>
#include <vector>

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

std::vector<std::byte> Bytes(const Pool& pool, const Delivery& delivery) {
  const Column& column = pool.GetLayout().observation[0];
  const std::byte* first = delivery.block.get() + column.offset;
  return {first, first + delivery.rows * column.row_bytes};
}

class Box2dTest : public testing::TestWithParam<std::string> {
 protected:
  static int Steps() { return GetParam() == "CarRacing" ? 8 : 150; }
  static const EnvType& Type() { return FindType(BOX2D_LIBRARY, GetParam()); }
};

TEST_P(Box2dTest, ThreadsDontChangeResults) {
  Pool one(Type(), Config(Type(), 1));
  Pool four(Type(), Config(Type(), 4));
  EXPECT_EQ(Bytes(one, ResetAll(one)), Bytes(four, ResetAll(four)));
  for (int step = 0; step < Steps(); ++step) {
    ASSERT_EQ(Bytes(one, StepAll(one)), Bytes(four, StepAll(four))) << "step " << step;
  }
}

TEST_P(Box2dTest, GoesOnFromASnapshot) {
  Pool pool(Type(), Config(Type(), 2));
  Pool other(Type(), Config(Type(), 2));
  ResetAll(pool);
  for (int step = 0; step < Steps(); ++step) StepAll(pool);
  const std::vector<std::string> states = pool.GetState(pool.AllIds());
  other.SetState(other.AllIds(), std::vector<std::string_view>(states.begin(), states.end()));
  for (int step = 0; step < Steps(); ++step) {
    ASSERT_EQ(Bytes(pool, StepAll(pool)), Bytes(other, StepAll(other))) << "step " << step;
  }
}

INSTANTIATE_TEST_SUITE_P(AllTypes, Box2dTest,
                         testing::Values("LunarLanderDiscrete", "LunarLanderContinuous",
                                         "BipedalWalker", "CarRacing"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace envpool
