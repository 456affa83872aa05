#include "executor/environments/slot.h"

#include <exception>
#include <stdexcept>

namespace envpool {

void Slot::CountPlayers(int most) {
  const int count = env->NumPlayers();
  const int least = most > 1 ? 0 : 1;  // the only player is always there
  if (count < least || count > most) {
    const std::string range = most > 1 ? "0 to " + std::to_string(most) : "1";
    throw std::logic_error("NumPlayers() is " + std::to_string(count) + ", expected " + range +
                           ": the spec has max_num_players = " + std::to_string(most));
  }
  players = count;
}

void DescribeException(std::string& message) noexcept {
  try {
    try {
      throw;
    } catch (const std::exception& error) {
      message = error.what();
    } catch (...) {
      message = "an exception that is no std::exception";
    }
  } catch (...) {
    message.clear();  // there is no memory for words
  }
}

}  // namespace envpool
