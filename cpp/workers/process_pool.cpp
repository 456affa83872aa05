#include "workers/process_pool.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace envpool {

namespace {

// How soon a caller that receives learns that a worker has ended.
constexpr Duration kWatchPeriod = std::chrono::milliseconds(20);

// A reset in which the worker has ended so often in succession has probably ended it.
constexpr int kMostLostResets = 3;

const std::string kNoLetter;

const std::string& LetterOf(std::span<const std::string> letters, std::size_t request) {
  return letters.empty() ? kNoLetter : letters[request];
}

// What a reset is given, if anything.
Choice GivenBy(const ResetRequest& request, std::size_t index) {
  const std::string& letter = LetterOf(request.letters, index);
  Choice given = letter.empty() ? Choice() : ByLetter(letter);
  if (!request.seeds.empty()) given.seed = request.seeds[index];
  return given;
}

std::vector<File> MakeOutboxes(int count) {
  std::vector<File> files;
  for (int i = 0; i < count; ++i) files.push_back(File::Create("envpool-outbox"));
  return files;
}

}  // namespace

ProcessPool::ProcessPool(SharedConfig config, DescribeEnd describe_end)
    : Front(config.MakeLayout(), config.pool.num_envs,
            config.in_process ? 0 : config.pool.num_threads, *this),
      config_(std::move(config)),
      describe_end_(std::move(describe_end)),
      exchange_file_(File::Create("envpool")),
      inbox_file_(File::Create("envpool-inbox")),
      outboxes_(MakeOutboxes(config_.pool.num_threads)),
      exchange_(exchange_file_, config_, GetLayout()),
      actions_(exchange_.MakeActions(config_)),
      players_(config_.HasPlayers() ? AllIds().size() : 0),
      batches_(config_, GetLayout(), exchange_, outboxes_),
      inbox_(inbox_file_, 3 * AllIds().size()),
      watch_(config_, exchange_),
      standings_(AllIds().size()),
      choices_(AllIds().size()) {
  Failures().most.store(config_.pool.most_failures);
  GetOffice().Record(config_.pool, config_.spec.action, GetLayout(), *this);
  const DeskAccess desk = GetOffice().desk.Lock();
  if (config_.pool.autoreset_mode != AutoresetMode::kDisabled) return;
  for (const std::int32_t id : AllIds()) desk->ledger.Set(id, Status::kEpisodeOver);
}

std::vector<int> ProcessPool::Files() const {
  std::vector<int> files = {exchange_file_.Descriptor(), inbox_file_.Descriptor()};
  for (const File& outbox : outboxes_) files.push_back(outbox.Descriptor());
  return files;
}

void ProcessPool::SetWorker(int worker, int pid, int sentinel) {
  const DeskAccess desk = GetOffice().desk.Lock();
  watch_.Begin(worker, pid, sentinel);
}

std::vector<int> ProcessPool::AwaitingRestart() {
  const DeskAccess desk = GetOffice().desk.Lock();
  return watch_.AwaitingRestart();
}

std::vector<int> ProcessPool::LostWorkers(std::span<const std::int32_t> env_ids) {
  WatchWorkers();
  const DeskAccess desk = GetOffice().desk.Lock();
  return watch_.LostOf(env_ids);
}

std::vector<ProcessPool::LostEnv> ProcessPool::LostEnvs() {
  std::vector<LostEnv> lost;
  if (IsForked() || IsClosed()) return lost;
  const DeskAccess desk = GetOffice().desk.Lock();
  for (const std::int32_t id : AllIds()) {
    const std::string& end = standings_[Index(id)].end;
    if (!end.empty() && desk->ledger.StatusOf(id) == Status::kBroken) lost.push_back({id, end});
  }
  return lost;
}

// Returns how many actions each environment has, if that is not one.
std::span<const std::int32_t> ProcessPool::StoreActions(const StepRequest& request) {
  if (request.actions.empty()) return players_.Of(request.env_ids, 0);  // these are letters
  std::span<const std::int32_t> counts;
  if (!players_.IsEmpty()) {
    const std::size_t rows = request.actions[0].rows;
    players_.CheckRows(config_.spec.action[0].name, request.env_ids, rows);
    counts = players_.Of(request.env_ids, rows);
  }
  actions_.StoreAll(request.actions, request.env_ids, counts);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    Line(request.env_ids[i]).action_rows = static_cast<std::uint32_t>(counts[i]);
  }
  return counts;
}

void ProcessPool::CheckResets(const ResetRequest& request) {
  for (const std::int32_t id : request.env_ids) {
    if (!watch_.IsLost(id) || watch_.AwaitsRestart(id)) continue;
    throw std::runtime_error("environment " + std::to_string(id) + " cannot be reset: its worker " +
                             std::to_string(config_.workers[Index(id)]) + " has ended");
  }
}

// Before the request: a letter that cannot be written leaves everything as it was.
void ProcessPool::WriteLetter(std::int32_t env, const std::string& letter) {
  Line(env).letter = letter.empty() ? Letter() : inbox_.Write(Index(env), letter);
}

// The letters wait until these episodes have begun. So they have places of their own, two for each
// environment: one that cannot be written leaves the one before it.
void ProcessPool::PassNext(std::span<const std::int32_t> env_ids, std::span<Choice> next) {
  std::vector<Letter> letters;
  for (std::size_t i = 0; i < next.size(); ++i) {
    const std::size_t row = 1 + Line(env_ids[i]).num_next % 2;
    const std::string& letter = next[i].options->Text(kLetter);
    letters.push_back(inbox_.Write(row * AllIds().size() + Index(env_ids[i]), letter));
  }
  for (std::size_t i = 0; i < next.size(); ++i) {
    Line(env_ids[i]).next = letters[i];
    ++Line(env_ids[i]).num_next;
  }
}

void ProcessPool::Request(std::int32_t env, Task task, std::optional<Place> place) {
  Line(env).task = task;
  Line(env).place = place;
  Line(env).has_begun = false;
  Enqueue(env);
}

void ProcessPool::Enqueue(std::int32_t env) {
  const auto worker = static_cast<std::size_t>(config_.workers[Index(env)]);
  exchange_.Request(worker, static_cast<std::uint32_t>(env));
}

// Instead of a step: the environment's worker has ended, as its letter says, and another one ends
// its episode. If no more failures may be survived, it fails.
void ProcessPool::Survive(std::int32_t env, std::optional<Place> place, const std::string& why) {
  if (!Failures().Take()) return FailAtOnce(env, place, why);
  EndEpisode(env);
  Request(env, Task::kSurvive, place);
}

// An environment's episode fails with its worker where it was, or where it would have begun.
void ProcessPool::EndEpisode(std::int32_t env) {
  Line(env).has_begun = false;
  EpisodeEnd& end = Line(env).end;
  if (end.terminated || end.truncated || end.failed) end = {};
  end.failed = true;
}

// Instead of what was asked for, which the environment's worker can't do any more.
void ProcessPool::FailAtOnce(std::int32_t env, std::optional<Place> place, const std::string& why) {
  Line(env).task = Task::kStep;
  Line(env).place = place;
  EndEpisode(env);
  batches_.Fail(env, why);
  exchange_.WakeReceiver();
}

void ProcessPool::WakeWorkers() {
  SharedGate::Groups to_wake = 0;
  for (std::size_t worker = 0; worker < exchange_.Workers().size(); ++worker) {
    if (exchange_.HasRequests(worker)) to_wake |= exchange_.ToWake(worker);
  }
  exchange_.WakeWorkers(to_wake);
}

void ProcessPool::QueueSteps(Desk& desk, const StepRequest& request, bool) {
  const std::span<const std::int32_t> players = StoreActions(request);
  if (request.env_ids.empty()) return;
  for (std::size_t i = 0; i < request.env_ids.size(); ++i) {
    const std::int32_t id = request.env_ids[i];
    const Standing& standing = standings_[Index(id)];
    WriteLetter(id, standing.survives ? standing.end : LetterOf(request.letters, i));
  }
  batches_.Open(request.env_ids.size());
  desk.Begin(request, players);
  for (std::size_t i = 0; i < request.env_ids.size(); ++i) {
    const std::int32_t id = request.env_ids[i];
    const std::optional<Place> place = batches_.PlaceOf(i);
    Standing& standing = standings_[Index(id)];
    if (std::exchange(standing.survives, false)) {
      Survive(id, place, std::exchange(standing.end, {}));
    } else {
      Request(id, Task::kStep, place);
    }
  }
  WakeWorkers();
}

void ProcessPool::QueueResets(Desk& desk, const ResetRequest& request,
                              std::span<const std::int32_t> others, bool) {
  CheckResets(request);
  if (request.env_ids.empty() && others.empty()) return;
  for (std::size_t i = 0; i < request.env_ids.size(); ++i) {
    WriteLetter(request.env_ids[i], LetterOf(request.letters, i));
  }
  for (const std::int32_t id : others) WriteLetter(id, kNoLetter);
  batches_.Open(request.env_ids.size() + others.size());
  desk.Begin(request, others);
  for (std::size_t i = 0; i < request.env_ids.size(); ++i) {
    const std::int32_t id = request.env_ids[i];
    standings_[Index(id)].end.clear();
    standings_[Index(id)].survives = false;
    Line(id).end = {};
    ChoicesOf(id).Give(GivenBy(request, i));
    const std::size_t row = request.observe_others ? Index(id) : i;
    Request(id, Task::kReset, batches_.PlaceOf(row));
  }
  for (const std::int32_t id : others) {
    const std::optional<Place> place = batches_.PlaceOf(Index(id));
    Standing& standing = standings_[Index(id)];
    if (std::exchange(standing.survives, false)) {
      FailAtOnce(id, place, std::exchange(standing.end, {}));
    } else {
      Request(id, Task::kObserve, place);
    }
  }
  WakeWorkers();
}

bool ProcessPool::AwaitFront(Clock::time_point deadline, Interrupt interrupt) {
  const auto begin = Clock::now();
  const auto is_over = [this] { return batches_.IsFrontReady() || GetOffice().closing.load() > 0; };
  bool in_time = true;
  ExchangeHeader& header = exchange_.Header();
  // A call that never waits, because other workers always have a batch ready, looks as well.
  if (begin - last_watch_.load() >= kWatchPeriod) WatchWorkers();
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
  return GetOffice().closing.load() == 0 && batches_.IsFrontReady();
}

std::optional<Delivery> ProcessPool::Await(Clock::time_point deadline, Interrupt interrupt) {
  if (!AwaitFront(deadline, interrupt)) return std::nullopt;
  interrupt();  // what it throws later would lose the batch
  const DeskAccess desk = GetOffice().desk.Lock();
  Delivery delivery = desk->Take(batches_, GetLayout());
  Settle(*desk, delivery);
  desk->Finish(delivery, GetLayout());
  return delivery;
}

// What follows from the results.
void ProcessPool::Settle(Desk& desk, const Delivery& delivery) {
  std::byte* block = delivery.block.get();
  const Layout& layout = GetLayout();
  const std::span<const std::int32_t> env_ids = IdsOf(delivery, layout);
  for (std::size_t row = 0; row < env_ids.size(); ++row) {
    if (std::exchange(Line(env_ids[row]).has_begun, false)) {
      Line(env_ids[row]).next = {};
      ChoicesOf(env_ids[row]).Begin();
    }
    const bool is_counted = layout.max_players > 1;
    NoteResult(desk, env_ids[row],
               is_counted ? layout.player_count.At<std::int32_t>(block, row, 1)[0] : 1);
  }
  // Environments that have failed have neither an episode nor players before their reset.
  for (const EnvError& error : delivery.errors) {
    Line(error.env_id).has_episode = false;
    if (!players_.IsEmpty()) players_.Set(error.env_id, 0, 0);
  }
}

// What follows from the result of an environment.
void ProcessPool::NoteResult(Desk& desk, std::int32_t env, std::int32_t players) {
  const EnvLine& line = Line(env);
  Standing& standing = standings_[Index(env)];
  if (!line.has_episode && config_.pool.autoreset_mode == AutoresetMode::kDisabled) {
    desk.ledger.Set(env, Status::kEpisodeOver);
  }
  if (!players_.IsEmpty()) players_.Set(env, players, line.acting);
  standing.lost_resets = 0;
  if (standing.end.empty() || standing.survives) return;
  // The worker of this environment has ended since.
  desk.ledger.Set(env, Status::kBroken);
  NoteEnd(desk, env);
}

// Notes for a recording that an environment has failed between two requests, if it has an episode.
void ProcessPool::NoteEnd(Desk& desk, std::int32_t env) {
  if (!IsRecording(desk) || !std::exchange(Line(env).has_episode, false)) return;
  EndEpisode(env);
  desk.journal->NoteEnd(env);
}

// Looks for workers that have ended; callers that wait do so now and then. Starts those again whose
// environments are to go on.
void ProcessPool::WatchWorkers() {
  last_watch_.store(Clock::now());
  std::vector<WorkerWatch::Ended> ended;
  {
    const DeskAccess desk = GetOffice().desk.Lock();
    if (config_.step_timeout) watch_.KillLate(Clock::now() - *config_.step_timeout);
    ended = watch_.FindEnded();
  }
  for (const WorkerWatch::Ended& one : ended) {
    // Without the desk, because it is asked in Python.
    const std::string end = describe_end_(static_cast<int>(one.worker));
    LoseWorker(one, end);
  }
  for (const int worker : AwaitingRestart()) {
    if (IsClosed()) return;
    if (const std::string why = restart_(worker); !why.empty()) GiveUp(worker, why);
  }
}

void ProcessPool::LoseWorker(const WorkerWatch::Ended& ended, const std::string& end) {
  const DeskAccess desk = GetOffice().desk.Lock();
  const bool restarts = restart_ && !IsClosed() && !Failures().IsSpent();
  if (!watch_.Lose(ended, restarts)) return;  // another caller was here
  ForgetRequests(static_cast<int>(ended.worker));
  const bool ran_step = RanStep(static_cast<int>(ended.worker));
  for (const std::int32_t id : AllIds()) {
    if (!std::cmp_equal(config_.workers[Index(id)], ended.worker)) continue;
    const bool was_running = Line(id).running_since.exchange(0) != 0;
    const Status status = desk->ledger.StatusOf(id);
    const bool is_in_flight = status == Status::kInFlight;
    const std::string why = is_in_flight ? watch_.Reason(id, end, was_running) : end;
    const bool may_be_why = was_running && !ran_step;
    if (IsRecording(*desk)) desk->journal->NoteLost({&id, 1}, why);
    if (!restarts || !SurviveLoss(id, status, may_be_why, why)) FailWithWorker(*desk, id, why);
  }
  if (batches_.IsFrontReady()) exchange_.WakeReceiver();
}

// A worker that was to be started again cannot be.
void ProcessPool::GiveUp(int worker, const std::string& why) {
  const DeskAccess desk = GetOffice().desk.Lock();
  watch_.GiveUp(worker);
  ForgetRequests(worker);
  for (const std::int32_t id : AllIds()) {
    if (config_.workers[Index(id)] == worker) FailWithWorker(*desk, id, why);
  }
  if (batches_.IsFrontReady()) exchange_.WakeReceiver();
}

// Drops the requests that a worker which has ended had not begun.
void ProcessPool::ForgetRequests(int worker) {
  WorkerLine& line = exchange_.Workers()[static_cast<std::size_t>(worker)];
  line.claimed.store(line.requested.load());
  line.sleepers.Clear();
  line.control.store(false);
}

// True if a worker that has ended was in a step, which is more likely to have ended it than a reset
// that another of its threads was in.
bool ProcessPool::RanStep(int worker) const {
  return std::ranges::any_of(AllIds(), [&](std::int32_t id) {
    const EnvLine& line = Line(id);
    return config_.workers[Index(id)] == worker && line.running_since.load() != 0 &&
           line.task == Task::kStep;
  });
}

// True if the result of an environment in flight waits for its delivery.
bool ProcessPool::HasResult(std::int32_t env) {
  const std::optional<Place> place = batches_.FindPlace(env);
  return place && exchange_.IsComplete(*place);
}

// Sees to it that an environment whose worker will be started again goes on, if it may. Returns
// false if it must fail, because its resets end workers.
bool ProcessPool::SurviveLoss(std::int32_t env, Status status, bool may_be_why,
                              const std::string& why) {
  if (status == Status::kBroken) return false;
  const bool is_idle = status != Status::kInFlight || HasResult(env);
  const Task task = is_idle ? Task::kStep : Line(env).task;  // its next one, at any rate
  Standing& standing = standings_[Index(env)];
  if (task == Task::kObserve) return false;
  if (task != Task::kStep && may_be_why && ++standing.lost_resets == kMostLostResets) return false;
  if (is_idle) {
    standing.end = why;
    standing.survives = true;
    return true;
  }
  const std::optional<Place> place = batches_.FindPlace(env);
  if (task == Task::kStep) {
    WriteLetter(env, why);
    Survive(env, place, why);
  } else {  // the same reset once more
    Request(env, task, place);
  }
  return true;
}

// Fails an environment whose worker has ended, or will when its result is delivered.
void ProcessPool::FailWithWorker(Desk& desk, std::int32_t env, const std::string& why) {
  Standing& standing = standings_[Index(env)];
  standing.survives = false;
  const Status status = desk.ledger.StatusOf(env);
  if (status == Status::kInFlight) {
    if (HasResult(env)) {
      standing.end = why;
    } else {
      EndEpisode(env);
      batches_.Fail(env, why);
    }
    return;
  }
  if (status != Status::kBroken) standing.end = why;
  desk.ledger.Set(env, Status::kBroken);
  NoteEnd(desk, env);
}

std::vector<int> ProcessPool::LateWorkers() {
  if (IsForked() || !config_.step_timeout) return {};
  const DeskAccess desk = GetOffice().desk.Lock();
  return watch_.FindLate(Clock::now() - *config_.step_timeout);
}

void ProcessPool::RingForControl(int worker) {
  WorkerLine& line = exchange_.Workers()[static_cast<std::size_t>(worker)];
  line.control.store(true);
  exchange_.WakeWorkers(exchange_.ToWake(static_cast<std::size_t>(worker)));
}

void ProcessPool::SetOver(std::span<const std::int32_t> env_ids, const std::vector<bool>& over,
                          const std::vector<int>& acting) {
  const bool refuses = config_.pool.autoreset_mode == AutoresetMode::kDisabled;
  const DeskAccess desk = GetOffice().OpenDesk();
  desk->ledger.Check(env_ids, Purpose::kReset);
  for (std::size_t i = 0; i < env_ids.size(); ++i) {
    const std::int32_t id = env_ids[i];
    desk->ledger.Set(id, over[i] && refuses ? Status::kEpisodeOver : Status::kIdle);
    if (!players_.IsEmpty()) players_.Set(id, acting[i], acting[i]);
    standings_[Index(id)] = {};
    ChoicesOf(id).Give({});
    Line(id).has_episode = !over[i];
  }
}

void ProcessPool::NoteLost(std::span<const std::int32_t> env_ids, const std::string& why) {
  const DeskAccess desk = GetOffice().OpenDesk();
  desk->ledger.Check(env_ids, Purpose::kReset);
  if (desk->journal != nullptr) desk->journal->NoteLost(env_ids, why);
}

void ProcessPool::UpdateTotals(PoolStats& stats) {
  for (std::size_t i = 0; i < exchange_.Workers().size(); ++i) {
    const WorkerCounters& counters = exchange_.Workers()[i].counters;
    const std::int64_t copying = counters.copy_ns;
    WorkerTotals& totals = config_.in_process ? stats.caller : stats.workers[i];
    totals = {counters.steps, counters.episodes, counters.env_ns + copying, copying,
              counters.idle_ns};
  }
  stats.caller.idle_ns = receive_wait_ns_.load();
}

void ProcessPool::RequestStop() {
  if (!exchange_.Header().closed.exchange(true)) GetOffice().closing.fetch_add(1);  // for good
  exchange_.WakeWorkers(~SharedGate::Groups{0});
  exchange_.WakeReceiver();
}

void ProcessPool::End() {
  if (IsForked()) return;
  RequestStop();
  {
    const DeskAccess desk = GetOffice().desk.Lock();
    desk->is_closed = true;
    if (desk->journal != nullptr) desk->journal->Flush();
  }
  CloseFiles();
}

// Does nothing if a call is still waiting, be it the one that this thread's signal handler
// interrupts.
void ProcessPool::CloseFiles() {
  if (GetOffice().receive_mutex.IsHeldByThisThread()) return;
  const InterruptibleMutex::Lock receiver(GetOffice().receive_mutex, DontInterrupt, Clock::now());
  if (!receiver.IsHeld()) return;
  const DeskAccess desk = GetOffice().desk.Lock();
  exchange_file_ = File();
  inbox_file_ = File();
  for (File& outbox : outboxes_) outbox = File();
  watch_.CloseSentinels();
}

}  // namespace envpool
