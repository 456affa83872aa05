#include "workers/process_journal.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace envpool {

namespace {

// Are these all environments of a pool, in order?
bool AreAll(std::span<const std::int32_t> env_ids, int num_envs) {
  if (!std::cmp_equal(env_ids.size(), num_envs)) return false;
  std::int32_t next = 0;
  return std::ranges::all_of(env_ids, [&next](std::int32_t id) { return id == next++; });
}

}  // namespace

ProcessJournal::ProcessJournal(const SharedConfig& config, const Exchange& exchange)
    : config_(config),
      exchange_(exchange),
      progress_(config.workers.size()),
      has_begun_(static_cast<std::size_t>(config.pool.num_threads)),
      is_new_(config.workers.size()),
      recorder_(config.pool.record, config.spec.action) {}

void ProcessJournal::NoteSteps(std::span<const std::int32_t> env_ids, std::span<const int> players,
                               std::span<const ArrayView> actions) noexcept {
  const bool are_all = AreAll(env_ids, config_.pool.num_envs);
  recorder_.AddSteps(are_all ? std::span<const std::int32_t>() : env_ids, players, actions);
}

void ProcessJournal::NoteResets(std::span<const std::int32_t> env_ids,
                                const ResetNotes& notes) noexcept {
  recorder_.Append([&](RecordChunk& chunk) {
    for (std::size_t i = 0; i < env_ids.size(); ++i) {
      AddIfMade(chunk, env_ids[i]);
      if (!notes.lost.empty()) chunk.AddEvent(env_ids[i], RecordEvent::kLost, notes.lost);
      if (!notes.options.empty()) {
        chunk.AddEvent(env_ids[i], RecordEvent::kResetOptions, notes.options);
      }
      chunk.AddReset(env_ids[i], notes.seeds.empty() ? std::nullopt : notes.seeds[i]);
    }
  });
}

void ProcessJournal::NoteRows(const Parcel& parcel,
                              std::span<const std::int32_t> env_ids) noexcept {
  recorder_.Append([&](RecordChunk& chunk) {
    for (const RowFailure& failure : parcel.failures) {
      const std::int32_t id = failure.env_id;
      const EnvLine& line = exchange_.Env(static_cast<std::size_t>(id));
      if (!failure.is_letter) {
        if (line.task == Task::kReset) ProgressOf(id) = {};
        AddWorkerEnd(chunk, id, failure.text);
        continue;
      }
      ProgressOf(id) = {};
      chunk.AddEnd(id, line.end);
      chunk.AddEvent(id, RecordEvent::kFailure);
    }
    for (const std::int32_t id : env_ids) {
      const auto is_its = [id](const RowFailure& failure) { return failure.env_id == id; };
      if (std::ranges::any_of(parcel.failures, is_its)) continue;
      const EnvLine& line = exchange_.Env(static_cast<std::size_t>(id));
      const bool is_over = line.end.terminated || line.end.truncated;
      if (is_over) chunk.AddEnd(id, line.end);
      // In the step that ended an episode the next one may have begun.
      ProgressOf(id) = is_over
                           ? Progress{.has_episode = line.has_episode}
                           : Progress{line.has_episode, line.end.episode_return, line.end.length};
    }
  });
}

void ProcessJournal::NoteIdleEnd(std::int32_t env, std::string_view why) noexcept {
  if (!ProgressOf(env).has_episode) return;
  recorder_.Append([&](RecordChunk& chunk) { AddWorkerEnd(chunk, env, why); });
}

// Its episode has failed where it was, or would have begun.
void ProcessJournal::AddWorkerEnd(RecordChunk& chunk, std::int32_t env, std::string_view why) {
  const Progress progress = std::exchange(ProgressOf(env), {});
  chunk.AddEnd(
      env, {.episode_return = progress.episode_return, .length = progress.length, .failed = true});
  chunk.AddEvent(env, RecordEvent::kWorkerEnd, why);
}

void ProcessJournal::NoteWorker(int worker) noexcept {
  if (!std::exchange(has_begun_[static_cast<std::size_t>(worker)], char{true})) return;
  for (std::size_t env = 0; env < config_.workers.size(); ++env) {
    if (config_.workers[env] == worker) is_new_[env] = true;
  }
}

// Noted with the first thing that happens to it: what the one before it came to may be in flight.
void ProcessJournal::AddIfMade(RecordChunk& chunk, std::int32_t env) {
  if (!std::exchange(is_new_[static_cast<std::size_t>(env)], char{false})) return;
  chunk.AddEvent(env, RecordEvent::kMade);
}

void ProcessJournal::NoteLost(std::span<const std::int32_t> env_ids,
                              std::string_view why) noexcept {
  recorder_.Append([&](RecordChunk& chunk) {
    for (const std::int32_t id : env_ids) {
      AddIfMade(chunk, id);
      chunk.AddEvent(id, RecordEvent::kLost, why);
    }
  });
}

void ProcessJournal::NotePut(std::int32_t env, bool is_over) noexcept {
  ProgressOf(env) = {.has_episode = !is_over};
}

}  // namespace envpool
