#include "recording/journal.h"

#include <cstddef>
#include <string_view>

namespace envpool {

namespace {

// Why an episode that follows a failure cannot be replayed.
constexpr std::string_view kSurvivedBefore = "a failure of the environment was survived before it";

// True if these are all environments of a pool, in order.
bool AreAll(std::span<const std::int32_t> env_ids, int num_envs) {
  if (env_ids.size() != static_cast<std::size_t>(num_envs)) return false;
  bool are_all = true;
  for (std::int32_t env = 0; env < num_envs; ++env) {  // without branches, as they mostly are
    are_all &= env_ids[static_cast<std::size_t>(env)] == env;
  }
  return are_all;
}

}  // namespace

Journal::Journal(const PoolConfig& config, std::span<const Field> actions, const Layout& layout,
                 Source& source)
    : config_(config),
      layout_(layout),
      source_(source),
      key_frames_(static_cast<std::size_t>(config.num_envs)),
      recorder_(config.record, actions) {}

void Journal::NoteSteps(const StepRequest& request,
                        std::span<const std::int32_t> players) noexcept {
  recorder_.Try([&] {
    const std::span<const std::int32_t> ids = request.env_ids;
    const bool are_all = AreAll(ids, config_.num_envs);
    for (const std::int32_t id : key_frames_.CountSteps(ids, are_all)) NoteState(id);
    recorder_.AddSteps(are_all ? std::span<const std::int32_t>() : ids, players, request.actions);
  });
}

void Journal::NoteResets(const ResetRequest& request) noexcept {
  recorder_.Try([&] {
    const std::span<const std::string> options = request.noted_options;
    for (std::size_t i = 0; i < request.env_ids.size(); ++i) {
      const std::int32_t id = request.env_ids[i];
      if (key_frames_.HasBeenPut(id)) NoteState(id);
      const std::size_t kind = config_.KindIndex(static_cast<std::size_t>(id));
      recorder_.Append([&](RecordChunk& chunk) {
        if (!request.lost_options.empty()) {
          chunk.AddEvent(id, RecordEvent::kLost, request.lost_options);
        }
        if (!options.empty()) chunk.AddEvent(id, RecordEvent::kResetOptions, options[kind]);
        chunk.AddReset(id, request.seeds.empty() ? std::nullopt : request.seeds[i]);
      });
    }
  });
}

void Journal::NoteNext(std::span<const std::int32_t> env_ids) noexcept {
  recorder_.Append([&](RecordChunk& chunk) {
    for (const std::int32_t id : env_ids) {
      chunk.AddEvent(id, RecordEvent::kNext, source_.NextOf(id)->noted);
    }
  });
}

void Journal::NoteEnds(const Delivery& delivery, std::span<const std::int32_t> env_ids) noexcept {
  const auto terminated = layout_.terminated.At<bool>(delivery.block.get(), 0, delivery.rows);
  const auto truncated = layout_.truncated.At<bool>(delivery.block.get(), 0, delivery.rows);
  recorder_.Append([&](RecordChunk& chunk) {
    for (const EnvError& error : delivery.errors) AddEnd(chunk, error.env_id);
    for (const EnvError& error : delivery.survived) {
      AddEnd(chunk, error.env_id);
      chunk.AddEvent(error.env_id, RecordEvent::kLost, kSurvivedBefore);
    }
    for (std::size_t row = 0; row < delivery.rows; ++row) {
      // What a failed environment has in its row is old.
      const bool is_over = !is_judged_ && (terminated[row] || truncated[row]);
      if (is_over && !source_.LastEnd(env_ids[row]).failed) AddEnd(chunk, env_ids[row]);
    }
  });
}

void Journal::NoteJudged(std::int32_t env, bool is_over) noexcept {
  is_judged_ = true;
  if (is_over && !source_.LastEnd(env).failed) NoteEnd(env);
}

void Journal::NoteEnd(std::int32_t env) noexcept {
  recorder_.Append([&](RecordChunk& chunk) { AddEnd(chunk, env); });
}

void Journal::NoteLost(std::span<const std::int32_t> env_ids, std::string_view why) noexcept {
  recorder_.Append([&](RecordChunk& chunk) {
    for (const std::int32_t id : env_ids) chunk.AddEvent(id, RecordEvent::kLost, why);
  });
}

void Journal::NoteOptions(std::int32_t env, std::string_view options) noexcept {
  recorder_.Append(
      [&](RecordChunk& chunk) { chunk.AddEvent(env, RecordEvent::kOptions, options); });
  NotePut(env);
}

// Where it is before its next step or reset.
void Journal::NoteState(std::int32_t env) {
  const bool has_been_put = key_frames_.HasBeenPut(env);
  RecordEvent event = has_been_put ? RecordEvent::kState : RecordEvent::kKeyFrame;
  std::optional<std::string> state;
  key_frames_.Settle(env);
  if (is_judged_ && !has_been_put) return;
  try {
    state = source_.Save(env);
  } catch (...) {               // environments throw what they like
    if (!has_been_put) return;  // the key frames before it do as well
    event = RecordEvent::kLost;
    DescribeException(state.emplace());
  }
  if (!state) return;
  recorder_.Append([&](RecordChunk& chunk) {
    chunk.AddEvent(env, event, *state);
    // Whoever begins here has not seen when it was said.
    const Choice* next = source_.NextOf(env);
    if (next != nullptr) chunk.AddEvent(env, RecordEvent::kNext, next->noted);
  });
}

}  // namespace envpool
