// The workers' side of the pool: claiming requests, running environments, publishing results.
#include <pthread.h>

#include <algorithm>
#include <array>
#include <exception>
#include <stdexcept>
#include <utility>

#include "executor/pool.h"

namespace envpool {

namespace {

constexpr int kWorkerSpins = 1000;
constexpr std::int64_t kLightNs = 1000;        // per step, for Cost::kLight
constexpr std::int64_t kSurpriseNs = 4000;     // per step, where a light claim proves not so light
constexpr std::int64_t kHeavyNs = 20'000'000;  // per step, for Cost::kHeavy
constexpr std::uint8_t kProbation = 100;       // steps on its own after it was in such a claim
constexpr std::uint32_t kClaimNs = 4000;       // work worth claiming at once

// Puts what the current exception says into `message`.
void DescribeException(std::string& message) noexcept {
  try {
    try {
      throw;
    } catch (const std::exception& error) {
      message = error.what();
    } catch (...) {
      message = "an exception that is no std::exception";
    }
  } catch (...) {
    message.clear();  // there is no memory for words
  }
}

// Short enough for a caller that must be able to notice Ctrl-C.
bool IsQuick(Cost cost) { return cost == Cost::kLight || cost == Cost::kModerate; }

// Writes the only element of a row.
template <class T>
void Put(std::byte* block, const Column& column, std::size_t row, T value) {
  reinterpret_cast<T*>(block + column.offset)[row] = value;
}

void PinThisThread([[maybe_unused]] std::size_t core) {
#if defined(__linux__)
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  pthread_setaffinity_np(pthread_self(), sizeof(cores), &cores);
#endif
}

}  // namespace

// Under request_mutex_.
void Pool::EnsureStarted() {
  if (!threads_.empty()) return;
  const auto rows = static_cast<std::size_t>(config_.batch_size);
  next_batch_ = 0;
  next_ticket_.store(0);
  while (!IsSynchronous() && window_.size() < slots_.size() / rows + 2) {
    BlockLease lease(blocks_);
    window_.emplace_back().Open(rows, std::move(lease));
  }
  try {
    for (int worker = 0; worker < config_.num_threads; ++worker) {
      running_threads_.fetch_add(1);
      threads_.emplace_back([this, worker] {
        const auto index = static_cast<std::size_t>(worker);
        const int offset = config_.thread_affinity_offset;
        if (offset >= 0) PinThisThread((static_cast<std::size_t>(offset) + index) % cores_);
        Work(index);
        running_threads_.fetch_sub(1);
        stopped_gate_.NotifyAll();
      });
    }
  } catch (...) {
    running_threads_.fetch_sub(1);  // the one that could not be started
    FinishStop();                   // a pool has all of its threads or none
    throw;
  }
}

// Makes the workers end as soon as they have finished what they are at.
void Pool::RequestStop() {
  stopping_.store(true);
  work_gate_.NotifyAll();
}

// Under request_mutex_. Waits for the workers to end.
void Pool::FinishStop() {
  RequestStop();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  invitations_.store(0);
  stopping_.store(false);
}

// Sees to it that `count` workers look for requests, after some were published. In a synchronous
// pool, workers keep off without an invitation even while they are awake: for little work the
// calling thread is quicker alone than with others that take the data to another core.
void Pool::Invite(int count) {
  const int missing = count - invitations_.load() - (IsSynchronous() ? 0 : available_.load());
  if (missing <= 0) return;
  invitations_.fetch_add(missing);
  work_gate_.Notify(IsSynchronous() ? invitations_.load() - spinning_.load() : missing);
}

void Pool::TakeInvitation() {
  int invitations = invitations_.load();
  while (invitations > 0 && !invitations_.compare_exchange_weak(invitations, invitations - 1)) {
  }
}

// In an asynchronous pool: are more workers awake than can do light work at a time?
bool Pool::IsCrowded() const { return !IsSynchronous() && available_.load() > MostLightWorkers(); }

void Pool::Work(std::size_t worker) {
  ThreadCounters& counters = counters_[1 + worker];
  // In a synchronous pool the first lane is the caller's.
  const std::size_t lanes = requests_.NumLanes();
  const std::size_t lane = IsSynchronous() && lanes > 1 ? 1 + worker % (lanes - 1) : worker % lanes;
  available_.fetch_add(1);
  while (!stopping_.load()) {
    while (ClaimAndRun(lane, true, counters) && !stopping_.load()) {
    }
    Rest(counters);
  }
  available_.fetch_sub(1);
}

// Waits for work: first awake, then asleep.
void Pool::Rest(ThreadCounters& counters) {
  const ThreadCounters::Rest rest(counters);
  const auto invited = [this] { return invitations_.load() > 0 || stopping_.load(); };
  const auto called = [this, invited] {
    return invited() || (!IsSynchronous() && requests_.Waiting() > 0 && !IsCrowded());
  };
  spinning_.fetch_add(1);
  for (int spin = 0; spin < kWorkerSpins && !called(); ++spin) Pause();
  spinning_.fetch_sub(1);
  if (!called()) {
    // Senders don't invite anybody while they see available workers. So the last one first says
    // that it leaves, and then looks once more for requests.
    const bool is_last = available_.fetch_sub(1) == 1;
    if (IsSynchronous() || !is_last || requests_.Waiting() == 0) work_gate_.Wait(invited);
    available_.fetch_add(1);
  }
  TakeInvitation();
}

// Returns false if there was nothing to claim.
bool Pool::ClaimAndRun(std::size_t lane, bool is_worker, ThreadCounters& counters) {
  const auto wanted = [this, is_worker](Cost cost) {
    return is_worker ? cost != Cost::kLight || !IsCrowded() : IsQuick(cost);
  };
  std::array<Request, kMaxClaim> memory;
  const std::size_t count = requests_.Claim(lane, memory, wanted, ClaimLimit());
  if (count == 0) return false;
  const std::span<Request> requests(memory.data(), count);
  if (!is_worker || requests[0].cost == Cost::kLight) {
    if (is_worker) CallForHelp(Cost::kLight);
    Run(requests, counters);
  } else {
    // Senders must not count on this thread meanwhile.
    available_.fetch_sub(1);
    CallForHelp(requests[0].cost);
    Run(requests, counters);
    available_.fetch_add(1);
  }
  return true;
}

// After a worker claimed a request of this cost: the senders may have counted on it for those that
// are left.
void Pool::CallForHelp(Cost cost) {
  const std::size_t left = requests_.Waiting();
  if (left == 0) return;
  if (IsSynchronous()) {
    if (!IsQuick(cost)) Invite(1);  // the caller does what is quick
    return;
  }
  const std::size_t left_ns = left * mean_step_ns_.load(std::memory_order_relaxed);
  const int available = available_.load();
  if (cost != Cost::kLight || (left_ns > kWorthWakingNs && available < MostLightWorkers())) {
    Invite(available + 1);
  }
}

// More threads than cores get nothing light done, and the caller needs a core too.
int Pool::MostLightWorkers() const {
  return std::max(std::min(config_.num_threads, static_cast<int>(cores_) - 1), 1);
}

// How many light requests to claim at once: a few microseconds of work.
std::size_t Pool::ClaimLimit() const {
  const std::uint32_t mean_ns = mean_step_ns_.load(std::memory_order_relaxed);
  return std::max(kClaimNs / mean_ns, 1U);
}

void Pool::Run(std::span<Request> requests, ThreadCounters& counters) {
  const auto start = Clock::now();
  counters.BeginWork(start);
  int steps = 0;
  int episodes = 0;
  // One phase after the other: while one environment's numbers are still on their way, the
  // processor is at the next one's.
  for (const Request& request : requests) steps += Advance(request.env);
  if (!IsSynchronous()) TakeRows(requests);
  for (const Request& request : requests) Observe(request);
  for (const Request& request : requests) episodes += WriteResult(request);
  const auto end = Clock::now();
  RecordCost(requests, Duration(end - start).count());
  // Before the results are out, so that whoever received them finds them counted.
  counters.EndWork(end, steps, episodes);
  Publish(requests, end);
}

// Returns true if it was a step.
bool Pool::Advance(std::size_t env) {
  Slot& slot = slots_[env];
  Rare& rare = rare_[env];
  slot.failed = false;
  slot.first = slot.next != Task::kStep || slot.episode_over;
  try {
    if (!slot.first) {
      StepEpisode(slot, env);
    } else {
      slot.result = {};
      if (std::exchange(slot.next, Task::kStep) != Task::kObserve) StartEpisode(slot, rare);
    }
  } catch (...) {
    slot.failed = true;
    DescribeException(rare.error);
  }
  return !slot.first;
}

void Pool::StartEpisode(Slot& slot, Rare& rare) {
  const bool continues = slot.episode_over && slot.continues;
  slot.episode_over = true;
  const std::shared_ptr<const Options> options = std::move(rare.reset_options);
  if (continues) {
    slot.env->Continue(rare.random);
  } else {
    slot.env->Reset(rare.random, options ? *options : default_reset_options_);
    slot.elapsed_step = 0;
    slot.episode_return = 0.0;
  }
  slot.episode_over = false;
  if (layout_.max_players > 1) CountPlayers(slot);
}

void Pool::StepEpisode(Slot& slot, std::size_t env) {
  const auto players = static_cast<std::size_t>(slot.players);
  StepResult result = slot.env->Step(actions_.Get(env, players), rare_[env].random);
  ++slot.elapsed_step;
  result.truncated |= slot.elapsed_step >= config_.max_episode_steps;
  slot.result = result;
  slot.episode_over = result.terminated || result.truncated;
  slot.continues =
      slot.episode_over && slot.elapsed_step < config_.max_episode_steps && slot.env->CanContinue();
  if (layout_.max_players > 1) CountPlayers(slot);
  if (slot.episode_over && config_.autoreset_mode == AutoresetMode::kSameStep) {
    StartNextEpisode(slot, env);
  }
}

// In the step that ended an episode.
void Pool::StartNextEpisode(Slot& slot, std::size_t env) {
  Rare& rare = rare_[env];
  final_rows_.Observe(*slot.env, env);
  rare.final_elapsed_step = slot.elapsed_step;
  rare.final_return = slot.episode_return + slot.result.reward;
  StartEpisode(slot, rare);
}

void Pool::CountPlayers(Slot& slot) const {
  const int players = slot.env->NumPlayers();
  if (players < 0 || players > spec_.max_num_players) {
    throw std::logic_error(
        "NumPlayers() is " + std::to_string(players) +
        ", expected 0 to max_num_players = " + std::to_string(spec_.max_num_players));
  }
  slot.players = players;
}

// The next rows in the order of finishing.
void Pool::TakeRows(std::span<Request> requests) {
  const auto batch_size = static_cast<std::uint32_t>(config_.batch_size);
  const std::uint64_t ticket = next_ticket_.fetch_add(requests.size());
  std::uint64_t batch = ticket / batch_size;
  auto row = static_cast<std::uint32_t>(ticket % batch_size);
  for (Request& request : requests) {
    request.batch = &window_[batch % window_.size()];
    request.row = row;
    if (++row == batch_size) {
      row = 0;
      ++batch;
    }
  }
}

void Pool::Observe(const Request& request) {
  Slot& slot = slots_[request.env];
  if (slot.failed) return;
  const auto players = static_cast<std::size_t>(slot.players);
  try {
    slot.env->Observe(Row(layout_.observation, layout_.info, request.batch->block.get(),
                          request.row, request.row * layout_.max_players, players));
    if (slot.env->HasWarning()) {
      request.batch->Warn({static_cast<std::int32_t>(request.env), *slot.env->TakeWarning()});
    }
  } catch (...) {
    slot.failed = true;
    DescribeException(rare_[request.env].error);
  }
}

// Every step of an environment comes through here: nothing in it may allocate or lock, but for
// failures. Returns true if an episode ended.
bool Pool::WriteResult(const Request& request) {
  Slot& slot = slots_[request.env];
  std::byte* block = request.batch->block.get();
  const std::size_t row = request.row;
  const auto env = static_cast<std::int32_t>(request.env);
  Put(block, layout_.env_id, row, env);
  if (slot.failed) {
    slot.episode_over = true;
    slot.continues = false;
    request.batch->Fail({row, env, std::move(rare_[request.env].error)});
    return false;
  }
  const StepResult& result = slot.result;
  const bool last = result.terminated || result.truncated;
  const bool over = last && !slot.continues;  // to the statistics
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
    Put(block, layout_.episode_return, row, over ? slot.episode_return : 0.0);
    Put(block, layout_.episode_length, row, std::int64_t{over ? slot.elapsed_step : 0});
    Put(block, layout_.episode_done, row, over);
  }
  if (last && layout_.config.final_rows) WriteFinalRow(request);
  return last;
}

void Pool::WritePlayers(Slot& slot, std::int32_t env, std::byte* block, std::size_t row) const {
  Put(block, layout_.player_count, row, slot.players);
  for (int player = 0; player < slot.players; ++player) {
    const double reward = slot.first ? 0.0 : slot.env->PlayerReward(player);
    slot.episode_return += reward;
    const std::size_t player_row = row * layout_.max_players + static_cast<std::size_t>(player);
    WritePlayer(block, player_row, env, slot.result, reward);
  }
}

void Pool::WritePlayer(std::byte* block, std::size_t player_row, std::int32_t env,
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

// Of the episode that ended in the same step as the next one started.
void Pool::WriteFinalRow(const Request& request) {
  std::byte* block = request.batch->block.get();
  const Rare& rare = rare_[request.env];
  final_rows_.CopyTo(layout_, block, request.row, request.env);
  Put(block, layout_.final_elapsed_step, request.row, rare.final_elapsed_step);
  if (slots_[request.env].continues) return;
  slots_[request.env].episode_return = 0.0;  // the reward was the last episode's
  if (layout_.config.episode_statistics) {
    Put(block, layout_.episode_return, request.row, rare.final_return);
    Put(block, layout_.episode_length, request.row, std::int64_t{rare.final_elapsed_step});
  }
}

// Costs decide how the next requests of these environments are scheduled, never what they compute.
void Pool::RecordCost(std::span<const Request> requests, std::int64_t nanoseconds) {
  const std::int64_t mean = nanoseconds / static_cast<std::int64_t>(requests.size());
  if (requests[0].cost == Cost::kLight) {
    const std::int64_t old = mean_step_ns_.load(std::memory_order_relaxed);
    const std::int64_t smoothed = std::clamp<std::int64_t>(old + (mean - old) / 8, 1, 100'000);
    mean_step_ns_.store(static_cast<std::uint32_t>(smoothed), std::memory_order_relaxed);
    if (mean < kSurpriseNs) return;
    // Somebody among them is slow now and then, and held the others back. For a while, each runs
    // and is measured on its own.
    for (const Request& request : requests) {
      costs_[request.env] = Cost::kModerate;
      slots_[request.env].probation = kProbation;
    }
    return;
  }
  Slot& slot = slots_[requests[0].env];
  Cost& cost = costs_[requests[0].env];
  if (mean >= kHeavyNs) {
    cost = Cost::kHeavy;
  } else if (slot.first) {
    return;  // that a reset is quick says nothing of steps
  } else if (mean >= kLightNs) {
    cost = Cost::kModerate;
  } else {
    cost = slot.probation > 0 ? Cost::kModerate : Cost::kLight;
    slot.probation -= slot.probation > 0;
  }
}

// From here on the environments belong to the callers again.
void Pool::Publish(std::span<const Request> requests, Clock::time_point now) {
  bool ready = false;
  for (std::size_t i = 0; i < requests.size();) {
    Batch* batch = requests[i].batch;
    std::size_t count = 1;
    while (i + count < requests.size() && requests[i + count].batch == batch) ++count;
    ready |= batch->Complete(count, now);
    i += count;
  }
  if (ready) done_gate_.NotifyAll();
}

}  // namespace envpool
