// DrivingEnv: what all environments have in common, as in highway_env/envs/common/abstract.py.
//
// An environment is a class that derives from this one, with an EnvType that Driving makes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "envpool/env.h"
#include "envpool/env_type.h"
#include "highway/configurable_env.h"
#include "highway/controls.h"
#include "highway/driving_options.h"
#include "highway/observations/types.h"
#include "highway/traffic.h"

namespace envpool::highway {

// A part of a reward: its name in info["rewards"], and as what it is there. Its weight is the
// option of the same name, if there is one.
struct Term {
  const char* name;
  DType dtype = DType::kFloat64;
};

// What kind of environment it is, beside its options.
struct Scenario {
  // Observations of float64, if they are none of the Observation types; by their names.
  std::vector<Field> observation = {};
  std::vector<Term> terms = {};
  bool has_infos = true;
  bool has_success = false;  // true if there is info["is_success"]
  bool has_agents = false;   // true if there are infos of each controlled vehicle
  bool has_players = false;  // true if each controlled vehicle has a player of its own
  // Throws std::invalid_argument for options that do not go together; may be left out.
  void (*check)(const Options& options) = nullptr;
};

// What an option of an environment is unless a task says otherwise; of those that all have.
struct DrivingDefaults {
  int simulation_frequency = 15;
  int policy_frequency = 1;
  std::optional<ObservationDefaults> observation = ObservationDefaults();
  ControlDefaults action = {};
  bool has_drivers = true;  // true if there can be others than upstream's usual ones
  int screen_width = 600;
  int screen_height = 150;
  std::vector<double> centering_position = {0.3, 0.5};
  double scaling = 5.5;
};

class DrivingEnv : public Env {
 public:
  void Reset(Random& random, const Options& options) override;
  StepResult Step(const Action& action, Random& random) override;
  void Observe(const Row& row) const override;
  int NumPlayers() const override { return has_players_ ? players_ : 1; }
  double PlayerReward(int player) const override {
    return rewards_agents_ ? JudgeAgent(player).reward : reward_;
  }
  bool HasBegun() const override { return !traffic_.vehicles.empty(); }
  void Serialize(Archive& archive) override;
  Scene Describe() const override;

  static std::vector<OptionSpec> OptionsOf(const DrivingDefaults& defaults);
  static Spec SpecOf(const Options& options, const Scenario& scenario);
  static std::size_t MemoryOf(const Options& options);

 protected:
  DrivingEnv(const Options& options, const Scenario& scenario);

  // Puts the vehicles on the roads, which are empty; the network is there.
  virtual void Populate() = 0;

  // Says what has become of the last step: fills `terms_` and `is_success_`, and returns the rest.
  virtual StepResult Judge() = 0;

  // Of several players: what has become of one of them.
  struct AgentResult {
    double reward = 0.0;
    bool is_done = false;
  };
  virtual AgentResult JudgeAgent(int /*player*/) const { return {}; }

  // Fills `numbers_`, if the scenario has observations of its own.
  virtual void ObserveNumbers() {}

  // Does what comes in a step after it was observed.
  virtual void FinishStep() {}

  // Transfers what Populate and Judge change beside the members below.
  virtual void SerializeMore(Archive& /*archive*/) {}

  // Adds up the terms by their weights, in upstream's order.
  double WeightedSum() const;
  double Number(const char* name) const { return options_.Number(name); }
  int Whole(const char* name) const { return static_cast<int>(options_.Integer(name)); }
  Interval Range(const char* name) const { return IntervalOf(options_, name); }
  int Players() const { return players_; }
  double SecondsPerFrame() const { return seconds_per_frame_; }

  bool IsTimeOver() const { return time_ >= duration_; }
  Vehicle& Self() { return traffic_.Player(); }
  const Vehicle& Self() const { return traffic_.Player(); }
  // True if the last action was to change the lane.
  bool WasLaneChange() const;
  // Makes a vehicle that follows actions, without putting it on the road.
  Vehicle MakePlayer(Point position, double heading, double speed) const;
  // Goes on until the next action; none is what vehicles were told already.
  void Simulate(const Action* action);
  Vehicle& Add(Vehicle vehicle) {
    traffic_.vehicles.push_back(std::move(vehicle));
    return traffic_.vehicles.back();
  }
  // Adds a driver at so many m along a lane.
  Vehicle& AddDriver(LaneIndex lane, double longitudinal, double speed) {
    return Add(traffic_.MakeOnLane(Kind::kDriver, lane, longitudinal, speed));
  }

  const Options options_;
  const Controls controls_;
  Traffic traffic_;
  Random* random_ = nullptr;     // of the Reset or Step that runs
  std::vector<double> terms_;    // of the reward, without weights
  std::vector<float> action_;    // the last one
  bool is_success_ = false;      // info["is_success"]
  std::vector<double> numbers_;  // an observation, field by field

 private:
  void ObserveNow();

  static std::vector<Field> ObservationOf(const Options& options, const Scenario& scenario);

  const Scenario scenario_;
  std::vector<double> weights_;
  const bool has_players_;
  const bool rewards_agents_;
  const int players_;
  const int frames_;  // of the simulation in a step
  const double seconds_per_frame_;
  const double seconds_per_step_;
  const double duration_;
  double time_ = 0.0;  // s
  bool has_acted_ = false;
  double reward_ = 0.0;
  std::unique_ptr<Observation> observation_;  // none if the scenario has its own
};

// Makes the EnvType of a class that is constructed from options. Its own options precede the
// others.
template <class T>
EnvType Driving(const char* name, std::vector<OptionSpec> own, const DrivingDefaults& defaults,
                const Scenario& scenario) {
  const auto of_resets =
      std::make_shared<const std::vector<OptionSpec>>(ConfigurableEnv::ResetOptionsOf(own));
  for (OptionSpec& option : DrivingEnv::OptionsOf(defaults)) own.push_back(std::move(option));
  const auto make = [scenario](const Options& options) -> std::unique_ptr<Env> {
    if (scenario.check != nullptr) scenario.check(options);
    return std::make_unique<T>(options, scenario);
  };
  return {
      .name = name,
      .options = std::move(own),
      .reset_options = *of_resets,
      .spec = [scenario](const Options& options) { return DrivingEnv::SpecOf(options, scenario); },
      .create = [of_resets, make](const Options& options) -> std::unique_ptr<Env> {
        return std::make_unique<ConfigurableEnv>(options, of_resets, make);
      },
      .memory = DrivingEnv::MemoryOf,
      .state_version = 3,
      .frame_size =
          [](const Options& options) {
            return FrameSize{static_cast<int>(options.Integer("screen_width")),
                             static_cast<int>(options.Integer("screen_height"))};
          },
      .render_fps =
          [](const Options& options) {
            return 2.0 * static_cast<double>(options.Integer("policy_frequency"));  // upstream's
          },
  };
}

}  // namespace envpool::highway
