// The lists of games that the files of this folder have, and what their rows are written with.
#pragma once

#include <cstddef>
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

// Returns the number whose four digits are the lower ones of these bytes, the last digit first. A
// blank is 10.
inline int FourDigits(const Memory& memory, int address) {
  int number = 0;
  for (int place = 3; place >= 0; --place) {
    const int digit = Memory::LowerDigit(memory[address + place]);
    number = 10 * number + (digit == 10 ? 0 : digit);
  }
  return number;
}

}  // namespace envpool::atari
