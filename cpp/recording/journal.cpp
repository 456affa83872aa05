#include "recording/journal.h"

#include <bit>
#include <cstddef>
#include <cstring>
#include <exception>
#include <optional>
#include <vector>

#include "executor/environments/slot.h"
#include "recording/json.h"

namespace envpool {

namespace {

// Are these all environments of a pool, in order?
bool AreAll(std::span<const std::int32_t> env_ids, int num_envs) {
  if (env_ids.size() != static_cast<std::size_t>(num_envs)) return false;
  bool are_all = true;
  for (std::int32_t env = 0; env < num_envs; ++env) {  // without branches, as they mostly are
    are_all &= env_ids[static_cast<std::size_t>(env)] == env;
  }
  return are_all;
}

// Calls `note` with each row in which an episode ended.
template <class Note>
void ForEachEnd(std::span<const bool> terminated, std::span<const bool> truncated, Note note) {
  // Few episodes end: looks at eight rows at a time, and each 1 among their bytes is an end.
  std::size_t row = 0;
  for (std::uint64_t one, other; row + sizeof(one) <= terminated.size(); row += sizeof(one)) {
    std::memcpy(&one, &terminated[row], sizeof(one));
    std::memcpy(&other, &truncated[row], sizeof(other));
    for (std::uint64_t ends = one | other; ends != 0; ends &= ends - 1) {
      note(row + static_cast<std::size_t>(std::countr_zero(ends)) / 8);
    }
  }
  for (; row < terminated.size(); ++row) {
    if (terminated[row] || truncated[row]) note(row);
  }
}

}  // namespace

Journal::Journal(const PoolConfig& config, const PoolSpec& spec, const Layout& layout,
                 const Environments& environments, States& states)
    : config_(config),
      layout_(layout),
      environments_(environments),
      states_(states),
      key_frames_(static_cast<std::size_t>(config.num_envs)),
      recorder_(config.record, spec.common.action) {}

void Journal::NoteSteps(std::span<const std::int32_t> env_ids,
                        std::span<const ArrayView> actions) noexcept {
  recorder_.Try([&] {
    const bool are_all = AreAll(env_ids, config_.num_envs);
    for (const std::int32_t id : key_frames_.CountSteps(env_ids, are_all)) NoteState(id);
    recorder_.AddSteps(are_all ? std::span<const std::int32_t>() : env_ids,
                       environments_.PlayersOf(env_ids), actions);
  });
}

void Journal::NoteResets(const ResetRequest& request) noexcept {
  recorder_.Try([&] {
    std::vector<std::string> options;  // of kinds
    for (const auto& of_kind : request.options) {
      options.push_back(of_kind ? ToJson(*of_kind) : "");
    }
    for (std::size_t i = 0; i < request.env_ids.size(); ++i) {
      const std::int32_t id = request.env_ids[i];
      if (key_frames_.HasBeenPut(id)) NoteState(id);
      const auto seed = request.seeds.empty() ? std::nullopt : request.seeds[i];
      const std::size_t kind = config_.KindIndex(static_cast<std::size_t>(id));
      recorder_.Append([&](RecordChunk& chunk) {
        if (kind < options.size() && !options[kind].empty()) {
          chunk.AddEvent(id, RecordEvent::kResetOptions, options[kind]);
        }
        chunk.AddReset(id, seed);
      });
    }
  });
}

void Journal::NoteEnds(const Delivery& delivery, std::span<const std::int32_t> env_ids) noexcept {
  const auto terminated = layout_.terminated.At<bool>(delivery.block.get(), 0, delivery.rows);
  const auto truncated = layout_.truncated.At<bool>(delivery.block.get(), 0, delivery.rows);
  recorder_.Append([&](RecordChunk& chunk) {
    for (const EnvError& error : delivery.errors) {
      chunk.AddEnd(error.env_id, environments_.LastEnd(error.env_id));
      chunk.AddEvent(error.env_id, RecordEvent::kFailure, error.message);
    }
    ForEachEnd(terminated, truncated, [&](std::size_t row) {
      // What a failed environment has in its row is old.
      const std::int32_t id = env_ids[row];
      if (!environments_.HasFailed(id)) chunk.AddEnd(id, environments_.LastEnd(id));
    });
  });
}

void Journal::NoteOptions(std::int32_t env) noexcept {
  recorder_.Append([&](RecordChunk& chunk) {
    chunk.AddEvent(env, RecordEvent::kOptions, ToJson(states_.OptionsOf(env)));
  });
  NotePut(env);
}

// Where it is before its next step or reset.
void Journal::NoteState(std::int32_t env) {
  const bool has_been_put = key_frames_.HasBeenPut(env);
  RecordEvent event = has_been_put ? RecordEvent::kState : RecordEvent::kKeyFrame;
  std::string state;
  key_frames_.Settle(env);
  try {
    state = states_.Save(env);
  } catch (...) {               // environments throw what they like
    if (!has_been_put) return;  // the key frames before it do as well
    event = RecordEvent::kLost;
    DescribeException(state);
  }
  recorder_.Append([&](RecordChunk& chunk) { chunk.AddEvent(env, event, state); });
}

}  // namespace envpool
