// Manipulator: bring a ball or a peg to a place, or insert it into something.
//
// Follows dm_control/suite/manipulator.py.
#include <algorithm>

#include "dm_control/domains/arm_task.h"
#include "dm_control/suite_files.h"
#include "dm_control/xml.h"

namespace envpool::dm_control::manipulator {
namespace {

enum : std::size_t { kObjectPos = ArmTask::kNextKey, kObjectVel, kTargetPos };

bool UsesPeg(const std::string& task) { return task.ends_with("peg"); }
bool Inserts(const std::string& task) { return task.starts_with("insert"); }

std::string Xml(const std::string& task) {
  Element model = ParseXml(ReadSuiteFile("manipulator.xml"));
  const auto remove = [&model](bool is_unused, const char* body) {
    if (is_unused) model.Remove("body", body);
  };
  const bool uses_peg = UsesPeg(task);
  remove(uses_peg, "ball");
  remove(uses_peg, "target_ball");
  remove(uses_peg || !Inserts(task), "cup");
  remove(!uses_peg, "peg");
  remove(!uses_peg, "target_peg");
  remove(!uses_peg || !Inserts(task), "slot");
  return model.Text();
}

class Manipulator final : public ArmTask {
 public:
  using ArmTask::ArmTask;

 private:
  // In the plane.
  struct Place {
    double x;
    double z;
    double angle;
  };

  void InitializeEpisode(RandomState& random) override {
    DrawUntilNothingTouches([&] {
      RandomizeArm(random);
      const Place target = PlaceTarget(random);
      const Place object = DrawObject(random, target);
      Qpos(object_name_ + "_x") = object.x;
      Qpos(object_name_ + "_z") = object.z;
      Qpos(object_name_ + "_y") = object.angle;
    });
  }

  Place PlaceTarget(RandomState& random) {
    const double x = random.Uniform(-0.4, 0.4);
    const double z = random.Uniform(0.1, 0.4);
    const double most = receptacle_ < 0 ? std::numbers::pi : std::numbers::pi / 3.0;
    const Place target{x, z, random.Uniform(-most, most)};
    if (receptacle_ >= 0) Put(receptacle_, target);
    Put(target_, target);
    return target;
  }

  void Put(int body, const Place& place) {
    BodyPosition(body)[0] = place.x;
    BodyPosition(body)[2] = place.z;
    const std::span<double> rotation = body_quat_.subspan(4 * static_cast<std::size_t>(body), 4);
    rotation[0] = std::cos(place.angle / 2.0);
    rotation[2] = std::sin(place.angle / 2.0);
  }

  Place DrawObject(RandomState& random, const Place& target) {
    enum { kInHand, kInTarget };
    constexpr double kInHandProbability = 0.1;
    constexpr double kInTargetProbability = 0.1;
    const auto begins = random.Choice(std::array{kInHandProbability, kInTargetProbability,
                                                 1.0 - kInHandProbability - kInTargetProbability});
    if (begins == kInTarget) return target;
    if (begins == kInHand) return InHand();
    const double x = random.Uniform(-0.5, 0.5);
    const double z = random.Uniform(0.0, 0.7);
    const double angle = random.Uniform(0.0, 2.0 * std::numbers::pi);
    Qvel(object_name_ + "_x") = random.Uniform(-5.0, 5.0);
    return {x, z, angle};
  }

  Place InHand() {
    World().AfterReset();
    const int grasp = World().Site("grasp");
    const Vector position = World().SitePosition(grasp);
    const double* const frame = World().Data().site_xmat + 9 * grasp;
    return {position[0], position[2], std::numbers::pi - numerics::Arctan2(frame[6], frame[0])};
  }

  double Reward() override {
    if (!uses_peg_) return Closeness("ball", "target_ball");
    const double grasping =
        (Closeness("peg_grasp", "grasp") + Closeness("peg_pinch", "pinch")) / 2.0;
    const double bringing =
        (Closeness("peg", "target_peg") + Closeness("target_peg_tip", "peg_tip")) / 2.0;
    return std::max(bringing, grasping / 3.0);
  }

  double Closeness(const char* site, const char* other) const {
    return Tolerance(SiteDistance(site, other), {.high = kClose, .margin = kClose * 2.0});
  }

  void WriteObservation(Observation& out) override {
    WriteArm(out);
    Write(out[kObjectPos], Pose(object_));
    Write(out[kObjectVel], std::array{Qvel(object_name_ + "_x"), Qvel(object_name_ + "_z"),
                                      Qvel(object_name_ + "_y")});
    Write(out[kTargetPos], Pose(target_));
  }

  const bool uses_peg_ = UsesPeg(Task());
  const std::string object_name_ = uses_peg_ ? "peg" : "ball";
  const int object_ = World().Body(object_name_.c_str());
  const int target_ = World().Body(uses_peg_ ? "target_peg" : "target_ball");
  // -1: none.
  const int receptacle_ = Inserts(Task()) ? World().Body(uses_peg_ ? "slot" : "cup") : -1;
  const std::span<double> body_quat_ = World().Own(&mjModel::body_quat, 4 * Bodies());
};

[[maybe_unused]] const bool registered = RegisterDomain<Manipulator>({
    .name = "Manipulator",
    .frame_skip = 10,
    .tasks = {"bring_ball", "bring_peg", "insert_ball", "insert_peg"},
    .keys =
        [](const std::string&) {
          std::vector<Key> keys = ArmTask::ArmKeys();
          keys.insert(keys.end(), {{"object_pos", {4}}, {"object_vel", {3}}, {"target_pos", {4}}});
          return CommonKeys(std::move(keys));
        },
    .actuators = ForAll(Symmetric(5)),
    .xml = Xml,
});

}  // namespace
}  // namespace envpool::dm_control::manipulator
