// MuJoCo's environments in a pool: threads, the engine's errors and its warnings.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "loading/family_library.h"
#include "tests/families/family_fixture.h"

namespace envpool {
namespace {

// A cart with a pole, as InvertedPendulum has it, in a world with something more.
std::string WriteModel(const std::string& name, double gear, const std::string& more = "",
                       const std::string& world = "") {
  const std::filesystem::path path = std::filesystem::temp_directory_path() /
                                     ("envpool_" + std::to_string(getpid()) + "_" + name + ".xml");
  std::ofstream(path) << "<mujoco>" << more << R"(
    <worldbody>)" << world
                      << R"(<body name="cart"><joint name="slide" type="slide" axis="1 0 0"/>
      <geom name="cart" size="0.1"/>
      <body name="pole"><joint name="hinge" type="hinge" axis="0 1 0"/>
        <geom name="pole" type="capsule" fromto="0 0 0 0 0 0.6" size="0.05"/></body></body></worldbody>
    <actuator><motor joint="slide" ctrlrange="-1 1" gear=")"
                      << gear << R"("/></actuator></mujoco>)";
  return path.string();
}

const EnvType& InvertedPendulum() { return FindType(MUJOCO_GYM_LIBRARY, "GymInvertedPendulum"); }

class MujocoTest : public testing::Test {
 protected:
  PoolConfig Config(const std::string& model, int num_envs, int num_threads) {
    models_.push_back(model);
    Options options(InvertedPendulum().options);
    options.Set("xml_file", model);
    PoolConfig config = MakeConfig(InvertedPendulum(), num_envs, num_envs, num_threads);
    config.options = {options};
    return config;
  }

  ~MujocoTest() override {
    for (const std::string& model : models_) std::remove(model.c_str());
  }

  std::vector<std::string> models_;
};

TEST_F(MujocoTest, ThreadsShareAModelAndDontChangeResults) {
  constexpr int kEnvs = 16;
  const std::string model = WriteModel("threads", 100);
  ExpectThreadsDontMatter(
      [&](int threads) { return Pool(OfType(InvertedPendulum(), Config(model, kEnvs, threads))); },
      [](Pool& pool, int step) {
        const std::vector<double> actions(kEnvs, step % 7 * 0.3 - 0.9);
        return Observations<double>(pool, StepAll(pool, actions));
      },
      200);
}

TEST_F(MujocoTest, AnErrorOfTheEngineIsTheEnvironmentsOwn) {
  // This model leaves no memory for the contact of pole and floor.
  const std::string model = WriteModel("memory", 100, R"(<size memory="1500"/>)",
                                       R"(<geom name="floor" type="plane" size="1 1 1"/>)");
  Pool pool(OfType(InvertedPendulum(), Config(model, 2, 2)));
  for (int attempt = 0; attempt < 2; ++attempt) {
    const Delivery delivery = ResetAll(pool);
    ASSERT_EQ(delivery.errors.size(), 2U);
    for (const EnvError& error : delivery.errors) {
      EXPECT_NE(error.message.find("MuJoCo: "), std::string::npos) << error.message;
    }
  }
}

}  // namespace
}  // namespace envpool
