// Stacker: stack boxes at a place.
//
// Follows dm_control/suite/stacker.py.
#include <algorithm>

#include "dm_control/domains/arm_task.h"
#include "dm_control/suite_files.h"
#include "dm_control/xml.h"

namespace envpool::dm_control::stacker {
namespace {

enum : std::size_t { kBoxPos = ArmTask::kNextKey, kBoxVel, kTargetPos };

constexpr int kMostBoxes = 4;

int BoxesOf(const std::string& task) { return task == "stack_2" ? 2 : kMostBoxes; }

std::string NameOf(int box) { return "box" + std::to_string(box); }

std::string Xml(const std::string& task) {
  Element model = ParseXml(ReadSuiteFile("stacker.xml"));
  for (int box = BoxesOf(task); box < kMostBoxes; ++box) model.Remove("body", NameOf(box));
  return model.Text();
}

class Stacker final : public ArmTask {
 public:
  explicit Stacker(const Setup& setup) : ArmTask(setup) {
    for (int box = 0; box < BoxesOf(setup.Task()); ++box) boxes_.push_back(NameOf(box));
  }

 private:
  void InitializeEpisode(RandomState& random) override {
    DrawUntilNothingTouches([&] {
      RandomizeArm(random);
      const std::uint32_t level = random.Integer(static_cast<std::uint32_t>(boxes_.size()));
      BodyPosition(target_)[2] = BoxSize() * (2.0 * level + 1.0);
      BodyPosition(target_)[0] = random.Uniform(-0.37, 0.37);
      for (const std::string& box : boxes_) {
        Qpos(box + "_x") = random.Uniform(0.1, 0.3);
        Qpos(box + "_z") = random.Uniform(0.0, 0.7);
        Qpos(box + "_y") = random.Uniform(0.0, 2.0 * std::numbers::pi);
      }
    });
  }

  double Reward() override {
    double distance = kUnbounded;
    for (const std::string& box : boxes_) {
      distance = std::min(distance, SiteDistance(box.c_str(), "target"));
    }
    const double box_is_close = Tolerance(distance, {.margin = 2.0 * BoxSize()});
    const double hand_is_far = Tolerance(SiteDistance("grasp", "target"), AtLeast(0.1, kClose));
    return box_is_close * hand_is_far;
  }

  void WriteObservation(Observation& out) override {
    WriteArm(out);
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      Write(out[kBoxPos].subspan(4 * i, 4), Pose(World().Body(boxes_[i].c_str())));
      Write(out[kBoxVel].subspan(3 * i, 3),
            std::array{Qvel(boxes_[i] + "_x"), Qvel(boxes_[i] + "_y"), Qvel(boxes_[i] + "_z")});
    }
    const Vector target = World().BodyPosition(target_);
    Write(out[kTargetPos], std::array{target[0], target[2]});
  }

  double BoxSize() const { return World().Model().geom_size[3 * target_geom_]; }

  const int target_ = World().Body("target");
  const int target_geom_ = World().Geom("target");
  std::vector<std::string> boxes_;
};

[[maybe_unused]] const bool registered = RegisterDomain<Stacker>({
    .name = "Stacker",
    .frame_skip = 10,
    .tasks = {"stack_2", "stack_4"},
    .keys =
        [](const std::string& task) {
          const int boxes = BoxesOf(task);
          std::vector<Key> keys = ArmTask::ArmKeys();
          keys.insert(keys.end(),
                      {{"box_pos", {boxes, 4}}, {"box_vel", {3 * boxes}}, {"target_pos", {2}}});
          return CommonKeys(std::move(keys));
        },
    .actuators = ForAll(Symmetric(5)),
    .xml = Xml,
});

}  // namespace
}  // namespace envpool::dm_control::stacker
