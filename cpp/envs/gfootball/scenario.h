// Scenario: how a match begins, and by which rules it is played, as upstream's scenario files say.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace envpool::gfootball {

struct Place {
  double x, y;  // the team plays to the right, whichever it is
  int role;     // the engine's e_PlayerRole
  bool lazy;    // it does nothing by itself
  bool controllable;
};

struct Scenario {
  std::vector<std::pair<std::string, double>> settings;  // of the engine's ScenarioConfig, by name
  std::array<double, 2> ball;
  std::vector<Place> left, right;

  // How many players of a team an agent can control.
  int Controllable(bool is_left) const;
};

std::vector<std::string> ScenarioNames();

// Returns the scenario of an episode, because some scenarios swap the teams from one episode to the
// next. Requires one of the names.
const Scenario& FindScenario(const std::string& name, std::int64_t episode_number);

}  // namespace envpool::gfootball
