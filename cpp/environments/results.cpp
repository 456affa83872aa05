#include "environments/results.h"

#include <algorithm>
#include <utility>

#include "results/batches.h"

namespace envpool {

namespace {

bool IsLast(const StepResult& result) { return result.terminated || result.truncated; }

// Returns where a column with one element per row begins.
template <class T>
T* Begin(std::byte* block, const Column& column) {
  return reinterpret_cast<T*>(block + column.offset);
}

// The columns that have a row per player.
class PlayerColumns {
 public:
  PlayerColumns(const Layout& layout, std::byte* block)
      : env_ids_(Begin<std::int32_t>(block, layout.players_env_id)),
        rewards_(block + layout.reward.offset),
        is_double_(layout.reward.dtype == DType::kFloat64) {}

  void Write(std::size_t player_row, std::uint32_t env, double reward) const {
    env_ids_[player_row] = static_cast<std::int32_t>(env);
    if (is_double_) {
      reinterpret_cast<double*>(rewards_)[player_row] = reward;
    } else {
      reinterpret_cast<float*>(rewards_)[player_row] = static_cast<float>(reward);
    }
  }

 private:
  std::int32_t* const env_ids_;
  std::byte* const rewards_;
  const bool is_double_;
};

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
  if (slot.next == Task::kReset) [[unlikely]] {  // after what was asked for: see Task::kBlank
    WriteZeros(request);
    return true;
  }
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

// The environment's own part of a row.
void Results::WriteZeros(const Request& request) const {
  const auto players = static_cast<std::size_t>(slots_[request.env].players);
  for (const std::span<const Column> columns : {observation_, info_}) {
    for (const Column& column : columns) {
      const std::size_t row = column.per_player ? PlayerRow(request, 0) : request.row;
      const std::size_t rows = column.per_player ? players : 1;
      std::byte* const begin = request.batch->Block() + column.offset + row * column.row_bytes;
      std::fill_n(begin, rows * column.row_bytes, std::byte{0});
    }
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
// failures. It goes column by column, because to the compiler, whatever is written to a row might
// change the layout: a loop that fills few columns knows where they begin.
int Results::Write(std::span<const Request> requests) {
  int episodes = 0;
  while (!requests.empty()) {
    const std::span<const Request> rows = OfFirstBatch(requests);
    std::byte* block = rows[0].batch->Block();
    if (layout_.max_players == 1) {
      WriteRewards(rows, block);
    } else {
      WritePlayers(rows, block);
    }
    if (layout_.config.tasks) WriteTasks(rows, block);
    if (layout_.config.time_step) WriteTimeSteps(rows, block);
    if (layout_.config.episode_statistics) ClearStatistics(rows, block);
    episodes += WriteEpisodes(rows, block);
    requests = requests.subspan(rows.size());
  }
  return episodes;
}

// Writes the rewards of environments with one player.
void Results::WriteRewards(std::span<const Request> requests, std::byte* block) {
  const PlayerColumns columns(layout_, block);
  Slot* const slots = slots_.data();
  for (const Request& request : requests) {
    Slot& slot = slots[request.env];
    if (slot.failed) [[unlikely]]
      continue;
    slot.episode_return += slot.result.reward;
    columns.Write(request.row, request.env, slot.result.reward);
  }
}

// Writes the rewards of environments with several players, and how many these are.
void Results::WritePlayers(std::span<const Request> requests, std::byte* block) {
  const PlayerColumns columns(layout_, block);
  auto* const counts = Begin<std::int32_t>(block, layout_.player_count);
  for (const Request& request : requests) {
    Slot& slot = slots_[request.env];
    if (slot.failed) continue;
    counts[request.row] = slot.players;
    for (int player = 0; player < slot.players; ++player) {
      const double reward = slot.first || slot.survived ? 0.0 : slot.env->PlayerReward(player);
      slot.episode_return += reward;
      columns.Write(PlayerRow(request, player), request.env, reward);
    }
  }
}

void Results::WriteTasks(std::span<const Request> requests, std::byte* block) const {
  auto* const tasks = Begin<std::int32_t>(block, layout_.task);
  for (const Request& request : requests) tasks[request.row] = slots_[request.env].kind;
}

// Writes the columns that only dm_env's time steps have.
void Results::WriteTimeSteps(std::span<const Request> requests, std::byte* block) const {
  auto* const step_types = Begin<std::int32_t>(block, layout_.step_type);
  auto* const discounts = Begin<float>(block, layout_.discount);
  for (const Request& request : requests) {
    const Slot& slot = slots_[request.env];
    step_types[request.row] = slot.first ? 0 : IsLast(slot.result) ? 2 : 1;
    for (int player = 0; player < slot.players; ++player) {
      discounts[PlayerRow(request, player)] = slot.result.terminated ? 0.0F : slot.result.discount;
    }
  }
}

// Writes the statistics that a row has if no episode ends in it.
void Results::ClearStatistics(std::span<const Request> requests, std::byte* block) const {
  auto* const returns = Begin<double>(block, layout_.episode_return);
  auto* const lengths = Begin<std::int64_t>(block, layout_.episode_length);
  auto* const done = Begin<bool>(block, layout_.episode_done);
  for (const Request& request : requests) {
    returns[request.row] = 0.0;
    lengths[request.row] = 0;
    done[request.row] = false;
  }
}

// Writes how far the episodes are. Returns how many ended.
int Results::WriteEpisodes(std::span<const Request> requests, std::byte* block) {
  auto* const env_ids = Begin<std::int32_t>(block, layout_.env_id);
  auto* const elapsed_steps = Begin<std::int32_t>(block, layout_.elapsed_step);
  auto* const terminated = Begin<bool>(block, layout_.terminated);
  auto* const truncated = Begin<bool>(block, layout_.truncated);
  const Slot* const slots = slots_.data();
  int episodes = 0;
  for (const Request& request : requests) {
    const Slot& slot = slots[request.env];
    const std::size_t row = request.row;
    env_ids[row] = static_cast<std::int32_t>(request.env);
    if (slot.failed || slot.survived) [[unlikely]] {
      if (!TellFailure(request)) continue;
    }
    elapsed_steps[row] = slot.elapsed_step;
    terminated[row] = slot.result.terminated;
    truncated[row] = slot.result.truncated;
    if (IsLast(slot.result)) [[unlikely]] {
      WriteEnd(request, block);
      if (!slot.survived) ++episodes;  // what a failure has cut off is no whole one
    }
  }
  return episodes;
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

// Writes what a row has only if an episode ended in it.
void Results::WriteEnd(const Request& request, std::byte* block) {
  const Slot& slot = slots_[request.env];
  if (layout_.config.episode_statistics && !slot.continues && !slot.survived) {
    Begin<double>(block, layout_.episode_return)[request.row] = slot.episode_return;
    Begin<std::int64_t>(block, layout_.episode_length)[request.row] = slot.elapsed_step;
    Begin<bool>(block, layout_.episode_done)[request.row] = true;
  }
  if (layout_.config.final_rows) WriteFinalRow(request, block);
}

// Writes the last row of the episode that ended in the step that started the next one.
void Results::WriteFinalRow(const Request& request, std::byte* block) {
  Slot& slot = slots_[request.env];
  const Rare& rare = rare_[request.env];
  const std::size_t row = request.row;
  final_rows_.CopyTo(layout_, block, row, request.env);
  Begin<std::int32_t>(block, layout_.final_elapsed_step)[row] = rare.final_elapsed_step;
  if (slot.continues) return;
  slot.episode_return = 0.0;  // the reward was the last episode's
  if (layout_.config.episode_statistics) {
    Begin<double>(block, layout_.episode_return)[row] = rare.final_return;
    Begin<std::int64_t>(block, layout_.episode_length)[row] = rare.final_elapsed_step;
  }
}

}  // namespace envpool
