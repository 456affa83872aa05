// Start: where an agent begins, for levels that have this as an option.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "minigrid/level.h"

namespace envpool::minigrid {

inline const OptionSpec start_position = {
    "agent_start_pos", std::vector<std::int64_t>{1, 1},
    "the agent's first column and row; -1, -1 (or None): at random"};
inline const OptionSpec start_direction = {
    "agent_start_dir", 0, "the agent's first direction: 0 right, 1 down, 2 left, 3 up", {-1, 3}};

// Returns a cell within the outer walls, or nothing for (-1, -1). Throws std::invalid_argument.
inline std::optional<Point> CellOf(const Options& options, const char* name, Size size) {
  const auto& numbers = options.Get<std::vector<std::int64_t>>(name);
  if (numbers == std::vector<std::int64_t>{-1, -1}) return std::nullopt;
  const bool is_within = numbers.size() == 2 && 1 <= numbers[0] && numbers[0] <= size.width - 2 &&
                         1 <= numbers[1] && numbers[1] <= size.height - 2;
  if (!is_within) {
    std::string given;
    for (const std::int64_t number : numbers) {
      given.append(given.empty() ? "" : ", ").append(std::to_string(number));
    }
    throw std::invalid_argument(
        std::string(name) + " is (" + given +
        "), expected (-1, -1) or a cell within the walls, from (1, 1) to (" +
        std::to_string(size.width - 2) + ", " + std::to_string(size.height - 2) + ")");
  }
  return Point{static_cast<int>(numbers[0]), static_cast<int>(numbers[1])};
}

// A Start has the values of both options; the direction counts only with a position.
struct Start {
  Start(const Options& options, Size size)
      : position(CellOf(options, "agent_start_pos", size)),
        direction(IntOf(options, "agent_start_dir")) {
    if (position && direction < 0) {
      throw std::invalid_argument("agent_start_dir is -1, expected 0 to 3 with an agent_start_pos");
    }
  }

  const std::optional<Point> position;
  const int direction;
};

}  // namespace envpool::minigrid
