#include "executor/pool.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace envpool {

namespace {

// More would only hold memory that a caller once kept alive for long.
constexpr std::size_t kMaxFreeBlocks = 64;

const PoolConfig& Checked(const PoolConfig& config) {
  config.Check();
  return config;
}

PoolConfig OfType(const EnvType& type, PoolConfig config) {
  config.kinds = {{type.name, &type, config.max_episode_steps}};
  return config;
}

std::unique_ptr<LocalBatches> MakeBatches(const PoolConfig& config, const Layout& layout) {
  auto blocks = std::make_shared<BlockPool>(layout.bytes, kMaxFreeBlocks);
  if (config.IsSynchronous()) return std::make_unique<OrderedBatches>(std::move(blocks));
  return std::make_unique<FirstComeBatches>(std::move(blocks),
                                            static_cast<std::size_t>(config.num_envs),
                                            static_cast<std::size_t>(config.batch_size));
}

SchedulerConfig MakeSchedulerConfig(const PoolConfig& config) {
  const bool is_together = std::ranges::all_of(
      config.kinds, [](const Kind& kind) { return kind.type->step_together != nullptr; });
  return {.num_envs = static_cast<std::size_t>(config.num_envs),
          .num_threads = config.num_threads,
          .affinity_offset = config.thread_affinity_offset,
          .caller_works = config.IsSynchronous(),
          .most_together = is_together ? kMostTurns : 1};
}

}  // namespace

Pool::Pool(const EnvType& type, PoolConfig config, Interrupt interrupt)
    : Pool(OfType(type, std::move(config)), interrupt) {}

Pool::Pool(PoolConfig config, Interrupt interrupt)
    : Pool(config, MakePoolSpec(Checked(config), interrupt), interrupt) {}

Pool::Pool(PoolConfig config, PoolSpec spec, Interrupt interrupt)
    : Lender(std::move(config), std::move(spec), interrupt),
      batches_(MakeBatches(Config(), GetLayout())),
      scheduler_(MakeSchedulerConfig(Config()), *this, attendance_),
      receiver_(*batches_, scheduler_, closing_) {}

Runner::Tally Pool::Run(std::span<Request> requests) {
  Tally tally;
  // One phase after the other: while one environment's numbers are still on their way, the
  // processor is at the next one's.
  tally.steps = environments_.Advance(requests);
  batches_->TakeRows(requests);
  environments_.Observe(requests);
  tally.episodes = environments_.WriteResults(requests);
  return tally;
}

void Pool::Publish(std::span<const Request> requests, Clock::time_point now) {
  if (LocalBatches::Complete(requests, now)) receiver_.Wake();
}

// Once the workers are told to stop, no thread is inside of a receive: who tells them holds
// receive_mutex_, and who comes later is refused here.
void Pool::CheckOpen(Desk& desk) {
  if (!scheduler_.IsStopping()) return;
  if (closing_.load() > 0 || !attendance_.IsEmpty()) {
    throw std::runtime_error(
        "the pool is being closed, and some environments still run: close() waits for them");
  }
  // A close was interrupted, and what it waited for has happened since.
  FinishStop(desk);
}

std::span<const std::int32_t> Pool::PlayersOf(std::span<const std::int32_t> env_ids, std::size_t) {
  return environments_.PlayersOf(env_ids);
}

void Pool::StoreActions(const StepRequest& request) {
  environments_.StoreActions(request.env_ids, request.actions);
}

void Pool::OpenBatch(std::size_t rows) {
  if (!scheduler_.IsStarted()) {
    batches_->Start();
    scheduler_.Start();
  }
  batches_->Open(rows);
}

void Pool::QueueSteps(const StepRequest& request, bool caller_stays) {
  scheduler_.Enqueue(request.env_ids, batches_->Newest(), caller_stays);
}

void Pool::QueueResets(const ResetRequest& request, std::span<const std::int32_t> others,
                       bool caller_stays) {
  const std::span<const std::int32_t> ids = request.env_ids;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto seed = request.seeds.empty() ? std::nullopt : request.seeds[i];
    environments_.RequestReset(ids[i], seed, request.options);
  }
  for (const std::int32_t id : others) environments_.RequestObservation(id);
  const std::span<const std::int32_t> rows = request.observe_others ? AllIds() : ids;
  scheduler_.Enqueue(rows, batches_->Newest(), caller_stays);
}

void Pool::Settle(Desk& desk, const Delivery&, std::span<const std::int32_t> env_ids) {
  if (Config().autoreset_mode != AutoresetMode::kDisabled) return;
  for (const std::int32_t id : env_ids) desk.ledger.Set(id, environments_.RestStatus(id));
}

void Pool::UpdateTotals(PoolStats& stats) {
  const std::vector<ThreadCounters>& counters = scheduler_.Counters();
  counters[0].Update(stats.caller);
  for (std::size_t i = 0; i < stats.workers.size(); ++i) counters[1 + i].Update(stats.workers[i]);
}

bool Pool::AwaitFront(Clock::time_point deadline, Interrupt interrupt) {
  return receiver_.Await(deadline, interrupt);
}

void Pool::FinishStop(Desk& desk) {
  scheduler_.FinishStop();
  for (const std::int32_t id : desk.ledger.ForgetInFlight()) {
    environments_.ForgetRequest(id);
    if (journal_) journal_->NotePut(id);  // it may have run, or not
    desk.ledger.Set(id, environments_.RestStatus(id));
  }
  batches_->Forget();
  environments_.Release();
}

void Pool::ForgetCost(std::int32_t env) { scheduler_.ForgetCost(static_cast<std::size_t>(env)); }

}  // namespace envpool
