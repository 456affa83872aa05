#include "executor/pool.h"

#include <numeric>
#include <stdexcept>
#include <utility>

#include "executor/first_come_batches.h"
#include "executor/ordered_batches.h"
#include "executor/rendering.h"
#include "executor/visits.h"

namespace envpool {

namespace {

// More would only hold memory that a caller once kept alive for long.
constexpr std::size_t kMaxFreeBlocks = 64;

// Most states are read in a microsecond, but some take living through an episode again.
constexpr Duration kWorthThreads = std::chrono::milliseconds(1);

PoolConfig Checked(PoolConfig config) {
  config.Check();
  return config;
}

// The spec that all environments have.
Spec MakeSpec(const EnvType& type, const PoolConfig& config) {
  Spec spec = type.spec(config.options[0]);
  for (const auto* fields : {&spec.observation, &spec.info, &spec.action}) {
    for (const Field& field : *fields) {
      if (field.shape.size() <= kMostDimensions) continue;
      throw std::invalid_argument("field " + field.name + " has more than " +
                                  std::to_string(kMostDimensions) + " dimensions");
    }
  }
  if (config.layout.final_rows && spec.max_num_players > 1) {
    throw std::invalid_argument(
        "auto-reset in the same step is only for environments of one player");
  }
  for (std::size_t i = 1; i < config.options.size(); ++i) {
    if (type.spec(config.options[i]) == spec) continue;
    throw std::invalid_argument("environment " + std::to_string(i) +
                                " has options that give it other spaces than environment 0's");
  }
  return spec;
}

std::vector<std::int32_t> IdsBelow(int count) {
  std::vector<std::int32_t> ids(static_cast<std::size_t>(count));
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

std::unique_ptr<Batches> MakeBatches(const PoolConfig& config, const Layout& layout) {
  auto blocks = std::make_shared<BlockPool>(layout.bytes, kMaxFreeBlocks);
  if (config.IsSynchronous()) return std::make_unique<OrderedBatches>(std::move(blocks));
  return std::make_unique<FirstComeBatches>(std::move(blocks),
                                            static_cast<std::size_t>(config.num_envs),
                                            static_cast<std::size_t>(config.batch_size));
}

SchedulerConfig MakeSchedulerConfig(const PoolConfig& config) {
  return {.num_envs = static_cast<std::size_t>(config.num_envs),
          .num_threads = config.num_threads,
          .affinity_offset = config.thread_affinity_offset,
          .caller_works = config.IsSynchronous()};
}

}  // namespace

// Environments that belong to a call for as long as this lives.
class Pool::Loan {
 public:
  Loan(Pool& pool, std::span<const std::int32_t> env_ids, Purpose purpose, Status status)
      : pool_(pool), env_ids_(env_ids) {
    const auto desk = pool_.desk_.Lock();
    pool_.CheckNotStopping(*desk);
    desk->ledger.Check(env_ids_, purpose);
    if (status == Status::kRendering) CheckHaveEpisodes();
    desk->ledger.Borrow(env_ids_, status);
    pool_.attendance_.Enter();
  }
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;
  ~Loan() {
    const auto desk = pool_.desk_.Lock();
    for (const std::int32_t id : env_ids_) {
      desk->ledger.Set(id, pool_.environments_.RestStatus(id));
    }
    desk->ledger.EndBorrowing();
    // With the desk held, because a closer that needs it next may be about to destroy the pool.
    pool_.attendance_.Leave();
  }

 private:
  void CheckHaveEpisodes() const {
    for (const std::int32_t id : env_ids_) {
      if (!pool_.environments_.AwaitsReset(id)) continue;
      throw std::runtime_error("environment " + std::to_string(id) +
                               " has no episode to render: reset it first");
    }
  }

  Pool& pool_;
  const std::span<const std::int32_t> env_ids_;
};

Pool::Pool(const EnvType& type, PoolConfig config, Interrupt interrupt)
    : type_(type),
      config_(Checked(std::move(config))),
      spec_(MakeSpec(type, config_)),
      layout_(spec_, config_.layout, static_cast<std::size_t>(config_.batch_size)),
      all_ids_(IdsBelow(config_.num_envs)),
      desk_(Ledger(all_ids_), Statistics(config_.num_threads)),
      environments_(type, config_, spec_, layout_, interrupt),
      states_(type, spec_, config_, environments_),
      batches_(MakeBatches(config_, layout_)),
      scheduler_(MakeSchedulerConfig(config_), *this, attendance_),
      receiver_(*batches_, scheduler_, closing_) {
  const auto desk = desk_.Lock();
  for (const std::int32_t id : all_ids_) desk->ledger.Set(id, environments_.RestStatus(id));
}

Pool::~Pool() { Close(); }

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
  if (Batches::Complete(requests, now)) receiver_.Wake();
}

void Pool::CheckUsable() const {
  if (IsForked()) {
    throw std::runtime_error(
        "this pool was created before the process forked, and its threads stayed in the parent: "
        "create a pool in the child instead");
  }
}

// Once the workers are told to stop, no thread is inside of a receive: who tells them holds
// receive_mutex_, and who comes later is refused here.
void Pool::CheckNotStopping(Desk& desk) {
  if (!scheduler_.IsStopping()) return;
  if (closing_.load() > 0 || !attendance_.IsEmpty()) {
    throw std::runtime_error(
        "the pool is being closed, and some environments still run: close() waits for them");
  }
  // A close was interrupted, and what it waited for has happened since.
  FinishClose(desk);
}

void Pool::EnsureStarted() {
  if (scheduler_.IsStarted()) return;
  batches_->Start();
  scheduler_.Start();
}

void Pool::QueueSteps(Desk& desk, std::span<const std::int32_t> env_ids,
                      std::span<const ArrayView> actions, bool caller_stays) {
  desk.ledger.Check(env_ids, Purpose::kStep);
  environments_.StoreActions(env_ids, actions);
  EnsureStarted();
  if (env_ids.empty()) return;
  Queue(desk, env_ids, batches_->Open(env_ids.size()), caller_stays);
}

void Pool::QueueResets(Desk& desk, const ResetRequest& request, bool caller_stays) {
  const auto& [env_ids, seeds, options, observe_others] = request;
  desk.ledger.Check(env_ids, Purpose::kReset);
  if (!seeds.empty() && seeds.size() != env_ids.size()) {
    throw std::invalid_argument("seed: expected " + std::to_string(env_ids.size()) +
                                " numbers, got " + std::to_string(seeds.size()));
  }
  std::vector<std::int32_t> others;
  if (observe_others) others = desk.ledger.OthersThan(env_ids);
  desk.ledger.Check(others, Purpose::kState);
  const std::span<const std::int32_t> rows = observe_others ? all_ids_ : env_ids;
  EnsureStarted();
  if (rows.empty()) return;
  Batch* batch = batches_->Open(rows.size());
  // From here on nothing can fail.
  for (std::size_t i = 0; i < env_ids.size(); ++i) {
    environments_.RequestReset(env_ids[i], seeds.empty() ? std::nullopt : seeds[i], options);
  }
  for (const std::int32_t id : others) environments_.RequestObservation(id);
  Queue(desk, rows, batch, caller_stays);
}

// The requests are valid and the threads are there.
void Pool::Queue(Desk& desk, std::span<const std::int32_t> env_ids, Batch* batch,
                 bool caller_stays) {
  desk.ledger.Begin(env_ids);
  scheduler_.Enqueue(env_ids, batch, caller_stays);
}

void Pool::Send(std::span<const std::int32_t> env_ids, std::span<const ArrayView> actions) {
  CheckUsable();
  const auto desk = desk_.Lock();
  CheckNotStopping(*desk);
  QueueSteps(*desk, env_ids, actions, false);
}

void Pool::SendReset(const ResetRequest& request) {
  CheckUsable();
  const auto desk = desk_.Lock();
  CheckNotStopping(*desk);
  QueueResets(*desk, request, false);
}

std::optional<Delivery> Pool::Receive(std::optional<Duration> timeout, Interrupt interrupt) {
  CheckUsable();
  const auto deadline = timeout ? Clock::now() + *timeout : Clock::time_point::max();
  const InterruptibleMutex::Lock receiver(receive_mutex_, interrupt, deadline);
  if (!receiver.IsHeld()) return std::nullopt;
  {
    const auto desk = desk_.Lock();
    CheckNotStopping(*desk);
    if (!timeout) desk->ledger.CheckCanReceive(batches_->RequestsNeeded());
  }
  if (!receiver_.Await(deadline, interrupt)) return std::nullopt;
  return Deliver(*desk_.Lock());
}

Delivery Pool::Step(std::span<const std::int32_t> env_ids, std::span<const ArrayView> actions,
                    Interrupt interrupt) {
  CheckUsable();
  const InterruptibleMutex::Lock receiver(receive_mutex_, interrupt);
  {
    const auto desk = desk_.Lock();
    CheckNotStopping(*desk);
    CheckCanReceive(*desk, env_ids.size());
    QueueSteps(*desk, env_ids, actions, true);
  }
  return env_ids.empty() ? batches_->Empty() : AwaitDelivery(interrupt);
}

Delivery Pool::Reset(const ResetRequest& request, Interrupt interrupt) {
  CheckUsable();
  const InterruptibleMutex::Lock receiver(receive_mutex_, interrupt);
  const std::size_t rows = request.observe_others ? all_ids_.size() : request.env_ids.size();
  {
    const auto desk = desk_.Lock();
    CheckNotStopping(*desk);
    CheckCanReceive(*desk, rows);
    QueueResets(*desk, request, true);
  }
  return rows == 0 ? batches_->Empty() : AwaitDelivery(interrupt);
}

// Would a receive after so many more requests return, and where batches belong to sends with their
// results?
void Pool::CheckCanReceive(Desk& desk, std::size_t rows) {
  if (batches_->HasOpen()) {
    throw std::runtime_error("there are results of an earlier send: recv() them first");
  }
  desk.ledger.CheckCanReceive(batches_->RequestsNeeded(), rows);
}

Delivery Pool::AwaitDelivery(Interrupt interrupt) {
  receiver_.Await(Clock::time_point::max(), interrupt);
  return Deliver(*desk_.Lock());
}

// The front of the batches is ready. Its environments belong to the callers again.
Delivery Pool::Deliver(Desk& desk) {
  const Duration age = batches_->FrontAge();
  Delivery delivery = batches_->Take();
  desk.statistics.CountBatch(age);
  const auto ids = layout_.env_id.At<std::int32_t>(delivery.block.get(), 0, delivery.rows);
  desk.ledger.Finish(ids);
  if (config_.autoreset_mode == AutoresetMode::kDisabled) {
    for (const std::int32_t id : ids) desk.ledger.Set(id, environments_.RestStatus(id));
  }
  for (const EnvError& error : delivery.errors) desk.ledger.Set(error.env_id, Status::kBroken);
  delivery.CloseGaps(layout_);
  return delivery;
}

std::vector<std::string> Pool::GetState(std::span<const std::int32_t> env_ids,
                                        Interrupt interrupt) {
  CheckUsable();
  const Loan loan(*this, env_ids, Purpose::kState, Status::kSaving);
  std::vector<std::string> states(env_ids.size());
  const auto save = [&](std::size_t index) { states[index] = states_.Save(env_ids[index]); };
  Visits visits({.count = env_ids.size()}, save, closing_);
  if (!visits.Run(interrupt)) throw std::runtime_error("the pool was closed during get_state()");
  return states;
}

void Pool::SetState(std::span<const std::int32_t> env_ids, std::span<const std::string_view> states,
                    Interrupt interrupt) {
  CheckUsable();
  // A whole new state mends what has failed.
  const Loan loan(*this, env_ids, Purpose::kReset, Status::kChanging);
  if (states.size() != env_ids.size()) {
    throw std::invalid_argument("states has " + std::to_string(states.size()) +
                                " entries, expected " + std::to_string(env_ids.size()) +
                                ", one per environment");
  }
  std::vector<std::string> opened;
  for (std::size_t i = 0; i < states.size(); ++i) {
    opened.push_back(states_.Open(env_ids[i], states[i], "states[" + std::to_string(i) + "]"));
  }
  const auto load = [&](std::size_t index) { states_.Load(env_ids[index], opened[index]); };
  VisitMany(env_ids.size(), load, "set_state()", interrupt);
}

void Pool::SetOptions(std::span<const std::int32_t> env_ids, std::vector<Options> options,
                      Interrupt interrupt) {
  CheckUsable();
  if (options.size() != env_ids.size()) throw std::invalid_argument("options: expected one per id");
  std::vector<States::Made> replacements;  // what was replaced ends without the desk
  for (Options& changed : options) {
    replacements.push_back(states_.Make(std::move(changed)));
    interrupt();
  }
  const Loan loan(*this, env_ids, Purpose::kState, Status::kChanging);
  const auto copy = [&](std::size_t index) {
    states_.CopyState(env_ids[index], *replacements[index].env);
  };
  VisitMany(env_ids.size(), copy, "set_attr()", interrupt);
  const auto desk = desk_.Lock();
  for (std::size_t i = 0; i < env_ids.size(); ++i) {
    states_.Exchange(env_ids[i], replacements[i]);
    scheduler_.ForgetCost(static_cast<std::size_t>(env_ids[i]));  // another one, another cost
  }
}

// Calls `visit` for each of so many environments, which takes next to no time or very long.
void Pool::VisitMany(std::size_t count, const std::function<void(std::size_t)>& visit,
                     const std::string& call, Interrupt interrupt) {
  Visits visits({.count = count,
                 .most_threads = static_cast<std::size_t>(config_.num_threads),
                 .alone = kWorthThreads},
                visit, closing_);
  if (!visits.Run(interrupt)) throw std::runtime_error("the pool was closed during " + call);
}

void Pool::Render(std::span<const std::int32_t> env_ids, FrameSize size, int camera,
                  std::span<std::uint8_t> pixels, Interrupt interrupt) {
  CheckUsable();
  Rendering::CheckRoom(size, env_ids.size(), pixels);
  const Loan loan(*this, env_ids, Purpose::kState, Status::kRendering);
  Rendering(environments_, env_ids, closing_)
      .Draw(size, camera, pixels, static_cast<std::size_t>(config_.num_threads), interrupt);
}

std::vector<Scene> Pool::Describe(std::span<const std::int32_t> env_ids, Interrupt interrupt) {
  CheckUsable();
  const Loan loan(*this, env_ids, Purpose::kState, Status::kRendering);
  return Rendering(environments_, env_ids, closing_).Describe(interrupt);
}

void Pool::Assume(std::span<const std::int32_t> env_ids, std::span<const Scene> scenes) {
  CheckUsable();
  if (scenes.size() != env_ids.size()) throw std::invalid_argument("scenes: expected one per id");
  const auto desk = desk_.Lock();
  CheckNotStopping(*desk);
  desk->ledger.Check(env_ids, Purpose::kState);
  for (std::size_t i = 0; i < env_ids.size(); ++i) {
    if (environments_.AwaitsReset(env_ids[i])) {
      throw std::runtime_error("environment " + std::to_string(env_ids[i]) +
                               " has no episode: reset it first");
    }
    environments_.At(env_ids[i]).Assume(scenes[i]);
  }
}

std::vector<Options> Pool::GetOptions(std::span<const std::int32_t> env_ids) {
  CheckUsable();
  const auto desk = desk_.Lock();
  std::vector<Options> options;
  for (const std::int32_t id : env_ids) {
    if (id < 0 || id >= config_.num_envs) {
      throw std::out_of_range("there is no environment " + std::to_string(id));
    }
    options.push_back(states_.OptionsOf(id));
  }
  return options;
}

std::vector<Random> Pool::GetRandom() {
  CheckUsable();
  const auto desk = desk_.Lock();
  CheckNotStopping(*desk);
  desk->ledger.Check(all_ids_, Purpose::kReset);
  return environments_.RandomGenerators();
}

std::vector<std::int32_t> Pool::GetElapsedSteps() {
  CheckUsable();
  const auto desk = desk_.Lock();
  CheckNotStopping(*desk);
  desk->ledger.Check(all_ids_, Purpose::kReset);
  return environments_.ElapsedSteps();
}

PoolStats Pool::Stats(bool restart) {
  CheckUsable();
  return desk_.Lock()->statistics.Read(scheduler_.Counters(), restart);
}

void Pool::Discard(Interrupt interrupt) {
  CheckUsable();
  const InterruptibleMutex::Lock receiver(receive_mutex_, interrupt);
  const auto is_anything_open = [this] {
    const auto desk = desk_.Lock();
    CheckNotStopping(*desk);
    return batches_->HasOpen();
  };
  while (is_anything_open()) AwaitDelivery(interrupt);
}

void Pool::Close(Interrupt interrupt) {
  if (IsForked()) return;
  // A signal handler that interrupts a call would wait for it for ever.
  receive_mutex_.CheckNotHeldByThisThread();
  desk_.Lock()->ledger.CheckIsNoBorrower();
  closing_.fetch_add(1);
  try {
    receiver_.Wake();
    const InterruptibleMutex::Lock receiver(receive_mutex_, interrupt);
    {
      // A call that finds an interrupted close done takes its stop back; it must not take ours.
      const auto desk = desk_.Lock();
      scheduler_.RequestStop();
    }
    attendance_.AwaitEmpty(interrupt);
    FinishClose(*desk_.Lock());
  } catch (...) {
    closing_.fetch_sub(1);
    throw;
  }
  closing_.fetch_sub(1);
}

// Once nothing runs any more.
void Pool::FinishClose(Desk& desk) {
  scheduler_.FinishStop();
  for (const std::int32_t id : desk.ledger.ForgetInFlight()) {
    environments_.ForgetRequest(id);
    desk.ledger.Set(id, environments_.RestStatus(id));
  }
  batches_->Forget();
  environments_.Release();
}

}  // namespace envpool
