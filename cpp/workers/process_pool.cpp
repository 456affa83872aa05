#include "workers/process_pool.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace envpool {

namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kMostCopies = 64;  // of results that callers keep; more are freed
// How soon a caller that waits learns that a worker has ended.
constexpr Duration kWatchPeriod = std::chrono::milliseconds(20);

SharedConfig Checked(SharedConfig config) {
  config.Check();
  return config;
}

std::vector<std::int32_t> IdsBelow(int count) {
  std::vector<std::int32_t> ids(static_cast<std::size_t>(count));
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

std::vector<File> MakeOutboxes(int count) {
  std::vector<File> files;
  for (int i = 0; i < count; ++i) files.push_back(File::Create("envpool-outbox"));
  return files;
}

std::size_t Index(std::int32_t env) { return static_cast<std::size_t>(env); }

}  // namespace

ProcessPool::ProcessPool(SharedConfig config, DescribeEnd describe_end)
    : config_(Checked(std::move(config))),
      layout_(config_.MakeLayout()),
      all_ids_(IdsBelow(config_.pool.num_envs)),
      describe_end_(std::move(describe_end)),
      exchange_file_(File::Create("envpool")),
      inbox_file_(File::Create("envpool-inbox")),
      outboxes_(MakeOutboxes(config_.pool.num_threads)),
      exchange_(exchange_file_, config_, layout_),
      journal_(config_.pool.record.empty() ? nullptr
                                           : std::make_unique<ProcessJournal>(config_, exchange_)),
      blocks_(std::make_shared<SharedBlocks>(exchange_, layout_.bytes)),
      copies_(std::make_shared<BlockPool>(layout_.bytes, kMostCopies)),
      inbox_(inbox_file_, all_ids_.size()),
      desk_(config_, layout_, exchange_, all_ids_),
      leases_(exchange_.NumBatches()),
      no_worker_(all_ids_.size()),
      front_(kNone) {
  const auto desk = desk_.Lock();
  if (config_.pool.autoreset_mode == AutoresetMode::kDisabled) {
    for (const std::int32_t id : all_ids_) desk->ledger.Set(id, Status::kEpisodeOver);
  }
  for (std::size_t batch = 0; batch < exchange_.NumBatches(); ++batch) {
    if (config_.pool.IsSynchronous()) {
      desk->spare.push_back(batch);
    } else {
      OpenBatch(batch, static_cast<std::size_t>(config_.pool.batch_size));
    }
  }
  if (!config_.pool.IsSynchronous()) front_.store(0);
}

std::vector<int> ProcessPool::Files() const {
  std::vector<int> files = {exchange_file_.Descriptor(), inbox_file_.Descriptor()};
  for (const File& outbox : outboxes_) files.push_back(outbox.Descriptor());
  return files;
}

void ProcessPool::CheckUsable() const {
  if (IsForked()) {
    throw std::runtime_error(
        "this pool was created before the process forked, and belongs to the parent: create a pool "
        "in the child instead");
  }
  if (is_closed_.load()) throw std::runtime_error("the pool is closed");
}

void ProcessPool::SetWorker(int worker, int pid, int sentinel) {
  const auto desk = desk_.Lock();
  desk->watch.Begin(worker, pid, sentinel);
  if (IsRecording()) journal_->NoteWorker(worker);
}

std::vector<int> ProcessPool::LostWorkers(std::span<const std::int32_t> env_ids) {
  WatchWorkers();
  return desk_.Lock()->watch.LostOf(env_ids);
}

std::vector<RowFailure> ProcessPool::LostEnvs() {
  if (IsForked() || is_closed_.load()) return {};
  const auto desk = desk_.Lock();
  std::vector<RowFailure> lost;
  for (const std::int32_t id : all_ids_) {
    const std::string& end = no_worker_[Index(id)];
    if (!end.empty() && desk->ledger.StatusOf(id) == Status::kBroken) {
      lost.push_back({id, end, false});
    }
  }
  return lost;
}

void ProcessPool::CheckPlayers(std::span<const std::int32_t> env_ids,
                               std::span<const std::int32_t> owners) {
  CheckUsable();
  const auto desk = desk_.Lock();
  desk->ledger.Check(env_ids, Purpose::kStep);
  desk->actions.CheckOwners(env_ids, owners);
}

void ProcessPool::OpenBatch(std::size_t batch, std::size_t rows) {
  leases_[batch] = BlockLease(blocks_);
  exchange_.Open(batch, rows, exchange_.IndexOf(leases_[batch].get()));
}

// The requests are valid, and their actions are stored.
void ProcessPool::Queue(Desk& desk, std::span<const std::int32_t> env_ids, const Task task,
                        const Contents& contents, std::span<const std::int32_t> others) {
  const bool is_synchronous = config_.pool.IsSynchronous();
  std::size_t batch = 0;
  if (is_synchronous) {
    batch = desk.spare.back();
    OpenBatch(batch, env_ids.size() + others.size());
    desk.spare.pop_back();
    desk.open.push_back(batch);
    front_.store(desk.open.front());
  }
  const auto request = [&](std::int32_t id, Task its_task, std::size_t row) {
    EnvLine& line = exchange_.Env(Index(id));
    line.task = its_task;
    line.batch = static_cast<std::uint32_t>(batch);
    line.row = static_cast<std::uint32_t>(row);
    exchange_.Request(static_cast<std::size_t>(config_.workers[Index(id)]),
                      static_cast<std::uint32_t>(id));
  };
  desk.ledger.Begin(env_ids);
  desk.ledger.Begin(others);
  for (std::size_t i = 0; i < env_ids.size(); ++i) {
    EnvLine& line = exchange_.Env(Index(env_ids[i]));
    const bool has_letter = !contents.letters.empty() && !contents.letters[i].empty();
    line.letter = has_letter ? inbox_.Write(Index(env_ids[i]), contents.letters[i]) : Letter();
    request(env_ids[i], task, others.empty() ? i : Index(env_ids[i]));
  }
  for (const std::int32_t id : others) {
    exchange_.Env(Index(id)).letter = {};
    request(id, Task::kObserve, Index(id));
  }
  SharedGate::Groups to_wake = 0;
  for (std::size_t worker = 0; worker < exchange_.Workers().size(); ++worker) {
    if (exchange_.HasRequests(worker)) to_wake |= exchange_.ToWake(worker);
  }
  exchange_.WakeWorkers(to_wake);
}

void ProcessPool::CheckContents(std::span<const std::int32_t> env_ids,
                                const Contents& contents) const {
  if (contents.letters.empty() || contents.letters.size() == env_ids.size()) return;
  throw std::invalid_argument("there are " + std::to_string(contents.letters.size()) +
                              " letters, expected " + std::to_string(env_ids.size()));
}

void ProcessPool::CheckCanOpen(Desk& desk) const {
  if (!config_.pool.IsSynchronous() || !desk.spare.empty()) return;
  throw std::runtime_error("there are " + std::to_string(desk.open.size()) +
                           " sends whose results were not received: recv() them first");
}

void ProcessPool::QueueSteps(Desk& desk, std::span<const std::int32_t> env_ids,
                             const Contents& contents) {
  CheckUsable();
  desk.ledger.Check(env_ids, Purpose::kStep);
  CheckContents(env_ids, contents);
  if (env_ids.empty()) return;
  CheckCanOpen(desk);
  const std::vector<int> players = desk.actions.Write(env_ids, contents.actions);
  Queue(desk, env_ids, Task::kStep, contents, {});
  if (journal_) journal_->NoteSteps(env_ids, players, contents.actions);
}

void ProcessPool::QueueResets(Desk& desk, std::span<const std::int32_t> env_ids,
                              const Contents& contents, bool observe_others) {
  CheckUsable();
  desk.ledger.Check(env_ids, Purpose::kReset);
  CheckContents(env_ids, contents);
  for (const std::int32_t id : env_ids) {
    if (!desk.watch.IsLost(id)) continue;
    throw std::runtime_error("environment " + std::to_string(id) + " cannot be reset: its worker " +
                             std::to_string(config_.workers[Index(id)]) + " has ended");
  }
  std::vector<std::int32_t> others;
  if (observe_others) others = desk.ledger.OthersThan(env_ids);
  desk.ledger.Check(others, Purpose::kState);
  if (env_ids.empty() && others.empty()) return;
  CheckCanOpen(desk);
  for (const std::int32_t id : env_ids) no_worker_[Index(id)].clear();
  Queue(desk, env_ids, Task::kReset, contents, others);
  if (journal_ && contents.notes) journal_->NoteResets(env_ids, *contents.notes);
}

void ProcessPool::Send(std::span<const std::int32_t> env_ids, const Contents& contents) {
  CheckUsable();
  QueueSteps(*desk_.Lock(), env_ids, contents);
}

void ProcessPool::SendReset(std::span<const std::int32_t> env_ids, const Contents& contents) {
  CheckUsable();
  QueueResets(*desk_.Lock(), env_ids, contents, false);
}

std::size_t ProcessPool::RequestsNeeded() const {
  return config_.pool.IsSynchronous() ? 1 : static_cast<std::size_t>(config_.pool.batch_size);
}

void ProcessPool::CheckCanReceive(Desk& desk, std::size_t rows) const {
  if (!desk.open.empty()) {
    throw std::runtime_error("there are results of an earlier send: recv() them first");
  }
  desk.ledger.CheckCanReceive(RequestsNeeded(), rows);
}

std::optional<Parcel> ProcessPool::Receive(std::optional<Duration> timeout, Interrupt interrupt) {
  CheckUsable();
  const auto deadline = timeout ? Clock::now() + *timeout : Clock::time_point::max();
  const InterruptibleMutex::Lock receiver(receive_mutex_, interrupt, deadline);
  if (!receiver.IsHeld()) return std::nullopt;
  if (!timeout) desk_.Lock()->ledger.CheckCanReceive(RequestsNeeded());
  if (!Await(deadline, interrupt)) return std::nullopt;
  return Deliver(*desk_.Lock());
}

Parcel ProcessPool::Step(std::span<const std::int32_t> env_ids, const Contents& contents,
                         Interrupt interrupt) {
  CheckUsable();
  const InterruptibleMutex::Lock receiver(receive_mutex_, interrupt);
  {
    const auto desk = desk_.Lock();
    CheckCanReceive(*desk, env_ids.size());
    QueueSteps(*desk, env_ids, contents);
  }
  return AwaitParcel(env_ids.size(), interrupt);
}

Parcel ProcessPool::Reset(std::span<const std::int32_t> env_ids, const Contents& contents,
                          bool observe_others, Interrupt interrupt) {
  CheckUsable();
  const InterruptibleMutex::Lock receiver(receive_mutex_, interrupt);
  const std::size_t rows = observe_others ? all_ids_.size() : env_ids.size();
  {
    const auto desk = desk_.Lock();
    CheckCanReceive(*desk, rows);
    QueueResets(*desk, env_ids, contents, observe_others);
  }
  return AwaitParcel(rows, interrupt);
}

Parcel ProcessPool::AwaitParcel(std::size_t rows, Interrupt interrupt) {
  if (rows == 0) {
    Parcel parcel;
    parcel.delivery.block = BlockLease(copies_);
    return parcel;
  }
  Await(Clock::time_point::max(), interrupt);
  return Deliver(*desk_.Lock());
}

bool ProcessPool::IsFrontReady() const {
  const std::size_t front = front_.load();
  return front != kNone && exchange_.IsReady(front);
}

// Waits until the next batch is ready; returns false when the time is over.
bool ProcessPool::Await(Clock::time_point deadline, Interrupt interrupt) {
  const auto begin = Clock::now();
  const auto is_over = [this] { return IsFrontReady() || is_closed_.load(); };
  bool in_time = true;
  ExchangeHeader& header = exchange_.Header();
  while (in_time && !is_over()) {
    const bool has_run = run_next_ && run_next_();
    if (!has_run) {
      const Duration duration = std::min(kWatchPeriod, PeriodUntil(deadline));
      if (header.receiver.WaitFor(header.receivers, Exchange::kReceivers, duration, is_over)) break;
      WatchWorkers();
      in_time = Clock::now() < deadline;
    }
    interrupt();
  }
  receive_wait_ns_.fetch_add((Clock::now() - begin).count());
  if (is_closed_.load()) throw std::runtime_error("the pool was closed during the call");
  return IsFrontReady();
}

// The front is ready. Its environments belong to the callers again.
Parcel ProcessPool::Deliver(Desk& desk) {
  const std::size_t batch = front_.load();
  Parcel parcel;
  Delivery& delivery = parcel.delivery;
  delivery.rows = exchange_.Batch(batch).rows;
  delivery.block = std::move(leases_[batch]);
  if (exchange_.Batch(batch).has_letters.load()) ReadLetters(batch, parcel);
  if (config_.HasPlayers()) NotePlayers(desk, batch, delivery);
  if (config_.pool.IsSynchronous()) {
    desk.open.pop_front();
    desk.spare.push_back(batch);
    front_.store(desk.open.empty() ? kNone : desk.open.front());
  } else {
    ++received_;
    OpenBatch(batch, static_cast<std::size_t>(config_.pool.batch_size));
    front_.store(received_ % exchange_.NumBatches());
  }
  ++desk.batches;

  const std::byte* block = delivery.block.get();
  const auto ids = layout_.env_id.At<std::int32_t>(delivery.block.get(), 0, delivery.rows);
  desk.ledger.Finish(ids);
  if (IsRecording()) journal_->NoteRows(parcel, ids);
  if (config_.pool.autoreset_mode == AutoresetMode::kDisabled) {
    const auto* terminated = reinterpret_cast<const bool*>(block + layout_.terminated.offset);
    const auto* truncated = reinterpret_cast<const bool*>(block + layout_.truncated.offset);
    for (std::size_t row = 0; row < ids.size(); ++row) {
      if (terminated[row] || truncated[row]) desk.ledger.Set(ids[row], Status::kEpisodeOver);
    }
  }
  std::erase_if(desk.orphans, [&](std::int32_t orphan) {
    if (std::ranges::find(ids, orphan) == ids.end()) return false;
    desk.ledger.Set(orphan, Status::kBroken);
    if (IsRecording()) journal_->NoteIdleEnd(orphan, no_worker_[Index(orphan)]);
    return true;
  });
  for (const EnvError& error : delivery.errors) desk.ledger.Set(error.env_id, Status::kBroken);
  delivery.CloseGaps(layout_);
  const std::size_t needed =
      std::max<std::size_t>(1, config_.pool.IsSynchronous() ? desk.spare.size() : 0);
  if (!blocks_->Has(needed)) CopyAway(delivery);
  return parcel;
}

// Callers keep so many results that the workers would have no memory to write the next ones to.
void ProcessPool::CopyAway(Delivery& delivery) {
  BlockLease copy(copies_);
  std::memcpy(copy.get(), delivery.block.get(), layout_.bytes);
  delivery.block = std::move(copy);
}

void ProcessPool::ReadLetters(std::size_t batch, Parcel& parcel) {
  Delivery& delivery = parcel.delivery;
  const auto ids = layout_.env_id.At<std::int32_t>(delivery.block.get(), 0, delivery.rows);
  for (std::size_t i = 0; i < delivery.rows; ++i) {
    const std::int32_t id = ids[i];
    const RowLine& row =
        exchange_.Row({static_cast<std::uint32_t>(batch), static_cast<std::uint32_t>(i)});
    if (!row.failed && row.letter.size == 0) continue;
    std::string bytes;
    if (row.letter.size > 0) {
      const auto worker = static_cast<std::size_t>(config_.workers[Index(id)]);
      bytes = ReadLetter(outboxes_[worker], row.letter);
    }
    if (!row.failed) {
      // Rows of failed environments will be closed.
      parcel.letters.push_back({i - delivery.errors.size(), std::move(bytes)});
      continue;
    }
    const bool is_letter = row.letter.size > 0;
    if (!is_letter) bytes = std::exchange(no_worker_[Index(id)], {});
    delivery.errors.push_back({i, id, {}});
    parcel.failures.push_back({id, std::move(bytes), is_letter});
  }
}

// Environments that have failed have none before their reset.
void ProcessPool::NotePlayers(Desk& desk, std::size_t batch, const Delivery& delivery) const {
  std::byte* block = delivery.block.get();
  for (std::size_t i = 0; i < delivery.rows; ++i) {
    const RowLine& row =
        exchange_.Row({static_cast<std::uint32_t>(batch), static_cast<std::uint32_t>(i)});
    ActionWriter::Players players;
    if (!row.failed) {
      const bool is_counted = layout_.max_players > 1;
      players.rows = is_counted ? layout_.player_count.At<std::int32_t>(block, i, 1)[0] : 1;
      players.acting = static_cast<int>(row.acting);
    }
    desk.actions.SetPlayers(layout_.env_id.At<std::int32_t>(block, i, 1)[0], players);
  }
}

void ProcessPool::Discard(Interrupt interrupt) {
  CheckUsable();
  const InterruptibleMutex::Lock receiver(receive_mutex_, interrupt);
  while (!desk_.Lock()->open.empty()) {
    Await(Clock::time_point::max(), interrupt);
    Deliver(*desk_.Lock());
  }
}

// Whoever waits calls it now and then.
void ProcessPool::WatchWorkers() {
  std::vector<WorkerWatch::Ended> ended;
  {
    const auto desk = desk_.Lock();
    if (config_.step_timeout) desk->watch.KillLate(Clock::now() - *config_.step_timeout);
    ended = desk->watch.FindEnded();
  }
  for (const WorkerWatch::Ended& one : ended) {
    // Without the desk, because it is asked in Python.
    const std::string end = describe_end_(static_cast<int>(one.worker));
    LoseWorker(one, end);
  }
}

void ProcessPool::LoseWorker(const WorkerWatch::Ended& ended, const std::string& end) {
  const auto desk = desk_.Lock();
  if (!desk->watch.Lose(ended)) return;  // another caller was here
  for (const std::int32_t id : all_ids_) {
    if (!std::cmp_equal(config_.workers[Index(id)], ended.worker)) continue;
    EnvLine& line = exchange_.Env(Index(id));
    const bool was_running = line.running_since.exchange(0) != 0;
    const Status status = desk->ledger.StatusOf(id);
    if (status != Status::kInFlight) {
      if (status != Status::kBroken) no_worker_[Index(id)] = end;
      desk->ledger.Set(id, Status::kBroken);
      if (IsRecording()) journal_->NoteIdleEnd(id, end);
      continue;
    }
    no_worker_[Index(id)] = desk->watch.Reason(id, end, was_running);
    if (!FailRow(id)) desk->orphans.push_back(id);
  }
  WorkerLine& line = exchange_.Workers()[ended.worker];
  line.claimed.store(line.requested.load());
  line.sleepers.Clear();
  line.control.store(false);
  if (IsFrontReady()) exchange_.WakeReceiver();
}

// Of an environment in flight whose worker does not exist any more. Returns false if it has a
// result already.
bool ProcessPool::FailRow(std::int32_t env) {
  const EnvLine& line = exchange_.Env(Index(env));
  const auto id = static_cast<std::uint32_t>(env);
  Place place{line.batch, line.row};
  if (!config_.pool.IsSynchronous()) {
    const std::uint64_t first = received_ * static_cast<std::uint64_t>(config_.pool.batch_size);
    const std::optional<Place> taken = exchange_.FindRow(id, first);
    place = taken ? *taken : exchange_.TakeRow(id);
  }
  if (exchange_.IsComplete(place)) return false;
  RowLine& row = exchange_.Row(place);
  row.failed = true;
  row.letter = {};
  std::byte* block = exchange_.Block(exchange_.Batch(place.batch).block);
  layout_.env_id.At<std::int32_t>(block, place.row, 1)[0] = env;
  exchange_.Batch(place.batch).has_letters.store(true);
  exchange_.Complete(place);
  return true;
}

void ProcessPool::RingForControl(int worker) {
  WorkerLine& line = exchange_.Workers()[static_cast<std::size_t>(worker)];
  line.control.store(true);
  exchange_.WakeWorkers(exchange_.ToWake(static_cast<std::size_t>(worker)));
}

void ProcessPool::CheckIdle(std::span<const std::int32_t> env_ids, bool mended) {
  CheckUsable();
  desk_.Lock()->ledger.Check(env_ids, mended ? Purpose::kReset : Purpose::kState);
}

void ProcessPool::SetOver(std::span<const std::int32_t> env_ids, const std::vector<bool>& over,
                          std::span<const int> acting) {
  const bool refuses = config_.pool.autoreset_mode == AutoresetMode::kDisabled;
  const auto desk = desk_.Lock();
  desk->ledger.Check(env_ids, Purpose::kReset);
  for (std::size_t i = 0; i < env_ids.size(); ++i) {
    desk->ledger.Set(env_ids[i], over[i] && refuses ? Status::kEpisodeOver : Status::kIdle);
    if (config_.HasPlayers()) desk->actions.SetPlayers(env_ids[i], {acting[i], acting[i]});
    if (IsRecording()) journal_->NotePut(env_ids[i], over[i]);
  }
}

void ProcessPool::NoteLost(std::span<const std::int32_t> env_ids, const std::string& why) {
  CheckUsable();  // also in a forked child, where the desk may be held for ever
  const auto desk = desk_.Lock();
  CheckUsable();
  desk->ledger.Check(env_ids, Purpose::kReset);
  if (journal_) journal_->NoteLost(env_ids, why);
}

SharedStats ProcessPool::Stats(bool restart) {
  CheckUsable();
  const auto desk = desk_.Lock();
  SharedStats all;
  all.elapsed_ns = (Clock::now() - created_).count();
  all.batches = desk->batches;
  all.receive_wait_ns = receive_wait_ns_.load();
  for (const WorkerLine& line : exchange_.Workers()) {
    all.steps.push_back(line.counters.steps.load());
    all.episodes.push_back(line.counters.episodes.load());
    all.env_ns.push_back(line.counters.env_ns.load());
    all.copy_ns.push_back(line.counters.copy_ns.load());
    all.idle_ns.push_back(line.counters.idle_ns.load());
  }
  SharedStats since = all.Since(desk->start);
  if (restart) desk->start = std::move(all);
  return since;
}

void ProcessPool::Close() {
  if (IsForked()) return;
  is_closed_.store(true);
  exchange_.Header().closed.store(true);
  exchange_.WakeWorkers(~SharedGate::Groups{0});
  exchange_.WakeReceiver();
  const auto desk = desk_.Lock();
  if (journal_) journal_->Flush();
}

bool ProcessPool::AwaitRecording(Interrupt interrupt, Clock::time_point deadline) {
  if (IsForked() || !journal_) return true;
  // Without the desk, as a disk may be slow. Nobody notes anything now: whoever has the desk looks
  // whether the pool is closed, and Close() has had it since.
  return journal_->Stop(interrupt, deadline);
}

}  // namespace envpool
