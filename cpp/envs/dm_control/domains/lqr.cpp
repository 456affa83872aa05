// LQR: a chain of masses on springs, to be brought to rest by a motor or two.
//
// Follows dm_control/suite/lqr.py. How stiff the springs are is drawn for each environment, before
// its first episode.
#include <cmath>
#include <vector>

#include "dm_control/suite_env.h"
#include "dm_control/suite_files.h"
#include "dm_control/xml.h"

namespace envpool::dm_control::lqr {
namespace {

int BodiesOf(const std::string& task) { return task == "lqr_2_1" ? 2 : 6; }
int MotorsOf(const std::string& task) { return task == "lqr_2_1" ? 1 : 2; }

Element Body(const std::string& number, bool is_first) {
  Element body("body", {{"name", "body_" + number}, {"pos", is_first ? ".25 0 .1" : ".25 0 0"}});
  body.Add(Element("joint", {{"name", "joint_" + number}, {"stiffness", "20"}, {"damping", "0"}}));
  body.Add(Element("geom", {{"name", "geom_" + number}}));
  body.Add(Element("site", {{"name", "site_" + number}}));
  return body;
}

// Between the sites of two bodies, for pictures.
Element Tendon(const std::string& number, const std::string& next) {
  Element tendon("spatial", {{"name", "tendon_" + number}});
  tendon.Add(Element("site", {{"site", "site_" + number}}));
  tendon.Add(Element("site", {{"site", "site_" + next}}));
  return tendon;
}

std::string Xml(const std::string& task) {
  Element model = ParseXml(ReadSuiteFile("lqr.xml"));
  Element& actuators = model.Add(Element("actuator"));
  Element& tendons = model.Add(Element("tendon"));
  Element* parent = &model.Child("worldbody");
  for (int i = 0; i < BodiesOf(task); ++i) {
    const std::string number = std::to_string(i);
    parent = &parent->Add(Body(number, i == 0));
    if (i < MotorsOf(task)) {
      actuators.Add(Element("motor", {{"name", "motor_" + number}, {"joint", "joint_" + number}}));
    }
    if (i + 1 < BodiesOf(task)) tendons.Add(Tendon(number, std::to_string(i + 1)));
  }
  return model.Text();
}

class Lqr final : public SuiteEnv {
 public:
  using SuiteEnv::SuiteEnv;

 private:
  void InitializeModel(RandomState& random) override {
    for (double& stiffness : stiffness_) {
      stiffness = random.Uniform(15.0, 25.0);
      random.Uniform(0.0, 0.0);  // damping, which is 0
    }
  }

  void InitializeEpisode(RandomState& random) override {
    std::vector<double> unit(World().Qpos().size());
    for (double& element : unit) element = random.Normal();
    const double norm = Norm(unit);
    for (std::size_t i = 0; i < unit.size(); ++i) {
      World().Data().qpos[i] = std::sqrt(2.0) * unit[i] / norm;
    }
  }

  double Reward() override {
    constexpr double kControlCost = 0.1;
    const double state_cost = 0.5 * Dot(World().Qpos(), World().Qpos());
    const double control_cost = 0.5 * Dot(World().Control(), World().Control());
    return 1.0 - (state_cost + control_cost * kControlCost);
  }

  bool HasTerminated() const override {
    std::vector<double> state(World().Qpos().begin(), World().Qpos().end());
    state.insert(state.end(), World().Qvel().begin(), World().Qvel().end());
    return Norm(state) < 1e-6;
  }

  const std::span<double> stiffness_ =
      World().Own(&mjModel::jnt_stiffness, static_cast<std::size_t>(World().Model().njnt));
};

[[maybe_unused]] const bool registered = RegisterDomain<Lqr>({
    .name = "Lqr",
    .frame_skip = 1,
    .tasks = {"lqr_2_1", "lqr_6_2"},
    .keys =
        [](const std::string& task) {
          const int bodies = BodiesOf(task);
          return CommonKeys({{"position", {bodies}}, {"velocity", {bodies}}});
        },
    .actuators = [](const std::string& task) { return Symmetric(MotorsOf(task), mjMAXVAL); },
    .xml = Xml,
});

}  // namespace
}  // namespace envpool::dm_control::lqr
