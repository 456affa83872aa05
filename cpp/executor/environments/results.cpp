#include "executor/environments/results.h"

#include <utility>

#include "executor/results/batches.h"

namespace envpool {

namespace {

// Writes the only element of a row.
template <class T>
void Put(std::byte* block, const Column& column, std::size_t row, T value) {
  reinterpret_cast<T*>(block + column.offset)[row] = value;
}

}  // namespace

Results::Results(const Layout& layout, std::span<Slot> slots, std::span<Rare> rare,
                 FinalRows& final_rows, Episodes& episodes)
    : layout_(layout),
      observation_(layout.observation),
      info_(layout.info),
      slots_(slots),
      rare_(rare),
      final_rows_(final_rows),
      episodes_(episodes) {}

inline bool Results::TryObserve(const Request& request) {
  const Slot& slot = slots_[request.env];
  try {
    slot.env->Observe(Row(observation_, info_, request.batch->Block(), request.row,
                          request.row * layout_.max_players,
                          static_cast<std::size_t>(slot.players)));
    if (slot.env->HasWarning()) [[unlikely]]
      PassWarningOn(request);
    return true;
  } catch (...) {
    NoteFailure(request.env);
    return false;
  }
}

void Results::Observe(std::span<const Request> requests) {
  for (const Request& request : requests) {
    if (slots_[request.env].failed || TryObserve(request)) continue;
    if (episodes_.Survive(request.env)) TryObserve(request);
  }
}

void Results::PassWarningOn(const Request& request) {
  request.batch->Warn(
      {static_cast<std::int32_t>(request.env), *slots_[request.env].env->TakeWarning()});
}

// Called while an exception is handled, which is the reason.
void Results::NoteFailure(std::size_t env) {
  Slot& slot = slots_[env];
  slot.failed = true;
  slot.survived = false;
  DescribeException(rare_[env].error);
}

// Every step of an environment comes through here: nothing in it may allocate or lock, but for
// failures. Returns true if an episode ended.
inline bool Results::Write(const Request& request) {
  Slot& slot = slots_[request.env];
  std::byte* block = request.batch->Block();
  const std::size_t row = request.row;
  const auto env = static_cast<std::int32_t>(request.env);
  Put(block, layout_.env_id, row, env);
  if (slot.failed || slot.survived) [[unlikely]] {
    if (!TellFailure(request)) return false;
  }
  const StepResult result = slot.result;
  const bool last = result.terminated || result.truncated;
  if (layout_.config.tasks) Put(block, layout_.task, row, slot.kind);
  Put(block, layout_.elapsed_step, row, slot.elapsed_step);
  Put(block, layout_.terminated, row, result.terminated);
  Put(block, layout_.truncated, row, result.truncated);
  if (layout_.max_players > 1) {
    WritePlayers(slot, env, block, row);
  } else {
    slot.episode_return += result.reward;
    WritePlayer(block, row, env, result, result.reward);
  }
  if (layout_.config.time_step) {
    Put(block, layout_.step_type, row, std::int32_t{slot.first ? 0 : last ? 2 : 1});
  }
  if (layout_.config.episode_statistics) {
    // An environment whose worker has ended between two episodes has had none.
    const bool is_none = slot.survived && rare_[request.env].failed_end.length == 0;
    WriteStatistics(slot, block, row, last && !slot.continues && !is_none);
  }
  if (last && layout_.config.final_rows) WriteFinalRow(request, block);
  return last;
}

// Tells the batch why the environment has failed. Returns true if it has survived that, so that
// there is a result to write.
bool Results::TellFailure(const Request& request) {
  Slot& slot = slots_[request.env];
  const auto env = static_cast<std::int32_t>(request.env);
  std::string& error = rare_[request.env].error;
  if (slot.survived) {
    request.batch->Fail({request.row, env, error, EnvError::Kind::kSurvived});
    return true;
  }
  slot.episode_over = true;
  slot.continues = false;
  request.batch->Fail({request.row, env, std::move(error)});
  return false;
}

int Results::Write(std::span<const Request> requests) {
  int episodes = 0;
  for (const Request& request : requests) episodes += Write(request);
  return episodes;
}

void Results::WriteStatistics(const Slot& slot, std::byte* block, std::size_t row,
                              bool over) const {
  Put(block, layout_.episode.returned, row, over ? slot.episode_return : 0.0);
  Put(block, layout_.episode.length, row, std::int64_t{over ? slot.elapsed_step : 0});
  Put(block, layout_.episode.done, row, over);
}

void Results::WritePlayers(Slot& slot, std::int32_t env, std::byte* block, std::size_t row) const {
  Put(block, layout_.player_count, row, slot.players);
  for (int player = 0; player < slot.players; ++player) {
    const double reward = slot.first || slot.survived ? 0.0 : slot.env->PlayerReward(player);
    slot.episode_return += reward;
    const std::size_t player_row = row * layout_.max_players + static_cast<std::size_t>(player);
    WritePlayer(block, player_row, env, slot.result, reward);
  }
}

void Results::WritePlayer(std::byte* block, std::size_t player_row, std::int32_t env,
                          const StepResult& result, double reward) const {
  Put(block, layout_.players_env_id, player_row, env);
  if (layout_.config.reward == DType::kFloat64) {
    Put(block, layout_.reward, player_row, reward);
  } else {
    Put(block, layout_.reward, player_row, static_cast<float>(reward));
  }
  if (layout_.config.time_step) {
    Put(block, layout_.discount, player_row, result.terminated ? 0.0F : result.discount);
  }
}

// Writes the last row of the episode that ended in the step that started the next one.
void Results::WriteFinalRow(const Request& request, std::byte* block) {
  Slot& slot = slots_[request.env];
  const Rare& rare = rare_[request.env];
  final_rows_.CopyTo(layout_, block, request.row, request.env);
  Put(block, layout_.finals.elapsed_step, request.row, rare.final_elapsed_step);
  if (slot.continues) return;
  slot.episode_return = 0.0;  // the reward was the last episode's
  if (layout_.config.episode_statistics) {
    Put(block, layout_.episode.returned, request.row, rare.final_return);
    Put(block, layout_.episode.length, request.row, std::int64_t{rare.final_elapsed_step});
  }
}

}  // namespace envpool
