// Slot: an environment, and what the executor remembers of it from one request to the next.
//
// Who may touch a slot: while its request is in flight, the worker that claimed it; while it is
// lent to a call, that call; otherwise the caller. The queue (towards the worker) and the batch's
// counter (back) carry the memory from one to the other.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "environments/choices.h"
#include "envpool/archive.h"
#include "envpool/env.h"
#include "loading/pool_config.h"
#include "threads/machine.h"

namespace envpool {

// What an environment's next request does.
enum class Task : std::uint8_t {
  kStep,  // or a reset, if the episode is over
  kReset,
  kObserve,  // nothing: the row shows the environment as it is
  kBlank,    // nothing: the row is of zeros, because no episode has begun, and a reset still comes
  kSurvive,  // a reset, after the environment has failed in its step: see Episodes::Survive
};

// What callers know of an environment.
enum class Status : std::uint8_t {
  kIdle,
  kInFlight,
  kBroken,       // failed, and not reset since
  kEpisodeOver,  // must be reset before it can be stepped; only without auto-reset
  // Lent to a call that takes long:
  kRendering,  // a picture of it is being drawn
  kSaving,     // its state is being read
  kChanging,   // it is being given another state or other options
};

// What each step of an environment touches: one cache line, so that thousands of environments stay
// in the cache. Only the thread that runs the environment writes to it, but for the request of a
// reset.
struct alignas(kCacheLine) Slot {
  std::unique_ptr<Env> env;
  StepResult result;  // of the last request
  double episode_return = 0.0;
  std::int32_t elapsed_step = 0;
  std::int32_t players = 1;
  std::int32_t max_episode_steps = std::numeric_limits<std::int32_t>::max();
  std::int32_t kind = 0;  // see PoolConfig::kinds
  Task next = Task::kReset;
  bool episode_over = true;
  bool continues = false;  // the last episode that ended was not the end of its game
  bool first = false;      // the result is an episode's first, or none of a step at all
  bool failed = false;     // there is no result, see Rare::error; or no state, if one was not read
  bool survived = false;   // it failed in this step, see Rare::error, and was reset: see Episodes

  // Asks the environment how many players there are. Throws std::logic_error if there are more than
  // `most`, the spec's max_num_players, or fewer than there can be.
  void CountPlayers(int most);
};
static_assert(sizeof(Slot) == kCacheLine);

// How an episode ended, or how far it has come. Plain data, also in shared memory.
struct EpisodeEnd {
  double episode_return = 0.0;
  std::int32_t length = 0;
  bool terminated = false;
  bool truncated = false;
  bool continues = false;                  // its game goes on
  bool failed = false;                     // the environment has, in the step after these
  std::optional<std::uint64_t> seed = {};  // see Choices::LastSeed
};

// What only resets, failures and environments that draw random numbers need.
struct Rare {
  Random random;
  std::string error;      // why the last request failed
  EpisodeEnd failed_end;  // where that was, if it was survived
  Choices choices;
  // Of the episode that ended in the step that also started the next one.
  double final_return = 0.0;
  std::int32_t final_elapsed_step = 0;
  std::optional<std::uint64_t> final_seed;
};

void Seed(Slot& slot, Rare& rare, std::uint64_t seed);

// Writes or reads the state of an environment, and what the executor remembers of it.
void Serialize(Slot& slot, Rare& rare, Archive& archive);
// Reads all of a state. Throws what the environment does; what is left is anything then.
void ReadState(Slot& slot, Rare& rare, std::string_view state);
// True if an episode is under way in a state that an environment like this one wrote.
bool HasEpisode(const Slot& slot, std::string_view state);

// The end of the episode that was over in an environment's last request, or how far it has come.
EpisodeEnd EndOf(const Slot& slot, const Rare& rare, AutoresetMode mode);

// Puts what the current exception says into `message`.
void DescribeException(std::string& message) noexcept;

}  // namespace envpool
