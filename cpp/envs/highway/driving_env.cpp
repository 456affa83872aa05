#include "highway/driving_env.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <stdexcept>
#include <utility>

namespace envpool::highway {

namespace {

int PlayersOf(const Options& options) {
  return options.Has("controlled_vehicles")
             ? static_cast<int>(options.Integer("controlled_vehicles"))
             : 1;
}

void Append(std::vector<OptionSpec>& to, std::vector<OptionSpec> more) {
  std::ranges::move(more, std::back_inserter(to));
}

constexpr std::int64_t kIdle = 1;  // of discrete actions: to do nothing
// In the order of Drivers.
constexpr const char* kDrivers[] = {"IDMVehicle", "LinearVehicle", "AggressiveVehicle",
                                    "DefensiveVehicle"};

// Writes a number as an info's type has it.
void Write(const Row& row, std::size_t field, DType dtype, double value) {
  switch (dtype) {
    case DType::kBool: row.Info<bool>(field)[0] = value != 0.0; break;
    case DType::kInt64: row.Info<std::int64_t>(field)[0] = static_cast<std::int64_t>(value); break;
    case DType::kFloat32: row.Info<float>(field)[0] = static_cast<float>(value); break;
    default: row.Info<double>(field)[0] = value;
  }
}

}  // namespace

std::vector<OptionSpec> DrivingEnv::OptionsOf(const DrivingDefaults& defaults) {
  std::vector<OptionSpec> options = {
      {"simulation_frequency",
       defaults.simulation_frequency,
       "steps of the simulation in a second",
       {1, 1000}},
      {"policy_frequency", defaults.policy_frequency, "actions in a second", {1, 1000}},
      {"neighbour_vehicles_connected_lanes", false,
       "do drivers see the next vehicle where it is on the lane that continues theirs?"},
  };
  if (defaults.has_drivers) {
    options.push_back({"other_vehicles_type",
                       kDrivers[0],
                       "how others drive: upstream's classes",
                       {},
                       {std::begin(kDrivers), std::end(kDrivers)}});
  }
  if (defaults.observation) Append(options, ObservationOptions(*defaults.observation));
  Append(options, Controls::OptionsOf(defaults.action));
  const Limits kPixels = {1, 10'000};
  Append(options, {{"screen_width", defaults.screen_width, "of pictures, pixels", kPixels},
                   {"screen_height", defaults.screen_height, "of pictures, pixels", kPixels},
                   {"centering_position", defaults.centering_position,
                    "where pictures have the vehicle: parts of their width and height", kFloat32},
                   {"scaling", defaults.scaling, "of pictures, pixels per m", {0.01, 1000}}});
  return options;
}

std::vector<Field> DrivingEnv::ObservationOf(const Options& options, const Scenario& scenario) {
  if (!scenario.observation.empty()) return scenario.observation;
  Require(options.Text("action_type") == "DiscreteMetaAction" ||
              options.Text("observation_type") != "TimeToCollision",
          "action_type is '" + options.Text("action_type") +
              "', expected 'DiscreteMetaAction' with observation_type 'TimeToCollision'");
  return {MakeObservation(options)->MakeField("obs")};
}

Spec DrivingEnv::SpecOf(const Options& options, const Scenario& scenario) {
  if (scenario.check != nullptr) scenario.check(options);
  if (options.Has("reward_speed_range")) IntervalOf(options, "reward_speed_range");
  NumbersOf(options, "centering_position", 2);
  const Controls controls(options);
  const std::vector<Field> observation = ObservationOf(options, scenario);
  if (scenario.has_players) {
    Field seen = observation[0].PerPlayer();
    seen.name = "players.obs";
    Spec spec = {.observation = {seen},
                 .action = {controls.MakeField("players.action").PerPlayer()},
                 .max_num_players = PlayersOf(options)};
    spec.info = {Box("players.speed", DType::kFloat32, {}).PerPlayer(),
                 Box("players.crashed", DType::kBool, {}, {0}, {1}).PerPlayer(),
                 Box("players.reward", DType::kFloat64, {}).PerPlayer(),
                 Box("players.terminated", DType::kBool, {}, {0}, {1}).PerPlayer()};
    return spec;
  }
  Spec spec = {
      .observation_structure = observation.size() > 1 ? Structure::kDict : Structure::kSingle,
      .observation = observation,
      .action = {controls.MakeField("action")}};
  if (!scenario.has_infos) return spec;
  const Field& action = spec.action[0];
  const DType type = controls.IsContinuous() ? DType::kFloat32 : DType::kInt64;
  // EnvPool's speed and upstream's.
  spec.info = {Box("speed", DType::kFloat32, {}), Box("speed_float64", DType::kFloat64, {}),
               Box("crashed", DType::kBool, {}, {0}, {1}),
               Box("action", type, action.shape, action.low, action.high)};
  for (const Term& term : scenario.terms) {
    spec.info.push_back(Box(std::string("rewards.") + term.name, term.dtype, {}));
  }
  if (scenario.has_agents) {
    const std::vector<int> shape = {PlayersOf(options)};
    spec.info.push_back(Box("agents_rewards", DType::kFloat64, shape));
    spec.info.push_back(Box("agents_terminated", DType::kBool, shape, {0}, {1}));
  }
  // What resets lack comes last, as in Gymnasium's vector environments.
  if (scenario.has_success) spec.info.push_back(Box("is_success", DType::kBool, {}, {0}, {1}));
  return spec;
}

std::size_t DrivingEnv::MemoryOf(const Options& options) {
  // Lane-keeping has 5,400 bytes before its first reset, as measured, and the others have more.
  std::size_t bytes = 5400;
  if (options.Has("vehicles_count")) {
    bytes += static_cast<std::size_t>(options.Integer("vehicles_count")) * sizeof(Vehicle);
  }
  if (options.Has("observation_type")) bytes += MakeObservation(options)->MakeField("obs").Bytes();
  return bytes;
}

DrivingEnv::DrivingEnv(const Options& options, const Scenario& scenario)
    : options_(options),
      controls_(options),
      scenario_(scenario),
      has_players_(scenario.has_players),
      rewards_agents_(has_players_ && options.Flag("agents_rewards")),
      players_(PlayersOf(options)),
      frames_(static_cast<int>(options.Integer("simulation_frequency") /
                               options.Integer("policy_frequency"))),
      seconds_per_frame_(1.0 / static_cast<double>(options.Integer("simulation_frequency"))),
      seconds_per_step_(1.0 / static_cast<double>(options.Integer("policy_frequency"))),
      duration_(options.Has("duration") ? options.Number("duration") : 0.0) {
  if (scenario.observation.empty()) observation_ = MakeObservation(options);
  traffic_.target_speeds = controls_.TargetSpeeds();
  if (options.Has("other_vehicles_type")) {
    const auto drivers = std::ranges::find(kDrivers, options.Text("other_vehicles_type"));
    traffic_.drivers = static_cast<Drivers>(drivers - kDrivers);
    if (traffic_.drivers != Drivers::kIdm) traffic_.manners.time_gap = 2.5;
    if (traffic_.drivers > Drivers::kLinear) traffic_.manners.lane_change_gain = 1.0;
  }
  traffic_.looks_beyond_lanes = options.Flag("neighbour_vehicles_connected_lanes");
  for (const Term& term : scenario.terms) {
    weights_.push_back(options.Has(term.name) ? options.Number(term.name) : 0.0);
  }
}

void DrivingEnv::Reset(Random& random, const Options&) {
  random_ = &random;
  traffic_.Clear();
  time_ = 0.0;
  has_acted_ = false;
  action_.assign(static_cast<std::size_t>(controls_.Size() * NumPlayers()), 0.0F);
  Populate();
  if (observation_) observation_->Begin(traffic_, NumPlayers());
  ObserveNow();
  Judge();
}

StepResult DrivingEnv::Step(const Action& action, Random& random) {
  random_ = &random;
  time_ += seconds_per_step_;
  has_acted_ = true;
  controls_.Copy(action, action_);
  Simulate(&action);
  ObserveNow();
  const StepResult result = Judge();
  reward_ = result.reward;
  FinishStep();
  return result;
}

void DrivingEnv::Simulate(const Action* action) {
  for (int frame = 0; frame < frames_; ++frame) {
    if (action != nullptr && frame == 0) {
      for (int player = 0; player < NumPlayers(); ++player) {
        controls_.Act(*action, player, traffic_, traffic_.Player(player));
      }
    }
    traffic_.Act();
    traffic_.Step(seconds_per_frame_);
  }
}

void DrivingEnv::ObserveNow() {
  ObserveNumbers();
  if (observation_) observation_->See(traffic_, NumPlayers(), *random_);
}

void DrivingEnv::Observe(const Row& row) const {
  std::size_t first = 0;
  for (std::size_t i = 0; i < scenario_.observation.size(); ++i) {
    const auto numbers = row.Observation<double>(i);
    std::ranges::copy(std::span(numbers_).subspan(first, numbers.size()), numbers.begin());
    first += numbers.size();
  }
  if (observation_) observation_->Write(row);
  if (!scenario_.has_infos) return;
  if (has_players_) {
    for (int player = 0; player < players_; ++player) {
      const auto place = static_cast<std::size_t>(player);
      const AgentResult agent = JudgeAgent(player);
      row.Info<float>(0)[place] = static_cast<float>(traffic_.Player(player).speed);
      row.Info<bool>(1)[place] = traffic_.Player(player).is_crashed;
      row.Info<double>(2)[place] = agent.reward;
      row.Info<bool>(3)[place] = agent.is_done;
    }
    return;
  }
  row.Info<float>(0)[0] = static_cast<float>(Self().speed);
  row.Info<double>(1)[0] = Self().speed;
  row.Info<bool>(2)[0] = Self().is_crashed;
  if (controls_.IsContinuous()) {
    std::ranges::copy(action_, row.Info<float>(3).begin());
  } else {
    row.Info<std::int64_t>(3)[0] = has_acted_ ? static_cast<std::int64_t>(action_[0]) : kIdle;
  }
  std::size_t field = 4;
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    Write(row, field++, scenario_.terms[i].dtype, terms_[i]);
  }
  if (scenario_.has_agents) {
    for (int player = 0; player < players_; ++player) {
      const AgentResult agent = JudgeAgent(player);
      row.Info<double>(field)[static_cast<std::size_t>(player)] = agent.reward;
      row.Info<bool>(field + 1)[static_cast<std::size_t>(player)] = agent.is_done;
    }
    field += 2;
  }
  if (scenario_.has_success) row.Info<bool>(field)[0] = is_success_;
}

double DrivingEnv::WeightedSum() const {
  double sum = 0.0;
  for (std::size_t i = 0; i < terms_.size(); ++i) sum += weights_[i] * terms_[i];
  return sum;
}

bool DrivingEnv::WasLaneChange() const {
  return has_acted_ && (action_[0] == 0.0F || action_[0] == 2.0F);
}

Vehicle DrivingEnv::MakePlayer(Point position, double heading, double speed) const {
  Vehicle vehicle = traffic_.Make(controls_.VehicleKind(), position, heading, speed);
  vehicle.is_player = true;
  if (!controls_.IsMeta()) controls_.Prepare(vehicle);
  return vehicle;
}

Scene DrivingEnv::Describe() const {
  constexpr double kLinearKind = static_cast<double>(Kind::kLandmark) + 1;  // has its own colour
  Scene scene;
  scene["view"] = {Self().position.x, Self().position.y};
  std::vector<double>& lanes = scene["lanes"];
  for (const Lane& lane : traffic_.network.Lanes()) {
    lanes.insert(lanes.end(), {double(lane.shape), lane.start.x, lane.start.y, lane.end.x,
                               lane.end.y, lane.width, double(lane.lines.left),
                               double(lane.lines.right), lane.amplitude, lane.pulsation, lane.phase,
                               lane.radius, lane.start_phase, lane.end_phase, lane.turn});
  }
  std::vector<double>& things = scene["things"];
  for (const std::vector<Vehicle>* list : {&traffic_.objects, &traffic_.vehicles}) {
    for (const Vehicle& thing : *list) {
      things.insert(things.end(), {thing.kind == Kind::kDriver && traffic_.drivers != Drivers::kIdm
                                       ? kLinearKind
                                       : double(thing.kind),
                                   thing.position.x, thing.position.y, thing.heading, thing.length,
                                   thing.width, thing.steering, double(thing.is_player),
                                   double(thing.is_crashed), double(thing.is_hit)});
    }
  }
  if (observation_ && !has_players_) observation_->Describe(scene);
  return scene;
}

void DrivingEnv::Serialize(Archive& archive) {
  SerializeMore(archive);
  traffic_.Serialize(archive);
  for (const Vehicle& vehicle : traffic_.vehicles) {
    archive.Require(
        vehicle.is_player ? vehicle.kind == controls_.VehicleKind() : IsVehicle(vehicle.kind),
        "a vehicle of another kind");
  }
  for (const Vehicle& object : traffic_.objects) {
    archive.Require(!IsVehicle(object.kind), "an object that is a vehicle");
  }
  const auto is_player = [](const Vehicle& vehicle) { return vehicle.is_player; };
  const auto players = std::ranges::count_if(traffic_.vehicles, is_player);
  archive.Require(traffic_.vehicles.empty() || players == players_, "another number of players");
  const auto seeing = traffic_.vehicles.empty() ? 0 : static_cast<std::size_t>(NumPlayers());
  if (observation_) observation_->Serialize(archive, seeing);
  archive(time_, has_acted_, reward_, terms_, action_, is_success_, numbers_);
  if (traffic_.vehicles.empty()) return;
  archive.Require(terms_.size() == scenario_.terms.size(), "another number of rewards");
  archive.Require(action_.size() == static_cast<std::size_t>(controls_.Size() * NumPlayers()),
                  "another number of actions");
  std::size_t numbers = 0;
  for (const Field& field : scenario_.observation) numbers += field.Elements();
  archive.Require(numbers_.size() == numbers, "an observation of another size");
}

}  // namespace envpool::highway
