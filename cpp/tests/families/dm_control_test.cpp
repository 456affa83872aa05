// dm_control's environments in a pool, without Python and without dm_control: with a suite of one
// model of ours.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "loading/family_library.h"
#include "tests/families/family_fixture.h"

namespace envpool {
namespace {

namespace fs = std::filesystem;

const EnvType& Pendulum() { return FindType(DM_CONTROL_LIBRARY, "DmcPendulum"); }

class DmControlTest : public testing::Test {
 protected:
  DmControlTest() {
    fs::create_directories(folder_ / "common");
    for (const char* name : {"materials", "skybox", "visual"}) {
      std::ofstream(folder_ / "common" / (std::string(name) + ".xml"))
          << "<mujoco><option/></mujoco>";
    }
    Options settings;
    settings.Set("suite_folder", folder_.string());
    Configure(DM_CONTROL_LIBRARY, settings);
  }
  ~DmControlTest() override { fs::remove_all(folder_); }

  void WriteModel(double gear, const std::string& range = "-1 1") const {
    std::ofstream(folder_ / "pendulum.xml")
        << R"(<mujoco><include file="./common/visual.xml"/>
      <option timestep="0.02"/>
      <worldbody><body name="pole"><joint name="hinge" type="hinge" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 0.5" size="0.05"/></body></worldbody>
      <actuator><motor joint="hinge" ctrllimited="true" gear=")"
        << gear << R"(" ctrlrange=")" << range << R"("/></actuator></mujoco>)";
  }

  const fs::path folder_ =
      fs::temp_directory_path() / ("envpool_suite_" + std::to_string(getpid()));
};

TEST_F(DmControlTest, ThreadsShareAModelAndDontChangeResults) {
  constexpr int kEnvs = 16;
  WriteModel(1.0);
  ExpectThreadsDontMatter(
      [](int threads) {
        return Pool(OfType(Pendulum(), MakeConfig(Pendulum(), kEnvs, kEnvs, threads)));
      },
      [](Pool& pool, int step) {
        const std::vector<double> actions(kEnvs, step % 7 * 0.3 - 0.9);
        return Observations<double>(pool, StepAll(pool, actions));
      },
      200);
}

TEST_F(DmControlTest, AMissingModelIsNamed) {
  const std::string refusal =
      Refusal([] { Pool(OfType(Pendulum(), MakeConfig(Pendulum(), 1, 1, 1))); });
  EXPECT_NE(refusal.find("pendulum.xml"), std::string::npos) << refusal;
}

TEST_F(DmControlTest, AModelWithOtherActuatorsIsRefused) {
  WriteModel(1.0, "-2 2");
  const std::string refusal =
      Refusal([] { Pool(OfType(Pendulum(), MakeConfig(Pendulum(), 1, 1, 1))); });
  EXPECT_NE(refusal.find("other actuators"), std::string::npos) << refusal;
}

}  // namespace
}  // namespace envpool
