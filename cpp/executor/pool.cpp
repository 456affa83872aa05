#include "executor/pool.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "executor/pool_loan.h"
#include "executor/results/first_come_batches.h"
#include "executor/results/ordered_batches.h"

namespace envpool {

namespace {

// More would only hold memory that a caller once kept alive for long.
constexpr std::size_t kMaxFreeBlocks = 64;

PoolConfig Checked(PoolConfig config) {
  config.Check();
  return config;
}

PoolConfig OfType(const EnvType& type, PoolConfig config) {
  config.kinds = {{type.name, &type, config.max_episode_steps}};
  return config;
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
          .caller_works = config.IsSynchronous(),
          .thread_pool = config.thread_pool};
}

// For as long as it lives, the pool is being closed.
class Closing {
 public:
  explicit Closing(std::atomic<int>& count) : count_(count) { count_.fetch_add(1); }
  Closing(const Closing&) = delete;
  Closing& operator=(const Closing&) = delete;
  ~Closing() { count_.fetch_sub(1); }

 private:
  std::atomic<int>& count_;
};

}  // namespace

Pool::Pool(const EnvType& type, PoolConfig config, Interrupt interrupt)
    : Pool(OfType(type, std::move(config)), interrupt) {}

Pool::Pool(PoolConfig config, Interrupt interrupt)
    : config_(Checked(std::move(config))),
      spec_(MakePoolSpec(config_, interrupt)),
      layout_(spec_.common, config_.layout, static_cast<std::size_t>(config_.batch_size)),
      all_ids_(IdsBelow(config_.num_envs)),
      desk_(Ledger(all_ids_), Statistics(config_.num_threads)),
      environments_(config_, spec_, layout_, interrupt),
      states_(spec_, config_, environments_),
      journal_(config_.record.empty()
                   ? nullptr
                   : std::make_unique<Journal>(config_, spec_, layout_, environments_, states_)),
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
  scheduler_.CheckHasThreads();
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
  Batch* batch = batches_->Open(env_ids.size());
  if (journal_) journal_->NoteSteps(env_ids, actions);
  Queue(desk, env_ids, batch, caller_stays);
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
  if (journal_) journal_->NoteResets(request);
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

void Pool::CheckPlayers(std::span<const std::int32_t> env_ids,
                        std::span<const std::int32_t> owners) {
  CheckUsable();
  const auto desk = desk_.Lock();
  CheckNotStopping(*desk);
  desk->ledger.Check(env_ids, Purpose::kStep);
  environments_.CheckPlayers(env_ids, owners);
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
  if (journal_) journal_->NoteEnds(delivery, ids);
  delivery.CloseGaps(layout_);
  return delivery;
}

std::shared_ptr<const Pool::Loan> Pool::Borrow(std::span<const std::int32_t> env_ids,
                                               Purpose purpose, Status status) {
  return std::make_shared<const Loan>(*this, env_ids, purpose, status);
}

// Calls `visit` for each index below the count, and keeps the loan until the last visit has ended.
// `size` is what the time of a visit may depend on: see Pace.
void Pool::Visit(std::shared_ptr<const Loan> loan, std::size_t count,
                 std::function<void(std::size_t)> visit, Pace& pace, const std::string& call,
                 Interrupt interrupt, std::size_t size) {
  const Visits::Config config{.count = count,
                              .most_threads = static_cast<std::size_t>(config_.num_threads),
                              .alone = pace.Alone(size)};
  const auto visit_lent = [loan = std::move(loan), visit = std::move(visit)](std::size_t index) {
    visit(index);
  };
  Visits visits(config, visit_lent, closing_);
  const Visitor visitor(desk_);
  const bool is_complete = visits.Run(interrupt);
  pace.Record(visits.Longest(), size);
  if (!is_complete) throw std::runtime_error("the pool was closed during " + call);
}

std::vector<std::string> Pool::GetState(std::span<const std::int32_t> env_ids,
                                        Interrupt interrupt) {
  CheckUsable();
  const auto loan = Borrow(env_ids, Purpose::kState, Status::kSaving);
  const auto states = std::make_shared<std::vector<std::string>>(env_ids.size());
  const auto save = [this, &lent = *loan, states](std::size_t index) {
    (*states)[index] = states_.Save(lent.Id(index));
  };
  Visit(loan, env_ids.size(), save, saving_, "get_state()", interrupt);
  return std::move(*states);
}

void Pool::SetState(std::span<const std::int32_t> env_ids, std::span<const std::string_view> states,
                    Interrupt interrupt) {
  CheckUsable();
  // A whole new state mends what has failed.
  const auto loan = Borrow(env_ids, Purpose::kReset, Status::kChanging);
  if (states.size() != env_ids.size()) {
    throw std::invalid_argument("states has " + std::to_string(states.size()) +
                                " entries, expected " + std::to_string(env_ids.size()) +
                                ", one per environment");
  }
  const auto opened = std::make_shared<std::vector<std::string>>();
  std::size_t longest = 0;
  InterruptTimer timer(interrupt);
  for (std::size_t i = 0; i < states.size(); ++i) {
    opened->push_back(states_.Open(env_ids[i], states[i], "states[" + std::to_string(i) + "]"));
    longest = std::max(longest, opened->back().size());
    timer.Check();
  }
  if (journal_) {
    const auto desk = desk_.Lock();
    for (const std::int32_t id : env_ids) journal_->NotePut(id);
  }
  const auto load = [this, &lent = *loan, opened](std::size_t index) {
    states_.Load(lent.Id(index), (*opened)[index]);
  };
  Visit(loan, env_ids.size(), load, loading_, "set_state()", interrupt, longest);
}

void Pool::SetOptions(std::span<const std::int32_t> env_ids, std::vector<Options> options,
                      Interrupt interrupt) {
  CheckUsable();
  if (options.size() != env_ids.size()) throw std::invalid_argument("options: expected one per id");
  CheckIds(env_ids);
  const auto wanted = std::make_shared<const std::vector<Options>>(std::move(options));
  // What was replaced ends without the desk.
  const auto replacements = std::make_shared<std::vector<States::Made>>(env_ids.size());
  const std::vector<std::int32_t> ids(env_ids.begin(), env_ids.end());
  const auto make = [this, ids, wanted, replacements](std::size_t index) {
    (*replacements)[index] = states_.Make(ids[index], (*wanted)[index]);
  };
  const std::string call = "set_attr()";
  Pace making, copying;  // nothing is known: this is rare enough for threads of its own each time
  Visit(Borrow({}, Purpose::kState, Status::kSaving), env_ids.size(), make, making, call,
        interrupt);
  const auto loan = Borrow(env_ids, Purpose::kState, Status::kChanging);
  const auto copy = [this, &lent = *loan, replacements](std::size_t index) {
    states_.CopyState(lent.Id(index), *(*replacements)[index].env);
  };
  Visit(loan, env_ids.size(), copy, copying, call, interrupt);
  const auto desk = desk_.Lock();
  for (std::size_t i = 0; i < env_ids.size(); ++i) {
    states_.Exchange(env_ids[i], (*replacements)[i]);
    if (journal_) journal_->NoteOptions(env_ids[i]);
    scheduler_.ForgetCost(static_cast<std::size_t>(env_ids[i]));  // another one, another cost
  }
}

std::shared_ptr<Pictures> Pool::Render(std::span<const std::int32_t> env_ids, FrameSize size,
                                       int camera, Interrupt interrupt) {
  CheckUsable();
  const auto pictures = std::make_shared<Pictures>(size, env_ids.size());
  const auto loan = Borrow(env_ids, Purpose::kState, Status::kRendering);
  const auto draw = [this, &lent = *loan, pictures, camera](std::size_t index) {
    const FrameSize each = pictures->Size();
    const Frame frame{each.width, each.height, camera, pictures->At(index)};
    const std::int32_t id = lent.Id(index);
    LookAt(id, [&] { environments_.At(id).Render(frame); });
  };
  Visit(loan, env_ids.size(), draw, drawing_, "render()", interrupt);
  return pictures;
}

std::vector<Scene> Pool::Describe(std::span<const std::int32_t> env_ids, Interrupt interrupt) {
  CheckUsable();
  const auto loan = Borrow(env_ids, Purpose::kState, Status::kRendering);
  const auto scenes = std::make_shared<std::vector<Scene>>(env_ids.size());
  const auto describe = [this, &lent = *loan, scenes](std::size_t index) {
    const std::int32_t id = lent.Id(index);
    LookAt(id, [&] { (*scenes)[index] = environments_.At(id).Describe(); });
  };
  Visit(loan, env_ids.size(), describe, describing_, "render()", interrupt);
  return std::move(*scenes);
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
    if (journal_) journal_->NotePut(env_ids[i]);
    environments_.At(env_ids[i]).Assume(scenes[i]);
  }
}

std::vector<Options> Pool::GetOptions(std::span<const std::int32_t> env_ids) {
  CheckUsable();
  CheckIds(env_ids);
  const auto desk = desk_.Lock();
  std::vector<Options> options;
  for (const std::int32_t id : env_ids) options.push_back(states_.OptionsOf(id));
  return options;
}

void Pool::CheckIds(std::span<const std::int32_t> env_ids) const {
  for (const std::int32_t id : env_ids) {
    if (id >= 0 && id < config_.num_envs) continue;
    throw std::out_of_range("there is no environment " + std::to_string(id));
  }
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

bool Pool::Close(Interrupt interrupt, Clock::time_point deadline) {
  if (IsForked()) return true;
  // A signal handler that interrupts a call would wait for it for ever.
  receive_mutex_.CheckNotHeldByThisThread();
  desk_.Lock()->ledger.CheckVisitsNone();
  const Closing closing(closing_);
  receiver_.Wake();
  const InterruptibleMutex::Lock receiver(receive_mutex_, interrupt, deadline);
  if (!receiver.IsHeld()) return false;
  {
    // A call that finds an interrupted close done takes its stop back; it must not take ours.
    const auto desk = desk_.Lock();
    scheduler_.RequestStop();
    if (journal_) journal_->Flush();
  }
  if (!attendance_.AwaitEmpty(interrupt, deadline)) return false;
  // Without the desk, as a disk may be slow. Whoever would note anything now is refused.
  if (journal_ && !journal_->Stop(interrupt, deadline)) return false;
  FinishClose(*desk_.Lock());
  return true;
}

// Once nothing runs any more.
void Pool::FinishClose(Desk& desk) {
  scheduler_.FinishStop();
  for (const std::int32_t id : desk.ledger.ForgetInFlight()) {
    environments_.ForgetRequest(id);
    if (journal_) journal_->NotePut(id);  // it may have run, or not
    desk.ledger.Set(id, environments_.RestStatus(id));
  }
  batches_->Forget();
  environments_.Release();
}

std::string Pool::TakeRecordingProblem() {
  return journal_ && !IsForked() ? journal_->TakeProblem() : "";
}

}  // namespace envpool
