#include "metaworld/sawyer_env.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "envpool/fork_local.h"
#include "envpool/numpy_math.h"
#include "mujoco/model.h"
#include "mujoco/shared_cache.h"

namespace envpool::metaworld {

namespace {

constexpr std::size_t kObservation = 39;
constexpr int kHandSteps = 50;  // until the hand is where it begins
constexpr Quaternion kDown = {1.0, 0.0, 1.0, 0.0};

mujoco::Keys KeysOf(std::size_t one_hot) {
  return {{"obs", {static_cast<int>(kObservation + one_hot)}}};
}

Vector Half(const Vector& sum) { return {sum[0] / 2.0, sum[1] / 2.0, sum[2] / 2.0}; }

// a - b without what is along the fingers, the y axis.
double Aside(const Vector& a, const Vector& b) {
  return Norm(Vector{a[0] - b[0], 0.0, a[2] - b[2]});
}

// Numbers of which one is 1: which of several tasks it is. Throws std::invalid_argument if there is
// no such place.
std::vector<double> OneHot(const Options& options) {
  const std::int64_t index = options.Integer("one_hot_index");
  std::vector<double> numbers(static_cast<std::size_t>(options.Integer("one_hot_size")));
  if (numbers.empty()) return numbers;
  if (std::cmp_greater_equal(index, numbers.size())) {
    throw std::invalid_argument("one_hot_index is " + std::to_string(index) +
                                ", expected less than one_hot_size, which is " +
                                std::to_string(numbers.size()));
  }
  numbers[static_cast<std::size_t>(index)] = 1.0;
  return numbers;
}

}  // namespace

// A world at the end of the movement.
struct SawyerEnv::Ready {
  std::shared_ptr<const mjModel> model;  // keeps the address that the cache goes by
  SawyerWorld::OwnedData data;
};

double Glance::TurnError(const Quaternion& ideal) const {
  Quaternion error;
  for (std::size_t i = 0; i < 4; ++i) error[i] = observation[7 + i] - ideal[i];
  return Norm(error);
}

SawyerEnv::SawyerEnv(const Options& options, const SawyerTask& task)
    : SimulatedEnv(options, "the model of " + task.name, mujoco::LoadModel(task.model),
                   mujoco::Style::kGymnasium),
      task_(task),
      hides_goal_(options.Flag("partially_observable")),
      ends_with_success_(options.Flag("terminate_on_success")),
      one_hot_(OneHot(options)),
      bounds_(task, hides_goal_),
      vectors_(options, task),
      observation_(KeysOf(one_hot_.size()),
                   options.Flag("from_pixels") ? 1 : mujoco::FrameStack(options)) {
  World().Look();
}

// The original resets twice: what the first time leaves behind are the places of bodies in the
// model, among which the hand moves the second time, and the numbers that it has drawn. So the hand
// need not move the first time.
void SawyerEnv::Reset(Random& random, const Options& options) {
  vectors_.Select(random, options);
  if (World().IsDamaged()) {
    World().Reset();
    World().Look();
  }
  Place(random);
  World().Reset();
  PrepareHand();
  Place(random);
  See();
  infos_ = {};
  WriteObservation(poses_, false);
  observation_.Fill();
  NotePicture(true);
}

StepResult SawyerEnv::Step(const Action& action, Random&) {
  const std::span<const float> values = action.Values<float>();
  observation_.Advance();
  MoveMocap(values);
  World().Control()[0] = values[3];
  World().Control()[1] = -values[3];
  World().Step(FrameSkip());
  World().Look();
  const Poses previous = poses_;
  See();
  WriteObservation(previous, true);
  const Outcome outcome = Judge({std::as_const(observation_)[0], values[3]});
  infos_ = outcome.Values();
  NotePicture(false);
  const double success = outcome.success.Value();
  return {.reward = outcome.reward.Value(), .terminated = ends_with_success_ && success == 1.0};
}

void SawyerEnv::MoveMocap(std::span<const float> action) {
  mjData& data = World().Data();
  for (std::size_t i = 0; i < 3; ++i) {
    const float by = static_cast<float>(numpy::Clip(action[i], -1.0, 1.0)) * 0.01F;
    double& position = data.mocap_pos[3 * static_cast<std::size_t>(mocap_) + i];
    position = numpy::Clip(position + by, task_.hand_low[i], task_.hand_high[i]);
  }
  std::ranges::copy(kDown, data.mocap_quat + 4 * mocap_);
}

void SawyerEnv::MoveHand() {
  for (int i = 0; i < kHandSteps; ++i) {
    std::ranges::copy(task_.hand, World().Data().mocap_pos + 3 * mocap_);
    std::ranges::copy(kDown, World().Data().mocap_quat + 4 * mocap_);
    World().Control()[0] = -1.0;
    World().Control()[1] = 1.0;
    World().Step(FrameSkip());
  }
}

void SawyerEnv::Place(Random& random) {
  const Drawn drawn = DrawApart(random);
  object_start_ = drawn.first;
  target_ = drawn.last;
  SetObject(object_start_);
  World().MoveSite("goal", target_);
}

void SawyerEnv::PrepareHand() {
  using Key = std::tuple<const mjModel*, std::int64_t, Vector>;
  static constinit ForkLocal<mujoco::SharedCache<Key, const Ready>> movements;
  if (task_.moves_bodies) {
    MoveHand();
  } else {
    if (ready_ == nullptr) {
      const Key key = {World().Shared().get(), FrameSkip(), task_.hand};
      ready_ = movements.Get().Get(key, [this] {
        MoveHand();
        return std::make_shared<const Ready>(World().Shared(), World().CopyOfData());
      });
    }
    World().CopyData(*ready_->data);
  }
  tcp_start_ = Tcp();
}

void SawyerEnv::See() {
  const SawyerWorld& world = World();
  std::ranges::copy(world.BodyPosition(hand_), poses_.begin());
  const double apart = Distance(world.BodyPosition(right_claw_), world.BodyPosition(left_claw_));
  poses_[3] = numpy::Clip(apart / 0.1, 0.0, 1.0);
  auto out = poses_.begin() + 4;
  for (const Object& object : task_.objects) {
    const bool is_first = &object == &task_.objects.front();
    out = std::ranges::copy(is_first ? ObjectPosition() : PositionOf(object), out).out;
    out = std::ranges::copy(TurnOf(object), out).out;
  }
}

void SawyerEnv::WriteObservation(const Poses& previous, bool clips) {
  const std::span<double> out = observation_[0];
  std::ranges::copy(poses_, out.begin());
  std::ranges::copy(previous, out.begin() + kPoses);
  std::ranges::copy(hides_goal_ ? Vector{} : Target(), out.begin() + 2 * kPoses);
  std::ranges::copy(one_hot_, out.begin() + kObservation);
  if (!clips) return;
  for (std::size_t i = 0; i < kObservation; ++i) {
    out[i] = numpy::Clip(out[i], bounds_.low[i], bounds_.high[i]);
  }
}

Vector SawyerEnv::PositionOf(const Object& object) const {
  const auto [type, name] = object.place;
  const Vector place = type == mjOBJ_BODY   ? World().BodyAt(name)
                       : type == mjOBJ_GEOM ? World().GeomAt(name)
                                            : World().SiteAt(name);
  return object.offset ? place + *object.offset : place;
}

Quaternion SawyerEnv::TurnOf(const Object& object) const {
  const mjData& data = World().Data();
  const auto [type, name] = object.turned;
  switch (object.turn) {
    case Turn::kZeros: return {};
    case Turn::kNone: return {1.0, 0.0, 0.0, 0.0};
    case Turn::kQuaternion: {
      const double* q = data.xquat + 4 * World().Body(name);
      return {q[0], q[1], q[2], q[3]};
    }
    case Turn::kMatrix: break;
  }
  const double* const matrices = type == mjOBJ_BODY   ? data.xmat
                                 : type == mjOBJ_GEOM ? data.geom_xmat
                                                      : data.site_xmat;
  return QuaternionOfMatrix(matrices + 9 * World().Find(type, name));
}

void SawyerEnv::SetState(std::size_t position, std::span<const double> values, std::size_t velocity,
                         std::size_t zeros) {
  std::ranges::copy(values, World().Qpos().subspan(position).begin());
  const std::span<double> rest = World().Qvel().subspan(velocity);
  std::ranges::fill(rest.first(std::min(zeros, rest.size())), 0.0);
  World().Look();
}

Vector SawyerEnv::Tcp() const {
  return Half(World().SitePosition(right_finger_) + World().SitePosition(left_finger_));
}

bool SawyerEnv::Touches(const char* geom) {
  World().Forward();
  const mjData& data = World().Data();
  const auto presses = [&](const char* pad) {
    const int a = World().Geom(pad);
    const int b = World().Geom(geom);
    double force = 0.0;
    for (int i = 0; i < data.ncon; ++i) {
      const mjContact& contact = data.contact[i];
      const auto [one, other] = contact.geom;
      if (!(one == a && other == b) && !(one == b && other == a)) continue;
      // A contact without a force has the place -1, and so that of the last force in Python.
      const int place = contact.efc_address < 0 ? data.nefc - 1 : contact.efc_address;
      if (place >= 0) force += data.efc_force[place];
    }
    return force > 0.0;
  };
  return presses("leftpad_geom") && presses("rightpad_geom");
}

Vector SawyerEnv::NearestAlongX(const Glance& glance, double length) {
  Vector place = glance.Object();
  const double hand = glance.Hand()[0];
  if (std::abs(place[0] - hand) < length / 2.0) place[0] = hand;
  return place;
}

Number SawyerEnv::Closed(const Glance& glance, double most) {
  const Number effort = Number::Float32(glance.effort);
  if (!(effort > 0.0)) return 0.0;
  return effort > most ? Number(most) : effort;
}

Number SawyerEnv::Enclosed(const Glance& glance, const Vector& object, const Grip& grip) const {
  const Vector start = GripStart();
  const auto side = [&](double pad) {
    const double margin = std::abs(std::abs(pad - start[1]) - grip.pad);
    return Tolerance(std::abs(pad - object[1]), {grip.radius, grip.pad}, margin);
  };
  const Number sides = HamacherProduct(side(LeftPad()[1]), side(RightPad()[1]));
  const Vector tcp = Tcp();
  const double margin = DistanceIn(0, 2, start, tcp_start_) - grip.height;
  const Number enclosed =
      HamacherProduct(sides, Tolerance(DistanceIn(0, 2, tcp, object), {0.0, grip.height}, margin));
  const Number gripped = enclosed > 0.97 ? Closed(glance, grip.effort) / grip.effort : 0.0;
  const Number both = HamacherProduct(enclosed, gripped);
  if (grip.density == kHigh) return (both + enclosed) / 2.0;
  if (grip.density != kMedium) return both;
  const double reached = Tolerance(Distance(object, tcp), {0.0, grip.reach},
                                   std::abs(Distance(start, tcp_start_) - grip.reach));
  return (both + reached) / 2.0;
}

double SawyerEnv::SidesEnclosed(const Vector& object, const Interval& bounds) const {
  constexpr double kPad = 0.05;
  const double left = LeftPad()[1];
  const double right = RightPad()[1];
  // The original means where the pads began, but keeps where they are now.
  const auto margin = [&](double pad) { return std::abs(std::abs(object[1] - pad) - kPad); };
  return HamacherProduct(Tolerance(object[1] - right, bounds, margin(right)),
                         Tolerance(left - object[1], bounds, margin(left)));
}

double SawyerEnv::AlignedWith(const Vector& object, double margin) const {
  return Tolerance(Aside(Tcp(), object), {0.0, margin}, Aside(object_start_, tcp_start_) - margin);
}

double SawyerEnv::EnclosedBySides(const Vector& object, double radius, double slack,
                                  double margin) const {
  const double enclosed =
      HamacherProduct(SidesEnclosed(object, {radius, 0.05}), AlignedWith(object, margin));
  const double gripped = enclosed > 0.95 ? SidesEnclosed(object, {radius, radius + slack}) : 0.0;
  return (enclosed + gripped) / 2.0;
}

void SawyerEnv::Observe(const Row& row) const {
  for (std::size_t i = 0; i < infos_.size(); ++i) row.Info<double>(i)[0] = infos_[i];
  row.Info<std::int32_t>(infos_.size())[0] = task_.id;
  constexpr std::size_t kAll[] = {0};
  if (!ObservePictures(row)) observation_.Join(kAll, row.Observation<double>());
}

void SawyerEnv::Serialize(Archive& archive) {
  archive(World());
  archive(observation_);
  archive(vectors_, poses_, object_start_, target_, tcp_start_);
  archive(infos_);
  SerializePictures(archive);
  SerializeMore(archive);
}

}  // namespace envpool::metaworld
