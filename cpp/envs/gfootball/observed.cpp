#include "gfootball/observed.h"

#include <algorithm>

#include "gfootball/actions.h"

namespace envpool::gfootball {
namespace {

Vector Turned(const Vector& vector) { return {-vector[0], -vector[1], vector[2]}; }

Sticky Turned(const Sticky& sticky, const std::vector<int>& actions) {
  Sticky turned;
  for (const int action : actions) {
    const auto found = std::ranges::find(actions, TurnedAction(action));
    turned.push_back(sticky[static_cast<std::size_t>(found - actions.begin())]);
  }
  return turned;
}

Team Turned(Team team, const std::vector<int>& sticky_actions) {
  for (double& number : team.positions) number = -number;
  for (double& number : team.directions) number = -number;
  for (Sticky& sticky : team.sticky) sticky = Turned(sticky, sticky_actions);
  return team;
}

}  // namespace

Observed Turned(const Observed& seen, const std::vector<int>& sticky_actions) {
  Observed turned = seen;
  turned.ball = Turned(seen.ball);
  turned.ball_direction = Turned(seen.ball_direction);
  turned.left = Turned(seen.right, sticky_actions);
  turned.right = Turned(seen.left, sticky_actions);
  turned.score = {seen.score[1], seen.score[0]};
  if (seen.ball_owned_team > -1) turned.ball_owned_team = 1 - seen.ball_owned_team;
  return turned;
}

}  // namespace envpool::gfootball
