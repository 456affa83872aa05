// Cartpole: balance one pole or a chain of poles on a cart, or swing it up.
//
// Follows dm_control/suite/cartpole.py.
#include <algorithm>
#include <numbers>

#include "dm_control/suite_env.h"
#include "dm_control/suite_files.h"
#include "dm_control/xml.h"
#include "envpool/numpy_math.h"

namespace envpool::dm_control::cartpole {
namespace {

enum : std::size_t { kPosition, kVelocity };

int PolesOf(const std::string& task) {
  return task == "two_poles" ? 2 : task == "three_poles" ? 3 : 1;
}

std::string Xml(const std::string& task) {
  std::string text = ReadSuiteFile("cartpole.xml");
  const int poles = PolesOf(task);
  if (poles == 1) return text;
  Element model = ParseXml(text);
  Element* parent = &model.Find("body", "pole_1");
  for (int pole = 2; pole <= poles; ++pole) {
    const std::string number = std::to_string(pole);
    Element& child = parent->Add(
        Element("body", {{"name", "pole_" + number}, {"pos", "0 0 1"}, {"childclass", "pole"}}));
    child.Add(Element("joint", {{"name", "hinge_" + number}}));
    child.Add(Element("geom", {{"name", "pole_" + number}}));
    parent = &child;
  }
  const double length = poles;
  model.Find("geom", "floor").Set("pos", "0 0 " + Shortest(1.0 - length - 0.05));
  model.Find("camera", "fixed").Set("pos", "0 " + Shortest(-1.0 - 2.0 * length) + " 1");
  model.Find("camera", "lookatcart").Set("pos", "0 " + Shortest(-2.0 * length) + " 2");
  return model.Text();
}

class Cartpole final : public SuiteEnv {
 public:
  using SuiteEnv::SuiteEnv;

 private:
  void InitializeEpisode(RandomState& random) override {
    const std::span<double> qpos(World().Data().qpos, World().Qpos().size());
    const std::span<double> qvel(World().Data().qvel, World().Qvel().size());
    if (swings_up_) {
      qpos[0] = 0.01 * random.Normal();
      qpos[1] = std::numbers::pi + 0.01 * random.Normal();
      for (double& angle : qpos.subspan(2)) angle = 0.1 * random.Normal();
    } else {
      qpos[0] = random.Uniform(-0.1, 0.1);
      for (double& angle : qpos.subspan(1)) angle = random.Uniform(-0.034, 0.034);
    }
    for (double& velocity : qvel) velocity = 0.01 * random.Normal();
  }

  double Reward() override { return is_sparse_ ? SparseReward() : SmoothReward(); }

  double SparseReward() const {
    double reward = Tolerance(World().Qpos()[0], {.low = -0.25, .high = 0.25});
    for (std::size_t pole = 0; pole < poles_; ++pole) {
      reward *= ToleranceOfElement(Cosine(pole), {.low = 0.995, .high = 1.0});
    }
    return reward;
  }

  double SmoothReward() const {
    const double upright =
        numpy::Sum(poles_, [this](std::size_t pole) { return (Cosine(pole) + 1.0) / 2.0; }) /
        static_cast<double>(poles_);
    const double centered = (1.0 + Tolerance(World().Qpos()[0], {.margin = 2.0})) / 2.0;
    double small_velocity = 1.0;
    for (const double velocity : World().Qvel().subspan(1)) {
      small_velocity = std::min(small_velocity, ToleranceOfElement(velocity, {.margin = 5.0}));
    }
    small_velocity = (1.0 + small_velocity) / 2.0;
    return upright * SmallControl() * small_velocity * centered;
  }

  void WriteObservation(Observation& out) override {
    const std::span<double> position = out[kPosition];
    position[0] = World().Qpos()[0];
    for (std::size_t pole = 0; pole < poles_; ++pole) {
      position[2 * pole + 1] = Cosine(pole);
      position[2 * pole + 2] = World().BodyFrame(BodyOf(pole), 0, 2);
    }
    Write(out[kVelocity], World().Qvel());
  }

  // Returns the cosine of a pole's angle from upright.
  double Cosine(std::size_t pole) const { return World().BodyFrame(BodyOf(pole), 2, 2); }
  static int BodyOf(std::size_t pole) { return static_cast<int>(pole) + 2; }

  const bool swings_up_ = !Is("balance") && !Is("balance_sparse");
  const bool is_sparse_ = Is("balance_sparse") || Is("swingup_sparse");
  const std::size_t poles_ = World().Qvel().size() - 1;
};

[[maybe_unused]] const bool registered = RegisterDomain<Cartpole>({
    .name = "Cartpole",
    .frame_skip = 1,
    .tasks = {"balance", "balance_sparse", "swingup", "swingup_sparse", "two_poles", "three_poles"},
    .keys =
        [](const std::string& task) {
          const int poles = PolesOf(task);
          return CommonKeys({{"position", {1 + 2 * poles}}, {"velocity", {1 + poles}}});
        },
    .actuators = ForAll(Symmetric(1)),
    .xml = Xml,
});

}  // namespace
}  // namespace envpool::dm_control::cartpole
