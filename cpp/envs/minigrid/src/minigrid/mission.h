// Missions as numbers: each word its place in minigrid's list, or each letter a one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace envpool::minigrid {

// What DictObservationSpaceWrapper makes of a mission.
inline constexpr int kMostWords = 50;
inline constexpr int kWords = 51;  // in the list; a number is 0 after the last word

// Throws std::runtime_error if there are too many words, or one that is not in the list.
void WriteWords(const std::string& mission, std::span<std::int64_t> numbers);

// What FlatObsWrapper makes of it: for each character a row with a one for a to z, space or comma.
inline constexpr std::size_t kMostLetters = 96;
inline constexpr std::size_t kLetters = 28;

// Throws std::runtime_error if it is too long, or has another character.
void WriteLetters(const std::string& mission, std::span<std::uint8_t> ones);

}  // namespace envpool::minigrid
