#include "gfootball/actions.h"

#include <algorithm>
#include <array>

namespace envpool::gfootball {
namespace {

constexpr int kDirections = 8;
constexpr std::array kDefault = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 18, 20, 30, 14, 19, 31};
constexpr int kBuiltinAi = 32;
constexpr std::array kRest = {13, 15, 16, 17, 21, 22, 23, 24, 25, 26, 27, 28, 29};
// The directions, sprint, dribble, keeper_rush, pressure and team_pressure.
constexpr std::array kSticky = {1, 2, 3, 4, 5, 6, 7, 8, 18, 19, 13, 15, 16};

}  // namespace

std::vector<int> ActionSet(const std::string& name) {
  std::vector<int> actions(kDefault.begin(), kDefault.end());
  if (name != "default") actions.push_back(kBuiltinAi);
  if (name == "full") actions.insert(actions.end(), kRest.begin(), kRest.end());
  return actions;
}

std::vector<int> StickyActions(const std::vector<int>& action_set) {
  std::vector<int> sticky;
  std::ranges::copy_if(action_set, std::back_inserter(sticky), [](int action) {
    return std::ranges::find(kSticky, action) != kSticky.end();
  });
  return sticky;
}

int TurnedAction(int action) {
  if (action < kLeft || action >= kLeft + kDirections) return action;
  return kLeft + (action - kLeft + kDirections / 2) % kDirections;
}

}  // namespace envpool::gfootball
