// Upstream's representations "simple115" and "simple115v2", and what "raw" is made of.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "envpool/field.h"
#include "envpool/views.h"
#include "gfootball/observed.h"

namespace envpool::gfootball {

inline constexpr std::size_t kSimple = 115;

// Writes positions, directions, the ball, and who has it. If the places of players are fixed, the
// right team begins at the same place however many there are on the left.
void WriteSimple(const View& view, bool is_fixed, std::span<float> numbers);

// The fields of raw observations, with place for so many players of the agent's own team and of the
// other one.
std::vector<Field> RawFields(std::size_t own_players, std::size_t other_players,
                             std::size_t sticky_actions);

// Writes what one of several agents sees, whose number counts the left and then the right team's.
// Where there is place for more players, zeros follow.
void WriteRaw(const View& view, std::size_t agent, std::size_t agents, const Row& row);

}  // namespace envpool::gfootball
