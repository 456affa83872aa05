#include "executor/pool.h"

#include <algorithm>
#include <utility>

namespace envpool {

namespace {

// More would only hold memory that a caller once kept alive for long.
constexpr std::size_t kMaxFreeBlocks = 64;

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

Pool::Pool(PoolConfig config, Interrupt interrupt)
    : Pool(config, MakePoolSpec(config, interrupt), interrupt) {}

Pool::Pool(PoolConfig config, PoolSpec spec, Interrupt interrupt)
    : Front(Layout(spec.common, config.layout, static_cast<std::size_t>(config.batch_size)),
            config.num_envs, config.num_threads, *this),
      config_(std::move(config)),
      spec_(std::move(spec)),
      environments_(config_, spec_, GetLayout(), interrupt),
      batches_(MakeBatches(config_, GetLayout())),
      scheduler_(MakeSchedulerConfig(config_), *this, GetOffice().attendance),
      receiver_(*batches_, scheduler_, GetOffice().closing),
      lender_(GetOffice(), config_, spec_.common.action, GetLayout(), environments_, scheduler_) {}

Runner::Tally Pool::Run(std::span<Request> requests, bool is_measured) {
  Tally tally;
  const auto now = [is_measured] { return is_measured ? Clock::now() : Clock::time_point(); };
  // One phase after the other: while one environment's numbers are still on their way, the
  // processor is at the next one's.
  const Clock::time_point start = now();
  tally.steps = environments_.Advance(requests);
  const Clock::time_point stepped = now();
  batches_->TakeRows(requests);
  const Clock::time_point placed = now();
  environments_.Observe(requests);
  if (is_measured) tally.environments = (stepped - start) + (now() - placed);
  tally.episodes = environments_.WriteResults(requests);
  return tally;
}

void Pool::Publish(std::span<const Request> requests, Clock::time_point now) {
  if (LocalBatches::Complete(requests, now)) receiver_.Wake();
}

void Pool::OpenBatch(std::size_t rows, Slots* slots) {
  if (!scheduler_.IsStarted()) {
    batches_->Start();
    scheduler_.Start();
  }
  batches_->Open(rows, slots);
}

void Pool::QueueSteps(Desk& desk, const StepRequest& request, bool caller_stays) {
  const std::span<const std::int32_t> ids = request.env_ids;
  environments_.StoreActions(ids, request.actions);
  if (ids.empty()) return;
  OpenBatch(ids.size(), request.slots);
  desk.Begin(request, environments_.PlayersOf(ids));
  scheduler_.Enqueue(ids, batches_->Newest(), caller_stays);
}

void Pool::QueueResets(Desk& desk, const ResetRequest& request,
                       std::span<const std::int32_t> others, bool caller_stays) {
  const std::span<const std::int32_t> ids = request.env_ids;
  const std::span<const std::int32_t> rows = request.observe_others ? AllIds() : ids;
  if (rows.empty()) return;
  if (request.slots != nullptr) request.slots->Rewind();
  OpenBatch(rows.size(), request.slots);
  desk.Begin(request, others);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto seed = request.seeds.empty() ? std::nullopt : request.seeds[i];
    environments_.RequestReset(ids[i], seed, request.options);
  }
  for (const std::int32_t id : others) environments_.RequestObservation(id);
  scheduler_.Enqueue(rows, batches_->Newest(), caller_stays);
}

std::optional<Delivery> Pool::Await(Clock::time_point deadline, Interrupt interrupt) {
  if (!receiver_.Await(deadline, interrupt)) return std::nullopt;
  interrupt();  // what it throws later would lose the batch
  const DeskAccess desk = GetOffice().desk.Lock();
  Delivery delivery = desk->Take(*batches_, GetLayout());
  if (config_.autoreset_mode == AutoresetMode::kDisabled) {
    for (const std::int32_t id : IdsOf(delivery, GetLayout())) {
      desk->ledger.Set(id, environments_.RestStatus(id));
    }
  }
  desk->Finish(delivery, GetLayout());
  return delivery;
}

void Pool::UpdateTotals(PoolStats& stats) {
  const std::vector<ThreadCounters>& counters = scheduler_.Counters();
  counters[0].Update(stats.caller);
  for (std::size_t i = 0; i < stats.workers.size(); ++i) counters[1 + i].Update(stats.workers[i]);
}

void Pool::FinishStop(Desk& desk) {
  scheduler_.FinishStop();
  for (const std::int32_t id : desk.ledger.ForgetInFlight()) {
    environments_.ForgetRequest(id);
    if (desk.journal != nullptr) desk.journal->NotePut(id);  // it may have run, or not
    desk.ledger.Set(id, environments_.RestStatus(id));
  }
  batches_->Forget();
  environments_.Release();
}

}  // namespace envpool
