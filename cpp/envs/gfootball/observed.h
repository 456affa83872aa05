// Observed: what can be seen of a match, as upstream's raw observations have it. Positions are from
// -1 to 1 along the pitch and from -0.42 to 0.42 across it, directions are ways per step.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace envpool::gfootball {

using Vector = std::array<double, 3>;
// Whether each sticky action of an action set goes on.
using Sticky = std::vector<std::uint8_t>;

struct Team {
  std::vector<double> positions, directions;  // x and y of each player
  std::vector<double> tired_factors;          // 0: fresh, 1: exhausted
  std::vector<bool> active, yellow_cards;
  std::vector<std::int32_t> roles;
  std::int32_t designated = -1;  // the player that the team's play is about
  // Of each agent:
  std::vector<std::int32_t> controlled;  // its player, or -1
  std::vector<Sticky> sticky;
};

struct Observed {
  Vector ball, ball_direction, ball_rotation;
  Team left, right;
  std::array<std::int32_t, 2> score;
  std::int32_t game_mode, ball_owned_team, ball_owned_player, steps_left;
};

// A View is what an agent sees: its own team is the left one.
struct View {
  const Observed& seen;
  std::size_t agent;  // of the team

  std::int32_t Active() const { return seen.left.controlled[agent]; }
};

// Returns a match as the right team sees it: turned by 180 degrees. `sticky_actions` are the
// engine's numbers of those that Team::sticky has.
Observed Turned(const Observed& seen, const std::vector<int>& sticky_actions);

}  // namespace envpool::gfootball
