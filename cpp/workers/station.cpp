#include "workers/station.h"

#include <stdexcept>
#include <utility>

namespace envpool {

namespace {

std::int64_t Nanoseconds(Duration duration) { return duration.count(); }

void Add(std::atomic<std::int64_t>& counter, std::int64_t value) {
  counter.fetch_add(value, std::memory_order_relaxed);
}

}  // namespace

Station::Station(SharedConfig config, int worker, Files files, const Exchange* mapped,
                 Together together)
    : config_(std::move(config)),
      layout_(config_.MakeLayout()),
      worker_(static_cast<std::size_t>(worker)),
      finish_(std::move(together.finish)),
      most_claimed_(together.step ? static_cast<std::size_t>(config_.pool.batch_size) : 1),
      inbox_(File::Duplicate(files.inbox)),
      outbox_(File::Duplicate(files.outbox)),
      // Once it is mapped, no environment can write to it by a number that is not its own.
      exchange_(mapped ? *mapped : Exchange(File::Duplicate(files.exchange), config_, layout_)),
      letters_(outbox_, static_cast<std::size_t>(config_.pool.num_envs)),
      slots_(static_cast<std::size_t>(config_.pool.num_envs)),
      rare_(slots_.size()),
      num_next_(slots_.size()),
      actions_(exchange_.MakeActions(config_)),
      final_rows_(layout_, slots_.size()),
      // What a reset is asked for comes by letter.
      episodes_({{{}, std::move(together.step), most_claimed_}}, config_.pool.autoreset_mode,
                config_.spec.max_num_players, slots_, rare_, actions_, final_rows_,
                exchange_.Header().failures),
      results_(layout_, slots_, rare_, final_rows_, episodes_),
      rows_(slots_.size()) {}

void Station::Put(std::int32_t env, std::unique_ptr<ServedEnv> environment) {
  Slot& slot = slots_.at(static_cast<std::size_t>(env));
  slot = Slot();
  slot.env = std::move(environment);
  slot.max_episode_steps = config_.pool.max_episode_steps;
}

void Station::Await(Duration duration, bool takes_control) {
  const auto is_ready = [this, takes_control] {
    return exchange_.HasRequests(worker_) || IsClosed() || (takes_control && Line().control.load());
  };
  if (is_ready()) return;
  const auto begin = Clock::now();
  exchange_.Header().workers.WaitFor(Line().sleepers, SharedGate::GroupOf(worker_), duration,
                                     is_ready);
  Add(Line().counters.idle_ns, Nanoseconds(Clock::now() - begin));
}

void Station::CheckNotForked() const {
  if (!IsForked()) return;
  throw std::runtime_error(
      "an environment forked the process, and this is the "
      "child that came back from it: the pool "
      "goes on in the parent only");
}

bool Station::RunNext() {
  if (most_claimed_ > 1) return RunSeveral();
  std::optional<Claimed> claimed = Claim();  // without a vector, so that a step allocates nothing
  if (claimed) {
    const Request request{claimed->env, 0, nullptr, Cost::kUnknown};
    Run({&*claimed, 1}, {&request, 1});
  }
  return claimed.has_value();
}

bool Station::RunSeveral() {
  std::vector<Claimed> claimed;
  std::vector<Request> requests;
  while (claimed.size() < most_claimed_) {
    const std::optional<Claimed> next = Claim();
    if (!next) break;
    claimed.push_back(*next);
    requests.push_back({next->env, 0, nullptr, Cost::kUnknown});
  }
  if (!claimed.empty()) Run(claimed, requests);
  return !claimed.empty();
}

std::optional<Station::Claimed> Station::Claim() {
  const std::lock_guard lock(mutex_);
  const std::optional<std::uint32_t> env = exchange_.Claim(worker_);
  if (!env) return std::nullopt;
  return Claimed{*env, exchange_.Env(*env).running_since.load()};
}

void Station::Run(std::span<Claimed> claimed, std::span<const Request> requests) {
  const auto begin = Clock::now();
  for (Claimed& request : claimed) Prepare(request);
  const int steps = episodes_.Advance(requests);
  if (finish_) finish_();
  CheckNotForked();
  const auto advanced = Clock::now();
  for (Claimed& request : claimed) {
    EnvLine& line = exchange_.Env(request.env);
    line.has_begun = rare_[request.env].choices.NumBegun() > request.num_begun;
    request.place = line.place ? *line.place : exchange_.TakeRow(request.env);
    WriteRow(request.env, request.place);
  }
  WorkerCounters& counters = Line().counters;
  Add(counters.steps, steps);
  Add(counters.env_ns, Nanoseconds(advanced - begin));
  Add(counters.copy_ns, Nanoseconds(Clock::now() - advanced));
  for (const Claimed& request : claimed) Complete(request);
}

void Station::Prepare(Claimed& request) {
  const std::uint32_t env = request.env;
  EnvLine& line = exchange_.Env(env);
  std::optional<std::string> letter;
  if (line.letter.size > 0) letter = ReadLetter(inbox_, line.letter);
  Slot& slot = slots_[env];
  slot.next = line.task;
  if (line.task == Task::kSurvive) {
    // The environment is a new one, but its episode was another's.
    slot.elapsed_step = line.end.length;
    slot.episode_return = line.end.episode_return;
    rare_[env].error = letter.value_or("");
  }
  ReadChoices(env, letter);
  request.num_begun = rare_[env].choices.NumBegun();
  Find(static_cast<std::int32_t>(env))->Prepare(line.task, std::move(letter));
}

void Station::Complete(const Claimed& request) {
  const bool is_last = exchange_.Complete(request.place);
  // The environment has counted as running until its row was complete; see Exchange::Claim. By now
  // it may have been asked for something else, and run that, since another time.
  std::int64_t since = request.since;
  exchange_.Env(request.env).running_since.compare_exchange_strong(since, 0);
  if (is_last) exchange_.WakeReceiver();
}

// Takes the letter of a reset, which is what that is given.
void Station::ReadChoices(std::uint32_t env, std::optional<std::string>& letter) {
  const EnvLine& line = exchange_.Env(env);
  Choices& choices = rare_[env].choices;
  if (line.task != Task::kStep) {
    const bool is_given = line.task == Task::kReset && letter;
    choices.Give(is_given ? ByLetter(*std::exchange(letter, {})) : Choice());
  }
  if (std::exchange(num_next_[env], line.num_next) == line.num_next) return;
  if (line.next.size > 0) choices.SetNext(ByLetter(ReadLetter(inbox_, line.next)));
}

void Station::WriteRow(std::uint32_t env, Place place) {
  BatchLine& batch = exchange_.Batch(place.batch);
  Batch& memory = rows_[env];
  memory.Open(1, BlockLease(exchange_.Block(batch.block)));
  const Request request{env, place.row, &memory, Cost::kUnknown};
  results_.Observe({&request, 1});
  Add(Line().counters.episodes, results_.Write({&request, 1}));

  Slot& slot = slots_[env];
  std::string error;
  if (slot.failed || slot.survived) {
    const Delivery told = memory.Take();
    error = (slot.failed ? told.errors : told.survived).at(0).message;
  }
  ServedEnv& environment = *Find(static_cast<std::int32_t>(env));
  std::string letter = environment.TakeLetter(slot.failed, error);
  CheckNotForked();
  if (slot.failed) {
    slot.episode_over = true;
    slot.survived = false;
  }
  if (slot.survived) letter.insert(0, error);
  RowLine& row = exchange_.Row(place);
  row.failed = slot.failed;
  row.survived = slot.survived;
  row.text_size = error.size();
  row.letter = {};
  if (!letter.empty()) {
    const std::lock_guard lock(mutex_);
    row.letter = letters_.Write(env, letter);
  }
  if (slot.failed || !letter.empty()) batch.has_letters.store(true);
  EnvLine& line = exchange_.Env(env);
  line.has_episode = !slot.episode_over;
  line.acting = environment.NumActing();
  line.end = EndOf(slot, rare_[env], config_.pool.autoreset_mode);
}

EpisodeState Station::StateOf(std::int32_t env) const {
  const Slot& slot = slots_[static_cast<std::size_t>(env)];
  return {slot.elapsed_step, slot.episode_return, slot.episode_over};
}

void Station::SetState(std::int32_t env, const EpisodeState& state) {
  Slot& slot = slots_[static_cast<std::size_t>(env)];
  std::tie(slot.elapsed_step, slot.episode_return, slot.episode_over) = state;
  slot.failed = false;
}

}  // namespace envpool
