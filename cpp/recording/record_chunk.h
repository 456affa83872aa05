// RecordChunk: what happened in a pool for a short time, as the calling threads note it, and as the
// bytes that a recording has of it. Python reads them (python/envpool/recordings/chunks.py).
//
// Actions are noted as they were sent, a call of steps at a time. All else is rare: an episode's
// end, and events, which come before the call that is noted next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "environments/action_store.h"
#include "environments/slot.h"
#include "envpool/dtype.h"

namespace envpool {

// Their numbers are those of the format.
enum class RecordEvent : std::uint8_t {
  kReset = 0,         // was asked for; the generator goes on
  kSeededReset = 1,   // with the seed, 8 bytes
  kResetOptions = 2,  // of the reset that follows, as JSON
  kOptions = 3,       // of the environment, changed by a call, as JSON
  kKeyFrame = 4,      // a snapshot of where it has come to by steps and resets
  kState = 5,         // a snapshot of where it was put in another way
  kLost = 6,          // it was put somewhere, and cannot be saved
  kFailure = 7,       // of its last step or reset; what the exception says, if that is known
  kWorkerEnd = 8,     // its process has ended, and its episode with it; how, in words
  kMade = 9,          // it is another one, which begins with this seed, 8 bytes, or its first one
  kSurvived = 10,     // after a failure: it was reset, and its episode is over
};

class RecordChunk {
 public:
  explicit RecordChunk(std::span<const Field> actions);

  // Are arrays of these types what the chunk has of actions?
  bool Takes(std::span<const ArrayView> actions) const;

  // One action per id. No ids stand for all of them; `players` are how many each of them has, if
  // there can be several.
  void AddSteps(std::span<const std::int32_t> env_ids, std::span<const std::int32_t> players,
                std::span<const ArrayView> actions);
  void AddEnd(std::int32_t env, const EpisodeEnd& end);
  // Without a seed the environment goes on with its random generator.
  void AddReset(std::int32_t env, std::optional<std::uint64_t> seed);
  // Without a seed it has the first one's.
  void AddMade(std::int32_t env, std::optional<std::uint64_t> seed);
  void AddEvent(std::int32_t env, RecordEvent event, std::string_view content = {});

  bool IsEmpty() const { return bytes_ == 0; }
  std::size_t Bytes() const { return bytes_; }  // in memory, about

  // What is in it may be in part; it counts as empty.
  void Discard() { bytes_ = 0; }
  // Empties the chunk, which keeps its memory.
  void Clear();

  std::string Encode() const;

 private:
  void AddSeed(std::int32_t env, RecordEvent event, std::optional<std::uint64_t> seed);

  struct Actions {
    std::size_t elements;  // of one
    // The lower bound, if these are integers with bounds near each other, kept relative to it.
    std::optional<std::int64_t> low;
    DType dtype = DType::kFloat32;
    std::vector<std::uint8_t> values = {};  // as they were sent, or above the lower bound

    void Add(const ArrayView& view);
  };
  struct End : EpisodeEnd {
    std::uint32_t calls_before;
    std::int32_t env;
  };

  struct Event {
    std::uint32_t calls_before;
    std::int32_t env;
    RecordEvent kind;
    std::uint32_t size;  // of its content
  };

  std::size_t bytes_ = 0;
  std::uint32_t calls_ = 0;
  std::vector<std::uint32_t> rows_;  // of each call; 0: all environments
  std::vector<std::int32_t> ids_;    // of calls that have not all
  std::vector<std::int32_t> players_;
  std::vector<Actions> actions_;

  std::vector<End> ends_;

  std::vector<Event> events_;
  std::vector<std::uint8_t> event_bytes_;
};

}  // namespace envpool
