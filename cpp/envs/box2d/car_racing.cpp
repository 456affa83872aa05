// CarRacing: drive around a track, seen from above.
//
// Follows gymnasium/envs/box2d/car_racing.py operation by operation; the pictures are in
// car_racing_picture.cpp. Its world outlives the episodes.
#include <array>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "box2d/car_racing_picture.h"
#include "box2d/episode.h"
#include "box2d/race_car.h"
#include "box2d/race_track.h"
#include "box2d/together.h"
#include "box2d/world.h"
#include "envpool/family.h"

namespace envpool::box2d {
namespace {

constexpr int kChoices = 5;  // none, right, left, gas, brake

using Colour = std::array<double, 3>;  // red, green, blue, 0 to 255

struct Colours {
  Colour road = {102, 102, 102};
  Colour background = {102, 204, 102};
  Colour grass = {102, 230, 102};

  void Serialize(Archive& archive) {
    for (Colour* colour : {&road, &background, &grass}) archive.Range(*colour, 0, 230);
  }

  static Colours Draw(Random& random) {
    Colours colours;
    for (double& part : colours.road) part = random.Uniform(0.0, 210.0);
    for (double& part : colours.background) part = random.Uniform(0.0, 210.0);
    colours.grass = colours.background;
    colours.grass[static_cast<std::size_t>(random.Integers(3))] += 20;
    return colours;
  }
};

// A piece of the road. Its body has it as user data.
struct Tile {
  b2Body* body = nullptr;
  std::size_t polygon = 0;  // where it is in the picture's road
  bool was_visited = false;
};

// How far an episode is.
struct Race {
  double time = 0.0;
  double reward = 0.0;        // of the episode
  double shown_reward = 0.0;  // in the observation, which is drawn before the step's cost
  double last_reward = 0.0;
  std::size_t visited = 0;  // tiles
  bool has_new_lap = false;
  bool has_finished_lap = false;
};

// The options that may change while an episode goes on: from the next reset on.
struct RaceSettings {
  bool has_random_colours = false;
  double lap_complete_percent = 0.0;

  bool operator==(const RaceSettings&) const = default;
  void Serialize(Archive& archive) { archive(has_random_colours, lap_complete_percent); }
};

class CarRacing final : public WorldEnv, private b2ContactListener {
 public:
  explicit CarRacing(const Options& options)
      : continuous_(options.Flag("continuous")),
        episode_(3, continuous_ ? 0 : kChoices,
                 {.has_random_colours = options.Flag("domain_randomize"),
                  .lap_complete_percent = options.Number("lap_complete_percent")}) {
    world_.Clear(0.0);
  }

  static Spec MakeSpec(const Options& options) {
    return {.observation = {Box("obs", DType::kUInt8, {kStateSize, kStateSize, 3}, {0}, {255})},
            .action = {options.Flag("continuous")
                           ? Box("action", DType::kFloat32, {3}, {-1, 0, 0}, {1, 1, 1})
                           : Discrete("action", kChoices)},
            .info = {MultiBinary("lap_finished", {})}};
  }

  void Reset(Random& random, const Options& options) override {
    Clear();
    start_colours_ = colours_;
    episode_.Begin(random, world_.FreeNodes());
    draws_colours_ = episode_.StartSettings().has_random_colours && options.Flag("randomize");
    Build(random);
  }

  StepResult Step(const Action& action, Random&) override { return Advance(episode_.Add(action)); }
  World& GetWorld() override { return world_; }

  void Observe(const Row& row) const override {
    DrawState(MakeScene(race_.shown_reward), row.Observation<std::uint8_t>());
    row.Info<bool>()[0] = race_.has_finished_lap;
  }

  void Render(const Frame& frame) override {
    if (frame.camera != -1) {
      throw std::invalid_argument("camera_id is " + std::to_string(frame.camera) +
                                  ", expected -1, its only view");
    }
    std::vector<SkidMark> marks;
    for (const auto& trail : car_.Trails()) {
      marks.push_back(
          {trail->points, trail->is_on_grass ? MakePixel(102, 102, 0) : MakePixel(0, 0, 0)});
    }
    CarRacingScene scene = MakeScene(race_.reward);
    scene.skid_marks = marks;
    DrawVideo(scene, frame.width, frame.height, frame.pixels);
  }

  bool HasBegun() const override { return episode_.HasBegun(); }

  void Serialize(Archive& archive) override {
    archive(episode_, start_colours_, draws_colours_);
    if (!archive.IsReader()) return;
    Forget();
    colours_ = start_colours_;
    if (!episode_.HasBegun()) return;
    world_.SetFreeNodes(episode_.FreeNodes());
    Random random = episode_.StartRandom();
    Build(random);
    for (std::size_t i = 0; i < episode_.Steps(); ++i) Advance(episode_.ActionOf(i));
  }

 private:
  void Clear();
  void Forget();
  void Build(Random& random);
  void AddRoad(const RaceTrack& track);
  void Simulate();
  StepResult Advance(std::span<const float> action);
  CarRacingScene MakeScene(double reward) const;
  void Touch(b2Contact& contact, bool begins);
  void Visit(Tile& tile);
  void BeginContact(b2Contact* contact) override { Touch(*contact, true); }
  void EndContact(b2Contact* contact) override { Touch(*contact, false); }

  const bool continuous_;

  World world_;
  bool is_damaged_ = false;  // an exception has left the world in disorder
  Episode<RaceSettings> episode_;
  Colours start_colours_;       // before the reset
  bool draws_colours_ = false;  // true if the reset draws new ones
  Colours colours_;
  std::vector<Tile> tiles_;
  std::vector<RoadPolygon> road_;
  RaceCar car_;
  Race race_;
};

// Destroys all bodies in Gymnasium's order, which the order of the next episode's contacts depends
// on.
void CarRacing::Clear() {
  if (is_damaged_) return Forget();
  world_->SetContactListener(nullptr);
  if (tiles_.empty()) return;
  for (const Tile& tile : tiles_) world_->DestroyBody(tile.body);
  car_.Destroy(world_);
  tiles_.clear();
}

// Begins with a new world.
void CarRacing::Forget() {
  is_damaged_ = true;
  tiles_.clear();
  world_.Clear(0.0);
  is_damaged_ = false;
}

void CarRacing::Build(Random& random) {
  is_damaged_ = true;
  world_->SetContactListener(this);
  race_ = {};
  if (draws_colours_) colours_ = Colours::Draw(random);
  const RaceTrack track = RaceTrack::Generate(random);
  AddRoad(track);
  const RaceTrack::Point& start = track.points.front();
  car_.Build(world_, start.beta, start.x, start.y);
  Simulate();
}

void CarRacing::AddRoad(const RaceTrack& track) {
  tiles_.assign(track.tiles.size(), {});
  road_.clear();
  for (std::size_t i = 0; i < tiles_.size(); ++i) {
    const RaceTrack::Tile& tile = track.tiles[i];
    std::array<b2Vec2, 4> corners;
    for (std::size_t k = 0; k < 4; ++k) corners[k] = Vector(tile.corners[k].x, tile.corners[k].y);
    b2Body* body = world_.AddBody(b2_staticBody);
    World::AddFixture(*body, Polygon(corners), {})->SetSensor(true);
    body->SetUserData(&tiles_[i]);
    tiles_[i] = {.body = body, .polygon = road_.size()};
    Colour colour = colours_.road;
    for (double& part : colour) part += 0.01 * static_cast<double>(i % 3) * 255;
    road_.push_back({tile.corners, MakePixel(colour)});
    for (const RaceTrack::Border& border : tile.border) {
      road_.push_back(
          {border.corners, border.is_white ? MakePixel(255, 255, 255) : MakePixel(255, 0, 0)});
    }
  }
}

void CarRacing::Simulate() {
  is_damaged_ = true;
  car_.Drive();
  world_.Step();
  is_damaged_ = false;
  race_.time += 1.0 / kFramesPerSecond;
  race_.shown_reward = race_.reward;
}

StepResult CarRacing::Advance(std::span<const float> action) {
  if (continuous_) {
    car_.Steer(-double{action[0]});
    car_.Accelerate(action[1]);
    car_.Brake(action[2]);
  } else {
    car_.Steer(action[0] == 1.0F ? -0.6 : (action[0] == 2.0F ? 0.6 : 0.0));
    car_.Accelerate(action[0] == 3.0F ? 0.2 : 0.0);
    car_.Brake(action[0] == 4.0F ? 0.8 : 0.0);
  }
  Simulate();
  race_.reward -= 0.1;
  const double reward = race_.reward - race_.last_reward;
  race_.last_reward = race_.reward;
  const b2Vec2 position = car_.Hull().GetPosition();
  race_.has_finished_lap = race_.visited == tiles_.size() || race_.has_new_lap;
  if (std::abs(double{position.x}) > RaceTrack::kPlayfield ||
      std::abs(double{position.y}) > RaceTrack::kPlayfield) {
    race_.has_finished_lap = false;
    return {.reward = -100.0, .terminated = true};
  }
  return {.reward = reward, .terminated = race_.has_finished_lap};
}

BodyPose PoseOf(const b2Body& body) {
  const b2Transform& transform = body.GetTransform();
  return {transform.p.x, transform.p.y, transform.q.s, transform.q.c};
}

CarRacingScene CarRacing::MakeScene(double reward) const {
  const b2Body& hull = car_.Hull();
  CarRacingScene scene;
  scene.time = race_.time;
  scene.reward = reward;
  scene.background = MakePixel(colours_.background);
  scene.grass = MakePixel(colours_.grass);
  scene.road = road_;
  scene.hull = PoseOf(hull);
  scene.hull_angle = hull.GetAngle();
  scene.hull_velocity_x = hull.GetLinearVelocity().x;
  scene.hull_velocity_y = hull.GetLinearVelocity().y;
  scene.hull_angular_velocity = hull.GetAngularVelocity();
  for (std::size_t i = 0; i < scene.wheels.size(); ++i) {
    const Wheel& wheel = car_.Wheels()[i];
    scene.wheels[i] = {PoseOf(*wheel.body), wheel.omega, wheel.phase};
  }
  scene.steering_angle = car_.Wheels()[0].joint->GetJointAngle();
  return scene;
}

void CarRacing::Touch(b2Contact& contact, bool begins) {
  b2Body* road = contact.GetFixtureA()->GetBody();
  b2Body* other = contact.GetFixtureB()->GetBody();
  if (road->GetType() != b2_staticBody) std::swap(road, other);
  if (road->GetType() != b2_staticBody) return;
  Tile& tile = *static_cast<Tile*>(road->GetUserData());
  road_[tile.polygon].colour = MakePixel(colours_.road);
  auto* wheel = static_cast<Wheel*>(other->GetUserData());  // the hull has none
  if (wheel == nullptr) return;
  wheel->tiles += begins ? 1 : -1;
  if (begins && !tile.was_visited) Visit(tile);
}

void CarRacing::Visit(Tile& tile) {
  const auto size = static_cast<double>(tiles_.size());
  tile.was_visited = true;
  race_.reward += 1000.0 / size;
  ++race_.visited;
  const bool is_first = &tile == tiles_.data();
  const double share = static_cast<double>(race_.visited) / size;
  if (is_first && share > episode_.StartSettings().lap_complete_percent) race_.has_new_lap = true;
}

[[maybe_unused]] const bool registered = Register({
    .name = "CarRacing",
    .options = {{"lap_complete_percent", 0.95, "share of the tiles to visit for a lap, 0 to 1",
                 kAnyNumber},
                {"domain_randomize", false, "other colours in each episode"},
                {"continuous", true, "steer, gas and brake instead of five actions"}},
    .reset_options = {{"randomize", true, "draw new colours, if domain_randomize"}},
    .spec = CarRacing::MakeSpec,
    .create = Create<CarRacing>,
    .memory = [](const Options&) { return kRaceBytes; },
    .step_together = StepTogether,
    .frame_size = [](const Options&) { return FrameSize{kVideoWidth, kVideoHeight}; },
    .render_fps = [](const Options&) { return kFramesPerSecond; },
});

}  // namespace
}  // namespace envpool::box2d
