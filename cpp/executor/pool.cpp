// The callers' side of the pool; the workers' side is in pool_workers.cpp.
#include "executor/pool.h"

#include <pthread.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace envpool {

namespace {

constexpr int kReceiverSpins = 200;

// More would only hold memory that a caller once kept alive for long.
constexpr std::size_t kMaxFreeBlocks = 64;

std::atomic<int> fork_generation = 0;

int CurrentForkGeneration() {
  static const bool installed = [] {
    return pthread_atfork(nullptr, nullptr, [] { fork_generation.fetch_add(1); }) == 0;
  }();
  return installed ? fork_generation.load() : 0;
}

Spec Checked(Spec spec) {
  for (const auto* fields : {&spec.observation, &spec.info, &spec.action}) {
    for (const Field& field : *fields) {
      if (field.shape.size() > kMostDimensions) {
        throw std::invalid_argument("field " + field.name + " has more than " +
                                    std::to_string(kMostDimensions) + " dimensions");
      }
    }
  }
  return spec;
}

PoolConfig Checked(PoolConfig config) {
  const auto require = [](bool holds, const std::string& message) {
    if (!holds) throw std::invalid_argument(message);
  };
  const auto envs = static_cast<std::size_t>(std::max(config.num_envs, 0));
  require(config.num_envs >= 1,
          "num_envs is " + std::to_string(config.num_envs) + ", expected at least 1");
  require(config.batch_size >= 1 && config.batch_size <= config.num_envs,
          "batch_size is " + std::to_string(config.batch_size) +
              ", expected 1 to num_envs = " + std::to_string(config.num_envs));
  require(config.num_threads >= 1,
          "num_threads is " + std::to_string(config.num_threads) + ", expected at least 1");
  require(
      config.max_episode_steps >= 1,
      "max_episode_steps is " + std::to_string(config.max_episode_steps) + ", expected at least 1");
  require(config.seeds.size() == envs, "seeds: expected one per environment");
  require(config.options.size() == 1 || config.options.size() == envs,
          "options: expected one for all environments, or one each");
  require(config.layout.final_rows == (config.autoreset_mode == AutoresetMode::kSameStep),
          "final rows: expected exactly with auto-reset in the same step");
  return config;
}

}  // namespace

Pool::Pool(const EnvType& type, PoolConfig config, Interrupt interrupt)
    : type_(type),
      config_(Checked(std::move(config))),
      options_(config_.options),
      spec_(Checked(type.spec(config_.options[0]))),
      layout_(spec_, config_.layout, static_cast<std::size_t>(config_.batch_size)),
      default_reset_options_(type.reset_options),
      fork_generation_(CurrentForkGeneration()),
      cores_(std::max(std::thread::hardware_concurrency(), 1U)),
      slots_(static_cast<std::size_t>(config_.num_envs)),
      rare_(slots_.size()),
      costs_(slots_.size(), Cost::kUnknown),
      status_(slots_.size(), Status::kIdle),
      all_ids_(slots_.size()),
      actions_(spec_.action, slots_.size(), layout_.max_players),
      final_rows_(layout_, slots_.size()),
      requests_(slots_.size(), CountLanes(config_, cores_)),
      blocks_(std::make_shared<BlockPool>(layout_.bytes, kMaxFreeBlocks)),
      counters_(1 + static_cast<std::size_t>(config_.num_threads)) {
  if (layout_.config.final_rows && layout_.max_players > 1) {
    throw std::invalid_argument(
        "auto-reset in the same step is only for environments of one player");
  }
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    slots_[i].env = type.create(config_.options[i % config_.options.size()]);
    if (layout_.max_players > 1) CountPlayers(slots_[i]);
    rare_[i].random = Random(config_.seeds[i]);
    SetStatus(i, IdleStatus(i));
    interrupt();
  }
  std::iota(all_ids_.begin(), all_ids_.end(), 0);
  last_check_.resize(slots_.size());
  player_counts_.reserve(slots_.size());
}

Pool::~Pool() { Close(); }

// One lane per thread that can really run, as long as a lane has enough environments for it.
std::size_t Pool::CountLanes(const PoolConfig& config, std::size_t cores) {
  const std::size_t threads = std::min(static_cast<std::size_t>(config.num_threads), cores);
  return std::clamp<std::size_t>(static_cast<std::size_t>(config.num_envs) / kMaxClaim, 1, threads);
}

bool Pool::IsForked() const { return fork_generation_ != CurrentForkGeneration(); }

void Pool::CheckUsable() const {
  if (IsForked()) {
    throw std::runtime_error(
        "this pool was created before the process forked, and its threads stayed in the parent: "
        "create a pool in the child instead");
  }
}

// Under request_mutex_. No thread is inside of a receive once the workers are told to stop.
void Pool::CheckNotStopping() {
  if (!stopping_.load()) return;
  if (closing_.load() > 0 || running_threads_.load() > 0) {
    throw std::runtime_error(
        "the pool is being closed, and some environments still run: close() waits for them");
  }
  // A close was interrupted, and what it waited for has happened since.
  FinishStop();
  ForgetRequests();
}

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
  if (status_[env] == Status::kBroken && purpose != Purpose::kReset) {
    throw std::runtime_error(name + " has failed: reset it first");
  }
  if (status_[env] == Status::kEpisodeOver && purpose == Purpose::kStep) {
    throw std::runtime_error(name +
                             " has no episode to step: without auto-reset it must be reset after "
                             "the end of an episode, and before the first one");
  }
}

void Pool::SetStatus(std::size_t env, Status status) {
  const auto is_unsteppable = [](Status s) {
    return s == Status::kBroken || s == Status::kEpisodeOver;
  };
  unsteppable_ -= is_unsteppable(status_[env]);
  unsteppable_ += is_unsteppable(status);
  status_[env] = status;
}

// The status of an environment that is not running and has not failed.
Pool::Status Pool::IdleStatus(std::size_t env) const {
  const bool is_over = slots_[env].episode_over || slots_[env].next == Task::kReset;
  return is_over && config_.autoreset_mode == AutoresetMode::kDisabled ? Status::kEpisodeOver
                                                                       : Status::kIdle;
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
  Enqueue(env_ids, caller_helps);
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
  EnsureStarted();
  for (std::size_t i = 0; i < env_ids.size(); ++i) {
    const auto env = static_cast<std::size_t>(env_ids[i]);
    if (!seeds.empty() && seeds[i]) rare_[env].random = Random(*seeds[i]);
    rare_[env].reset_options = options;
    slots_[env].next = Task::kReset;
    SetStatus(env, Status::kIdle);
  }
  for (const std::size_t env : others) {
    slots_[env].next = Task::kObserve;
    SetStatus(env, Status::kIdle);
  }
  Enqueue(observe_others ? all_ids_ : env_ids, caller_helps);
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

// The requests are valid and the threads are there.
void Pool::Enqueue(std::span<const std::int32_t> env_ids, bool caller_helps) {
  if (env_ids.empty()) return;
  Batch* batch = nullptr;
  if (IsSynchronous()) {
    if (spare_batches_.empty()) spare_batches_.emplace_back();
    batch = &spare_batches_.front();
    batch->Open(env_ids.size(), BlockLease(blocks_));
    open_batches_.splice(open_batches_.end(), spare_batches_, spare_batches_.begin());
  }
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

void Pool::Send(std::span<const std::int32_t> env_ids, std::span<const ArrayView> actions) {
  CheckUsable();
  const std::lock_guard lock(request_mutex_);
  CheckNotStopping();
  EnqueueSteps(env_ids, actions, false);
}

void Pool::SendReset(const ResetRequest& request) {
  CheckUsable();
  const std::lock_guard lock(request_mutex_);
  CheckNotStopping();
  EnqueueResets(request, false);
}

std::optional<Delivery> Pool::Receive(std::optional<Duration> timeout, Interrupt interrupt) {
  CheckUsable();
  const InterruptibleMutex::Lock receiver(receive_mutex_, interrupt);
  {
    const std::lock_guard lock(request_mutex_);
    CheckNotStopping();
    if (!timeout && in_flight_ < RequestsPerBatch()) {
      throw std::runtime_error("recv() would wait forever: it needs " +
                               std::to_string(RequestsPerBatch()) +
                               " requests in flight and there are " + std::to_string(in_flight_) +
                               "; send() or async_reset() first");
    }
  }
  if (!AwaitBatch(timeout, interrupt)) return std::nullopt;
  const std::lock_guard lock(request_mutex_);
  return Deliver();
}

Delivery Pool::Step(std::span<const std::int32_t> env_ids, std::span<const ArrayView> actions,
                    Interrupt interrupt) {
  CheckUsable();
  const InterruptibleMutex::Lock receiver(receive_mutex_, interrupt);
  {
    const std::lock_guard lock(request_mutex_);
    CheckNotStopping();
    CheckCanReceive(env_ids.size());
    EnqueueSteps(env_ids, actions, IsSynchronous());
  }
  return env_ids.empty() ? EmptyDelivery() : AwaitDelivery(interrupt);
}

Delivery Pool::Reset(const ResetRequest& request, Interrupt interrupt) {
  CheckUsable();
  const InterruptibleMutex::Lock receiver(receive_mutex_, interrupt);
  const std::size_t rows = request.observe_others ? slots_.size() : request.env_ids.size();
  {
    const std::lock_guard lock(request_mutex_);
    CheckNotStopping();
    CheckCanReceive(rows);
    EnqueueResets(request, IsSynchronous());
  }
  return rows == 0 ? EmptyDelivery() : AwaitDelivery(interrupt);
}

// The batch that is received next, or null if none is open.
const Batch* Pool::NextBatch() const {
  if (IsSynchronous()) return open_batches_.empty() ? nullptr : &open_batches_.front();
  return window_.empty() ? nullptr : &window_[next_batch_ % window_.size()];
}

bool Pool::IsNextBatchReady() const {
  const std::lock_guard lock(request_mutex_);
  const Batch* batch = NextBatch();
  return batch != nullptr && batch->Ready();
}

// In a synchronous pool the order of rows is fixed, so that the receiver can do some of the work
// itself. In an asynchronous one that would keep it from seeing that its batch is ready.
void Pool::HelpWorkers(Clock::time_point deadline, Interrupt interrupt) {
  if (!IsSynchronous()) return;
  auto last_interrupt = Clock::now();
  while (closing_.load() == 0 && !IsNextBatchReady() && ClaimAndRun(0, false, counters_[0])) {
    const auto now = Clock::now();
    if (now > deadline) return;
    if (now - last_interrupt > kInterruptPeriod) {
      interrupt();
      last_interrupt = now;
    }
  }
}

// Returns false when the time is over.
bool Pool::AwaitBatch(std::optional<Duration> timeout, Interrupt interrupt) {
  const auto deadline = timeout ? Clock::now() + *timeout : Clock::time_point::max();
  HelpWorkers(deadline, interrupt);
  if (!IsNextBatchReady() && !Wait(deadline, interrupt)) return false;
  if (closing_.load() > 0) throw std::runtime_error("the pool was closed during recv()");
  return true;
}

// Until the next batch is ready or the pool is being closed. Returns false when the time is over.
bool Pool::Wait(Clock::time_point deadline, Interrupt interrupt) {
  const auto ready = [this] { return IsNextBatchReady() || closing_.load() > 0; };
  {
    const ThreadCounters::Rest rest(counters_[0]);
    for (int spin = 0; spin < kReceiverSpins && !ready(); ++spin) Pause();
  }
  const auto sleep = [&](Duration duration) {
    const ThreadCounters::Rest rest(counters_[0]);
    return done_gate_.WaitFor(duration, ready);
  };
  Duration period = std::chrono::milliseconds(1);
  while (!ready()) {
    const Duration left = deadline - Clock::now();
    if (left <= Duration::zero()) return false;
    if (!sleep(std::min(left, period))) {
      interrupt();
      // Perhaps a light request was not so light, and others wait behind it.
      if (requests_.Waiting() > 0) Invite(available_.load() + 1);
      period = std::min(2 * period, kInterruptPeriod);
    }
    HelpWorkers(deadline, interrupt);
  }
  return true;
}

Delivery Pool::AwaitDelivery(Interrupt interrupt) {
  AwaitBatch(std::nullopt, interrupt);
  const std::lock_guard lock(request_mutex_);
  return Deliver();
}

Delivery Pool::Deliver() {
  Batch& batch = IsSynchronous() ? open_batches_.front() : window_[next_batch_ % window_.size()];
  // What may fail comes first: after that, the batch is gone.
  BlockLease next_lease;
  if (!IsSynchronous()) next_lease = BlockLease(blocks_);
  const bool has_gaps = batch.HasErrors() || layout_.max_players > 1;
  std::vector<bool> failed(has_gaps ? batch.Rows() : 0);

  Delivery delivery;
  delivery.block = std::move(batch.block);
  delivery.errors = batch.TakeErrors();
  delivery.rows = batch.Rows();
  delivery.player_rows = delivery.rows * layout_.max_players;

  ++batches_;
  // A synchronous step waits for its own batch, so there its age says nothing.
  if (!IsSynchronous()) batch_age_ns_ += Duration(Clock::now() - batch.ReadyTime()).count();
  UpdateStatus(delivery);
  for (const EnvError& error : delivery.errors) failed[error.row] = true;
  in_flight_ -= delivery.rows;
  if (has_gaps) RemoveGaps(delivery, std::move(failed));

  if (IsSynchronous()) {
    spare_batches_.splice(spare_batches_.begin(), open_batches_, open_batches_.begin());
  } else {
    // The place in the window becomes that of the batch one window further on.
    batch.Open(static_cast<std::size_t>(config_.batch_size), std::move(next_lease));
    ++next_batch_;
  }
  return delivery;
}

// The environments of a batch belong to the callers again.
void Pool::UpdateStatus(const Delivery& delivery) {
  const auto ids = layout_.env_id.At<std::int32_t>(delivery.block.get(), 0, delivery.rows);
  for (const std::int32_t id : ids) status_[static_cast<std::size_t>(id)] = Status::kIdle;
  if (config_.autoreset_mode == AutoresetMode::kDisabled) {
    for (const std::int32_t id : ids) {
      const auto env = static_cast<std::size_t>(id);
      SetStatus(env, IdleStatus(env));
    }
  }
  for (const EnvError& error : delivery.errors) {
    SetStatus(static_cast<std::size_t>(error.env_id), Status::kBroken);
  }
}

Delivery Pool::EmptyDelivery() {
  Delivery delivery;
  delivery.block = BlockLease(blocks_);
  return delivery;
}

// Moves rows up to where failed environments and absent players left room.
void Pool::RemoveGaps(Delivery& delivery, std::vector<bool> failed) const {
  std::byte* block = delivery.block.get();
  std::size_t rows = 0;
  std::size_t player_rows = 0;
  for (std::size_t row = 0; row < delivery.rows; ++row) {
    if (failed[row]) continue;
    std::size_t players = 1;
    if (layout_.max_players > 1) {
      players = static_cast<std::size_t>(layout_.player_count.At<std::int32_t>(block, row, 1)[0]);
    }
    for (const Column& column : layout_.all) {
      std::byte* data = block + column.offset;
      const std::size_t from = column.per_player ? row * layout_.max_players : row;
      const std::size_t to = column.per_player ? player_rows : rows;
      const std::size_t count = column.per_player ? players : 1;
      std::memmove(data + to * column.row_bytes, data + from * column.row_bytes,
                   count * column.row_bytes);
    }
    ++rows;
    player_rows += players;
  }
  delivery.rows = rows;
  delivery.player_rows = player_rows;
}

void Pool::Close(Interrupt interrupt) {
  if (IsForked()) return;
  receive_mutex_.CheckNotHeldByThisThread();
  closing_.fetch_add(1);
  try {
    done_gate_.NotifyAll();
    const InterruptibleMutex::Lock receiver(receive_mutex_, interrupt);
    RequestStop();
    const auto stopped = [this] { return running_threads_.load() == 0; };
    while (!done_gate_.WaitFor(kInterruptPeriod, stopped)) interrupt();
    const std::lock_guard lock(request_mutex_);
    FinishStop();
    ForgetRequests();
  } catch (...) {
    closing_.fetch_sub(1);
    throw;
  }
  closing_.fetch_sub(1);
}

// Only while there are no workers.
void Pool::ForgetRequests() {
  requests_.Clear();
  for (std::size_t env = 0; env < slots_.size(); ++env) {
    if (status_[env] != Status::kInFlight) continue;
    if (slots_[env].next == Task::kObserve) slots_[env].next = Task::kStep;
    rare_[env].reset_options.reset();
    SetStatus(env, IdleStatus(env));
  }
  in_flight_ = 0;
  open_batches_.clear();
  window_.clear();
}

}  // namespace envpool
