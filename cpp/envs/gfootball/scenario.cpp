#include "gfootball/scenario.h"

#include <algorithm>
#include <map>

namespace envpool::gfootball {
namespace {

// By the name: for episodes with an even number, and for those with an odd one.
const std::map<std::string, std::array<Scenario, 2>>& All() {
  static const std::map<std::string, std::array<Scenario, 2>> all = {
#include "gfootball/scenarios.inc"  // written by third_party/football/scenarios.py
  };
  return all;
}

}  // namespace

int Scenario::Controllable(bool is_left) const {
  return static_cast<int>(std::ranges::count_if(is_left ? left : right, &Place::controllable));
}

std::vector<std::string> ScenarioNames() {
  std::vector<std::string> names;
  for (const auto& [name, scenarios] : All()) names.push_back(name);
  return names;
}

const Scenario& FindScenario(const std::string& name, std::int64_t episode_number) {
  return All().at(name)[static_cast<std::size_t>(episode_number % 2)];
}

}  // namespace envpool::gfootball
