// RecordChunk: what happened in a pool for a short time, as the calling threads note it, and as the
// bytes that a recording has of it. Python reads them (python/envpool/recordings/chunks.py).
//
// Actions are noted as they were sent, a call of steps at a time. All else is rare: events, an
// episode's end among them, which come before the call that is noted next.
//
// The bytes are columns, each a number of bytes (8 of them) and as many bytes: `rows`, `ids`,
// `players`, `events` and `contents` (see the members below), the DType of each field of the
// actions, as it was sent and as it is kept (a byte each), and a column for each of these fields.
// All numbers are as this machine has them, without gaps.
//
// RecordFile: a recording's file, to which whole chunks are appended.
//
// It begins with "ENVPOOL\n" and the number of the format (8 bytes). A chunk is its size, the
// checksum of what follows (HashOfBytes), the time at which it was written (nanoseconds
// since 1970; all 8 bytes), and its content.
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
  kLost = 6,          // nothing leads to where it is any more; why, in words
  kEnd = 7,           // of an episode, or of the reset that would have begun one; see RecordedEnd
  // What its next episode begins with: seed and options as JSON; then a line's end and a snapshot,
  // if it begins with one.
  kNext = 8,
};

// The content of kEnd. Choices::LastSeed follows it (8 bytes), if there is one.
struct RecordedEnd {
  double episode_return;
  std::int32_t length;
  std::uint32_t flags;  // 1: terminated, 2: truncated, 4: its game goes on, 8: failed
};

class RecordChunk {
 public:
  explicit RecordChunk(std::span<const Field> actions);

  // True if the chunk's action columns have these types.
  bool Takes(std::span<const ArrayView> actions) const;

  // One action per id. No ids stand for all of them; `players` are how many each of them has, if
  // there can be several.
  void AddSteps(std::span<const std::int32_t> env_ids, std::span<const std::int32_t> players,
                std::span<const ArrayView> actions);
  void AddEnd(std::int32_t env, const EpisodeEnd& end);
  // Without a seed the environment goes on with its random generator.
  void AddReset(std::int32_t env, std::optional<std::uint64_t> seed);
  void AddEvent(std::int32_t env, RecordEvent event, std::string_view content = {});

  bool IsEmpty() const { return bytes_ == 0; }
  std::size_t Bytes() const { return bytes_; }  // in memory, about

  // What is in it may be in part; it counts as empty.
  void Discard() { bytes_ = 0; }

  std::string Encode() const;

 private:
  struct Actions {
    std::size_t elements;         // of one
    std::optional<DType> narrow;  // a type of one byte that has all of them, if they are integers
    DType sent_as = DType::kFloat32;
    std::vector<std::uint8_t> values = {};

    DType KeptAs() const { return narrow && !IsFloat(sent_as) ? *narrow : sent_as; }
    void Add(const ArrayView& view);
  };
  // As it is in the file.
  struct Event {
    std::uint32_t calls_before;
    std::int32_t env;
    std::uint32_t kind;  // a RecordEvent
    std::uint32_t size;  // of its content
  };

  std::size_t bytes_ = 0;
  std::uint32_t calls_ = 0;
  std::vector<std::uint32_t> rows_;  // of each call; 0: all environments
  std::vector<std::int32_t> ids_;    // of calls that have not all
  std::vector<std::int32_t> players_;
  std::vector<Event> events_;
  std::vector<char> contents_;  // of events
  std::vector<Actions> actions_;
};

inline constexpr std::uint64_t kRecordFormat = 4;

class RecordFile {
 public:
  // Makes a file of this name, which must be new. Throws std::system_error.
  explicit RecordFile(const std::string& path);
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;
  ~RecordFile();

  // Throws std::system_error; then the file ends with a part of the chunk, or none.
  void Append(std::string_view content);

 private:
  void Write(std::string_view bytes) const;

  const int descriptor_;
};

}  // namespace envpool
