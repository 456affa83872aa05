// Functions that turn missions into numbers: a word into its place in a list, or a letter into a
// one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace envpool::minigrid {

// MissionLimits tell what a level's missions may be.
struct MissionLimits {
  int bytes = 0;       // unless the option `mission_bytes` says otherwise
  int most_words = 0;  // likewise `max_words_in_mission`; a mission has less
  int words = 0;       // of the list, from its beginning
};

inline constexpr MissionLimits kMiniGridMissions = {.bytes = 96, .most_words = 50, .words = 51};
// The longest mission puts four objects next to others, each of which has a place: 64 words.
inline constexpr MissionLimits kBabyAIMissions = {.bytes = 512, .most_words = 72, .words = 60};

// Writes what DictObservationSpaceWrapper makes of a mission: the numbers of its words, from 1, and
// zeros. Throws std::runtime_error if there are too many words, or one that is not in the list.
void WriteWords(const std::string& mission, std::span<std::int64_t> numbers);

// FlatObsWrapper makes of each character a row with a one for a to z, space or comma.
inline constexpr std::size_t kMostLetters = 96;
inline constexpr std::size_t kLetters = 28;

// Writes what FlatObsWrapper makes of a mission. Throws std::runtime_error if the mission is too
// long, or has another character.
void WriteLetters(const std::string& mission, std::span<std::uint8_t> ones);

}  // namespace envpool::minigrid
