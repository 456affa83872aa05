// What the pool tells about environments that are not running, and how it changes them: snapshots,
// options, statistics.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "executor/pool.h"
#include "executor/snapshot.h"

namespace envpool {

const Options& Pool::OptionsOf(std::size_t env) const { return options_[env % options_.size()]; }

SnapshotKey Pool::KeyOf(std::size_t env) const {
  return {type_.name, type_.state_version,
          DescribeSettings(OptionsOf(env), config_.max_episode_steps)};
}

void Pool::SerializeSlot(std::size_t env, Archive& archive) {
  Slot& slot = slots_[env];
  bool reset_requested = slot.next == Task::kReset;
  archive(slot.elapsed_step, slot.episode_return, slot.episode_over, slot.continues,
          reset_requested, rare_[env].random);
  slot.next = reset_requested ? Task::kReset : Task::kStep;
  slot.env->Serialize(archive);
}

std::vector<std::string> Pool::GetState(std::span<const std::int32_t> env_ids) {
  CheckUsable();
  const std::lock_guard lock(request_mutex_);
  CheckNotStopping();
  CheckIds(env_ids, Purpose::kState);
  std::vector<std::string> states;
  for (const std::int32_t id : env_ids) {
    const auto env = static_cast<std::size_t>(id);
    std::string state;
    Archive archive = Archive::Writer(state);
    SerializeSlot(env, archive);
    states.push_back(SealSnapshot(KeyOf(env), std::move(state)));
  }
  return states;
}

void Pool::SetState(std::span<const std::int32_t> env_ids,
                    std::span<const std::string_view> states) {
  CheckUsable();
  const std::lock_guard lock(request_mutex_);
  CheckNotStopping();
  // A whole new state mends what has failed.
  CheckIds(env_ids, Purpose::kReset);
  if (states.size() != env_ids.size()) {
    throw std::invalid_argument("states has " + std::to_string(states.size()) +
                                " entries, expected " + std::to_string(env_ids.size()) +
                                ", one per environment");
  }
  std::vector<std::string> opened;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const auto env = static_cast<std::size_t>(env_ids[i]);
    opened.push_back(OpenSnapshot(KeyOf(env), states[i], "states[" + std::to_string(i) + "]"));
  }
  for (std::size_t i = 0; i < opened.size(); ++i) {
    LoadState(static_cast<std::size_t>(env_ids[i]), opened[i]);
  }
}

// The bytes are what an environment like this one wrote, so a failure is the environment's own.
void Pool::LoadState(std::size_t env, std::string_view state) {
  SetStatus(env, Status::kBroken);
  try {
    Archive archive = Archive::Reader(state);
    SerializeSlot(env, archive);
    if (archive.Unread() > 0) {
      throw std::logic_error(std::to_string(archive.Unread()) + " bytes were left over");
    }
    if (layout_.max_players > 1) CountPlayers(slots_[env]);
  } catch (const std::exception& error) {
    slots_[env].continues = false;
    throw std::runtime_error("environment " + std::to_string(env) +
                             " has failed to read its state, reset it first: " + error.what());
  }
  rare_[env].reset_options.reset();
  SetStatus(env, IdleStatus(env));
}

std::vector<Options> Pool::GetOptions(std::span<const std::int32_t> env_ids) {
  CheckUsable();
  const std::lock_guard lock(request_mutex_);
  std::vector<Options> options;
  for (const std::int32_t id : env_ids) {
    if (id < 0 || id >= config_.num_envs) {
      throw std::out_of_range("there is no environment " + std::to_string(id));
    }
    options.push_back(OptionsOf(static_cast<std::size_t>(id)));
  }
  return options;
}

std::vector<Random> Pool::GetRandom() {
  CheckUsable();
  const std::lock_guard lock(request_mutex_);
  CheckNotStopping();
  CheckIds(all_ids_, Purpose::kReset);
  std::vector<Random> generators;
  for (const Rare& rare : rare_) generators.push_back(rare.random);
  return generators;
}

std::vector<std::int32_t> Pool::GetElapsedSteps() {
  CheckUsable();
  const std::lock_guard lock(request_mutex_);
  CheckNotStopping();
  CheckIds(all_ids_, Purpose::kReset);
  std::vector<std::int32_t> steps;
  for (const Slot& slot : slots_) steps.push_back(slot.elapsed_step);
  return steps;
}

void Pool::SetOptions(std::span<const std::int32_t> env_ids, std::vector<Options> options) {
  CheckUsable();
  if (options.size() != env_ids.size()) throw std::invalid_argument("options: expected one per id");
  // Not under the mutex: constructors may take their time.
  std::vector<std::unique_ptr<Env>> replacements;
  for (const Options& changed : options) {
    if (type_.spec(changed) != spec_) {
      throw std::invalid_argument("these options would change the spaces of " + type_.name);
    }
    replacements.push_back(type_.create(changed));
  }
  const std::lock_guard lock(request_mutex_);
  CheckNotStopping();
  CheckIds(env_ids, Purpose::kState);
  for (std::size_t i = 0; i < env_ids.size(); ++i) {
    std::string state;
    Archive writer = Archive::Writer(state);
    slots_[static_cast<std::size_t>(env_ids[i])].env->Serialize(writer);
    Archive reader = Archive::Reader(state);
    replacements[i]->Serialize(reader);
  }
  if (options_.size() < slots_.size()) options_.assign(slots_.size(), Options(options_[0]));
  for (std::size_t i = 0; i < env_ids.size(); ++i) {
    const auto env = static_cast<std::size_t>(env_ids[i]);
    slots_[env].env.swap(replacements[i]);
    slots_[env].probation = 0;
    costs_[env] = Cost::kUnknown;  // another environment, another cost
    options_[env] = std::move(options[i]);
  }
}

// Under request_mutex_.
PoolStats Pool::ReadCounters() {
  PoolStats stats;
  stats.batches = batches_;
  stats.batch_age_ns = batch_age_ns_;
  for (std::size_t thread = 0; thread < counters_.size(); ++thread) {
    ThreadCounters::Totals& totals = totals_[thread];
    counters_[thread].Update(totals);
    stats.steps += totals.steps;
    stats.episodes += totals.episodes;
    if (thread == 0) {
      stats.caller_busy_ns = totals.busy_ns;
      stats.receive_wait_ns = totals.idle_ns;
    } else {
      stats.busy_ns.push_back(totals.busy_ns);
      stats.idle_ns.push_back(totals.idle_ns);
    }
  }
  stats.elapsed_ns = Duration(Clock::now() - created_).count();
  return stats;
}

PoolStats Pool::Stats(bool restart) {
  CheckUsable();
  const std::lock_guard lock(request_mutex_);
  const PoolStats now = ReadCounters();
  PoolStats stats = now.Since(stats_base_);
  if (restart) stats_base_ = now;
  return stats;
}

}  // namespace envpool
