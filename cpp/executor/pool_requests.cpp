// From the arguments of a caller to requests in the queue; all of it under request_mutex_.
#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "executor/pool.h"

namespace envpool {

void Pool::CheckIds(std::span<const std::int32_t> env_ids, Purpose purpose) {
  const bool is_all = env_ids.data() == all_ids_.data();
  if (is_all && in_flight_ == 0 && unsteppable_ == 0) return;
  ++checks_;
  for (std::size_t i = 0; i < env_ids.size(); ++i) {
    const std::int32_t id = env_ids[i];
    if (id < 0 || id >= config_.num_envs) {
      throw std::invalid_argument(
          "env_id[" + std::to_string(i) + "] is " + std::to_string(id) +
          ", expected 0 <= env_id < num_envs = " + std::to_string(config_.num_envs));
    }
    const auto env = static_cast<std::size_t>(id);
    if (!is_all && std::exchange(last_check_[env], checks_) == checks_) {
      throw std::invalid_argument("env_id " + std::to_string(id) + " is repeated");
    }
    CheckStatus(env, purpose);
  }
}

void Pool::CheckStatus(std::size_t env, Purpose purpose) const {
  if (status_[env] == Status::kIdle) return;
  const std::string name = "environment " + std::to_string(env);
  if (status_[env] == Status::kInFlight) {
    throw std::runtime_error(name + " is already running: recv() its result first");
  }
  if (status_[env] == Status::kRendering) {
    throw std::runtime_error(name + " is being rendered by another call: wait for it first");
  }
  if (status_[env] == Status::kBroken && purpose != Purpose::kReset) {
    throw std::runtime_error(name + " has failed: reset it first");
  }
  if (status_[env] == Status::kEpisodeOver && purpose == Purpose::kStep) {
    throw std::runtime_error(name +
                             " has no episode to step: without auto-reset it must be reset after "
                             "the end of an episode, and before the first one");
  }
}

// How many requests must be in flight so that a receive returns.
std::size_t Pool::RequestsPerBatch() const {
  return IsSynchronous() ? 1 : static_cast<std::size_t>(config_.batch_size);
}

// Would a receive after `count` more requests return, and in a synchronous pool with their results?
void Pool::CheckCanReceive(std::size_t count) const {
  if (!open_batches_.empty()) {
    throw std::runtime_error("there are results of an earlier send: recv() them first");
  }
  if (in_flight_ + count < RequestsPerBatch() && count > 0) {
    throw std::runtime_error("a batch needs " + std::to_string(RequestsPerBatch()) +
                             " requests in flight, and with these " + std::to_string(count) +
                             " there would be " + std::to_string(in_flight_ + count) +
                             ": use send() or async_reset(), and recv() later");
  }
}

// How many rows of `field` these environments' actions have, in player_counts_ those of each.
std::size_t Pool::CountActionRows(const Field& field, std::span<const std::int32_t> env_ids) {
  player_counts_.clear();
  if (!field.per_player) return env_ids.size();
  std::size_t rows = 0;
  for (const std::int32_t id : env_ids) {
    player_counts_.push_back(slots_[static_cast<std::size_t>(id)].players);
    rows += static_cast<std::size_t>(player_counts_.back());
  }
  return rows;
}

void Pool::EnqueueSteps(std::span<const std::int32_t> env_ids, std::span<const ArrayView> actions,
                        bool caller_helps) {
  CheckIds(env_ids, Purpose::kStep);
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const Field& field = actions_.GetField(i);
    const std::size_t rows = CountActionRows(field, env_ids);
    if (actions[i].rows != rows) {
      throw std::invalid_argument(field.name + " has " + std::to_string(actions[i].rows) +
                                  " rows, expected " + std::to_string(rows) + ", one per " +
                                  (field.per_player ? "player" : "env_id"));
    }
    actions_.Store(i, actions[i], env_ids, player_counts_);
  }
  EnsureStarted();
  Enqueue(env_ids, OpenBatch(env_ids.size()), caller_helps);
}

void Pool::EnqueueResets(const ResetRequest& request, bool caller_helps) {
  const auto& [env_ids, seeds, options, observe_others] = request;
  CheckIds(env_ids, Purpose::kReset);
  if (!seeds.empty() && seeds.size() != env_ids.size()) {
    throw std::invalid_argument("seed: expected " + std::to_string(env_ids.size()) +
                                " numbers, got " + std::to_string(seeds.size()));
  }
  const std::vector<std::size_t> others =
      observe_others ? OthersThan(env_ids) : std::vector<std::size_t>();
  for (const std::size_t env : others) CheckStatus(env, Purpose::kState);
  const std::span<const std::int32_t> rows = observe_others ? all_ids_ : env_ids;
  EnsureStarted();
  Batch* batch = OpenBatch(rows.size());
  // From here on nothing can fail.
  for (std::size_t i = 0; i < env_ids.size(); ++i) {
    const auto env = static_cast<std::size_t>(env_ids[i]);
    if (!seeds.empty() && seeds[i]) Seed(env, *seeds[i]);
    rare_[env].reset_options = options;
    slots_[env].next = Task::kReset;
    SetStatus(env, Status::kIdle);
  }
  for (const std::size_t env : others) {
    slots_[env].next = Task::kObserve;
    SetStatus(env, Status::kIdle);
  }
  Enqueue(rows, batch, caller_helps);
}

void Pool::Seed(std::size_t env, std::uint64_t seed) {
  rare_[env].random = Random(seed);
  slots_[env].env->Seed(seed, rare_[env].random);
  slots_[env].continues = false;
}

std::vector<std::size_t> Pool::OthersThan(std::span<const std::int32_t> env_ids) const {
  std::vector<bool> is_given(slots_.size());
  for (const std::int32_t id : env_ids) is_given[static_cast<std::size_t>(id)] = true;
  std::vector<std::size_t> others;
  for (std::size_t env = 0; env < slots_.size(); ++env) {
    if (!is_given[env]) others.push_back(env);
  }
  return others;
}

// In a synchronous pool, where so many requests put their results.
Batch* Pool::OpenBatch(std::size_t rows) {
  if (!IsSynchronous() || rows == 0) return nullptr;
  if (spare_batches_.empty()) spare_batches_.emplace_back();
  Batch& batch = spare_batches_.front();
  batch.Open(rows, BlockLease(blocks_));
  open_batches_.splice(open_batches_.end(), spare_batches_, spare_batches_.begin());
  return &batch;
}

// The requests are valid and the threads are there.
void Pool::Enqueue(std::span<const std::int32_t> env_ids, Batch* batch, bool caller_helps) {
  if (env_ids.empty()) return;
  std::array<std::size_t, 4> costs{};
  in_flight_ += env_ids.size();
  for (std::size_t i = 0; i < env_ids.size(); ++i) {
    const auto env = static_cast<std::uint32_t>(env_ids[i]);
    status_[env] = Status::kInFlight;
    ++costs[static_cast<std::size_t>(costs_[env])];
    requests_.Append({env, static_cast<std::uint32_t>(i), batch, costs_[env]});
  }
  requests_.Publish();
  Invite(HelpersNeeded(costs, caller_helps));
}

// How many workers are worth having awake for requests of these costs.
int Pool::HelpersNeeded(const std::array<std::size_t, 4>& costs, bool caller_helps) const {
  const auto count = [&costs](Cost cost) { return costs[static_cast<std::size_t>(cost)]; };
  const std::size_t mean_ns = mean_step_ns_.load(std::memory_order_relaxed);
  const std::size_t moderate = count(Cost::kModerate);
  const std::size_t heavy = count(Cost::kHeavy) + count(Cost::kUnknown);
  const std::size_t light = count(Cost::kLight) * mean_ns / kWorthWakingNs;
  auto most = static_cast<std::size_t>(config_.num_threads);
  std::size_t needed = heavy + moderate + std::min<std::size_t>(light, MostLightWorkers());
  if (!caller_helps) {
    needed = std::max<std::size_t>(needed, 1);
  } else if (heavy == 0) {
    // The caller is one of num_threads, and more threads than cores only stand in its way.
    most = std::min(most, cores_) - 1;
    if (moderate > 0) --needed;
  }
  return static_cast<int>(std::min(needed, most));
}

}  // namespace envpool
