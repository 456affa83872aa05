// StartingEngine: the time in which an engine starts, of which there may be many at the same time.
#pragma once

#include <cstddef>

namespace envpool::vizdoom {

class StartingEngine {
 public:
  // An engine is about to start, which needs so many bytes of shared memory. Throws
  // std::runtime_error if there are not as many left: the first use of memory that is not there
  // would end the process.
  explicit StartingEngine(std::size_t shared_bytes);
  ~StartingEngine();
  StartingEngine(const StartingEngine&) = delete;
  StartingEngine& operator=(const StartingEngine&) = delete;

 private:
  const std::size_t shared_bytes_;
};

// Another engine has started. Tells on a terminal how many have, if that goes on for some seconds.
void TellOfStarts();

}  // namespace envpool::vizdoom
