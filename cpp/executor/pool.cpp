// The pool's life and its calls. Their parts: pool_requests.cpp (from a call to the queue),
// pool_workers.cpp (from there to completed rows), pool_results.cpp (from these to the caller),
// pool_state.cpp (environments that are not running), and pool_render.cpp (their pictures).
#include "executor/pool.h"

#include <pthread.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace envpool {

namespace {

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
      counters_(1 + static_cast<std::size_t>(config_.num_threads)),
      totals_(counters_.size()) {
  if (layout_.config.final_rows && layout_.max_players > 1) {
    throw std::invalid_argument(
        "auto-reset in the same step is only for environments of one player");
  }
  for (std::size_t i = 1; i < config_.options.size(); ++i) {
    if (type.spec(config_.options[i]) == spec_) continue;
    throw std::invalid_argument("environment " + std::to_string(i) +
                                " has options that give it other spaces than environment 0's");
  }
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    slots_[i].env = type.create(config_.options[i % config_.options.size()]);
    if (layout_.max_players > 1) CountPlayers(slots_[i]);
    Seed(i, config_.seeds[i]);
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
  if (closing_.load() > 0 || running_threads_.load() > 0 || rendering_.load() > 0) {
    throw std::runtime_error(
        "the pool is being closed, and some environments still run: close() waits for them");
  }
  // A close was interrupted, and what it waited for has happened since.
  FinishClose();
}

void Pool::SetStatus(std::size_t env, Status status) {
  const auto is_unsteppable = [](Status s) {
    return s == Status::kBroken || s == Status::kEpisodeOver || s == Status::kRendering;
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
  const auto deadline = timeout ? Clock::now() + *timeout : Clock::time_point::max();
  const InterruptibleMutex::Lock receiver(receive_mutex_, interrupt, deadline);
  if (!receiver.IsHeld()) return std::nullopt;
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
  if (!AwaitBatch(deadline, interrupt)) return std::nullopt;
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

// A signal handler that interrupts a call would wait for it for ever.
void Pool::CheckNotInCallOfThisThread() const {
  receive_mutex_.CheckNotHeldByThisThread();
  const std::lock_guard lock(request_mutex_);
  if (std::ranges::find(renderers_, std::this_thread::get_id()) != renderers_.end()) {
    throw std::runtime_error(InterruptibleMutex::kHeldByThisThread);
  }
}

void Pool::Close(Interrupt interrupt) {
  if (IsForked()) return;
  CheckNotInCallOfThisThread();
  closing_.fetch_add(1);
  try {
    done_gate_.NotifyAll();
    const InterruptibleMutex::Lock receiver(receive_mutex_, interrupt);
    {
      // A call that finds an interrupted close done takes its stop back; it must not take ours.
      const std::lock_guard lock(request_mutex_);
      RequestStop();
    }
    const auto stopped = [this] { return running_threads_.load() == 0 && rendering_.load() == 0; };
    while (!stopped_gate_.WaitFor(kInterruptPeriod, stopped)) interrupt();
    const std::lock_guard lock(request_mutex_);
    FinishClose();
  } catch (...) {
    closing_.fetch_sub(1);
    throw;
  }
  closing_.fetch_sub(1);
}

// Under request_mutex_, once nothing runs any more.
void Pool::FinishClose() {
  FinishStop();
  ForgetRequests();
  for (const Slot& slot : slots_) {
    try {
      slot.env->Release();
    } catch (...) {
      // Environments promise not to; whatever it is, the pool is closed all the same.
    }
  }
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
