// Swimmer: a chain of links that swims to a target, in a plane.
//
// Follows dm_control/suite/swimmer.py.
#include <array>
#include <charconv>

#include "dm_control/suite_env.h"
#include "dm_control/suite_files.h"
#include "dm_control/xml.h"

namespace envpool::dm_control::swimmer {
namespace {

enum : std::size_t { kJoints, kToTarget, kBodyVelocities };

int LinksOf(const std::string& task) { return task == "swimmer6" ? 6 : 15; }

// The numbers of a text, times this.
std::string Scaled(std::string_view text, double scale) {
  std::string scaled;
  while (!text.empty()) {
    double number = 0.0;
    const char* const end = std::from_chars(text.data(), text.data() + text.size(), number).ptr;
    scaled.append(scaled.empty() ? "" : " ").append(Shortest(number * scale));
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  }
  return scaled;
}

Element Link(const std::string& number, const std::string& range) {
  Element link("body", {{"name", "segment_" + number}, {"pos", "0 .1 0"}});
  link.Add(Element("geom", {{"class", "visual"}, {"name", "visual_" + number}}));
  link.Add(Element("geom", {{"class", "inertial"}, {"name", "inertial_" + number}}));
  link.Add(Element("site", {{"name", "site_" + number}}));
  link.Add(Element("joint", {{"name", "joint_" + number}, {"range", range}}));
  return link;
}

std::string Xml(const std::string& task) {
  Element model = ParseXml(ReadSuiteFile("swimmer.xml"));
  const int links = LinksOf(task);
  const double limit = 360.0 / links;
  const std::string range = Shortest(-limit) + " " + Shortest(limit);
  Element& actuator = model.Add(Element("actuator"));
  Element& sensor = model.Add(Element("sensor"));
  Element& head = model.Find("body", "head");
  Element* parent = &head;
  for (int i = 0; i < links - 1; ++i) {
    const std::string number = std::to_string(i);
    parent = &parent->Add(Link(number, range));
    actuator.Add(Element("motor", {{"name", "motor_" + number}, {"joint", "joint_" + number}}));
    for (const std::string kind : {"velocimeter", "gyro"}) {
      sensor.Add(Element(kind, {{"name", kind + "_" + number}, {"site", "site_" + number}}));
    }
  }
  for (Element& child : head.Children()) {
    if (child.Tag() != "camera" || child.Get("mode") != "trackcom") continue;
    child.Set("pos", Scaled(child.Get("pos"), links / 6.0));
  }
  return model.Text();
}

class Swimmer final : public SuiteEnv {
 public:
  using SuiteEnv::SuiteEnv;

 private:
  void InitializeEpisode(RandomState& random) override {
    RandomizeJoints(random);
    const bool is_close = random.Unit() < 0.2;
    const double size = is_close ? 0.3 : 2.0;
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const double position = random.Uniform(-size, size);
      geom_pos_[3 * static_cast<std::size_t>(target_) + axis] = position;
      light_pos_[3 * static_cast<std::size_t>(light_) + axis] = position;
    }
  }

  double Reward() override {
    const double size = World().Model().geom_size[3 * target_];
    return Tolerance(Norm(NoseToTarget()),
                     {.high = size, .margin = 5.0 * size, .sigmoid = Sigmoid::kLongTail});
  }

  void WriteObservation(Observation& out) override {
    constexpr std::size_t kRoot = 3;  // joints of the head
    Write(out[kJoints], World().Qpos().subspan(kRoot));
    Write(out[kToTarget], NoseToTarget());
    constexpr int kFirst = 12;  // of the sensors, after which each link has six numbers
    const std::span<double> velocities = out[kBodyVelocities];
    for (std::size_t link = 0; link < velocities.size() / 3; ++link) {
      const double* const sensors = World().SensorData(kFirst + 6 * static_cast<int>(link));
      Write(velocities.subspan(3 * link, 3), std::array{sensors[0], sensors[1], sensors[5]});
    }
  }

  // In the head's frame.
  std::array<double, 2> NoseToTarget() const {
    const Vector difference =
        Difference(World().GeomPosition(target_), World().GeomPosition(nose_));
    const Vector local = InFrame(difference, World().BodyFrame(head_));
    return {local[0], local[1]};
  }

  const int head_ = World().Body("head");
  const int nose_ = World().Geom("nose");
  const int target_ = World().Geom("target");
  const int light_ = World().Find(mjOBJ_LIGHT, "target_light");
  const std::span<double> geom_pos_ =
      World().Own(&mjModel::geom_pos, 3 * static_cast<std::size_t>(World().Model().ngeom));
  const std::span<double> light_pos_ =
      World().Own(&mjModel::light_pos, 3 * static_cast<std::size_t>(World().Model().nlight));
};

[[maybe_unused]] const bool registered = RegisterDomain<Swimmer>({
    .name = "Swimmer",
    .frame_skip = 15,
    .tasks = {"swimmer6", "swimmer15"},
    .keys =
        [](const std::string& task) {
          const int links = LinksOf(task);
          return CommonKeys(
              {{"joints", {links - 1}}, {"to_target", {2}}, {"body_velocities", {3 * links}}});
        },
    .actuators = [](const std::string& task) { return Symmetric(LinksOf(task) - 1); },
    .xml = Xml,
});

}  // namespace
}  // namespace envpool::dm_control::swimmer
