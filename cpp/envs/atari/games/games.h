// The lists of games that the files of this folder have, and what their rows are written with.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <vector>

#include "atari/game.h"

namespace envpool::atari {

std::vector<Game> GamesAToB();
std::vector<Game> GamesCToE();
std::vector<Game> GamesFToJ();
std::vector<Game> GamesKToM();
std::vector<Game> GamesNToR();
std::vector<Game> GamesS();
std::vector<Game> GamesTToZ();

// Returns the numbers from the first one to the last one.
inline std::vector<int> Range(int first, int last, int step = 1) {
  std::vector<int> numbers;
  for (int number = first; number <= last; number += step) numbers.push_back(number);
  return numbers;
}

inline std::vector<Action> Times(std::size_t times, Action action) {
  return std::vector<Action>(times, action);
}

// Returns the actions of all parts, one part after the other.
inline std::vector<Action> Join(std::initializer_list<std::vector<Action>> parts) {
  std::vector<Action> actions;
  for (const auto& part : parts) actions.insert(actions.end(), part.begin(), part.end());
  return actions;
}

// Returns the digit, which is 10 where nothing is shown.
inline int ShownDigit(int digit) { return digit == 10 ? 0 : digit; }

// Returns the number whose decimal digits are the lower ones of these bytes, the last one first.
inline int LowerDigits(const Memory& memory, int address, int digits) {
  int number = 0;
  for (int place = digits - 1; place >= 0; --place) {
    number = 10 * number + ShownDigit(Memory::LowerDigit(memory[address + place]));
  }
  return number;
}

}  // namespace envpool::atari
