#include "workers/worker_watch.h"

#include <signal.h>

#include <algorithm>
#include <sstream>

namespace envpool {

namespace {

std::string Seconds(Duration duration) {
  std::ostringstream text;
  text << std::chrono::duration<double>(duration).count();
  return text.str();
}

}  // namespace

WorkerWatch::WorkerWatch(const SharedConfig& config, Exchange& exchange)
    : config_(config),
      exchange_(exchange),
      workers_(static_cast<std::size_t>(config.pool.num_threads)),
      sentinels_(workers_.size()) {
  if (config.in_process) workers_[0].is_lost = false;
}

const WorkerWatch::Worker& WorkerWatch::Of(std::int32_t env) const {
  return workers_[static_cast<std::size_t>(config_.workers[static_cast<std::size_t>(env)])];
}

void WorkerWatch::Begin(int worker, int pid, int sentinel) {
  Worker& its = workers_.at(static_cast<std::size_t>(worker));
  its.sentinel = sentinel < 0 ? File() : File::Duplicate(sentinel);
  its.pid = pid;
  its.is_lost = its.awaits_restart = false;
  its.late = kNone;
  its.stalled_since.reset();
  ++its.process;
}

std::vector<int> WorkerWatch::LostOf(std::span<const std::int32_t> env_ids) const {
  std::vector<int> lost;
  for (const std::int32_t id : env_ids) {
    if (id < 0 || id >= config_.pool.num_envs || !IsLost(id)) continue;
    const int worker = config_.workers[static_cast<std::size_t>(id)];
    if (std::ranges::find(lost, worker) == lost.end()) lost.push_back(worker);
  }
  return lost;
}

std::vector<WorkerWatch::Ended> WorkerWatch::FindEnded() {
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    sentinels_[i] = {workers_[i].is_lost ? -1 : workers_[i].sentinel.Descriptor(), POLLIN, 0};
  }
  std::vector<Ended> ended;
  if (poll(sentinels_.data(), sentinels_.size(), 0) <= 0) return ended;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (sentinels_[i].revents != 0) ended.push_back({i, workers_[i].process});
  }
  return ended;
}

bool WorkerWatch::Lose(Ended ended, bool awaits_restart) {
  Worker& worker = workers_[ended.worker];
  if (worker.is_lost || worker.process != ended.process) return false;
  worker.is_lost = true;
  worker.awaits_restart = awaits_restart;
  return true;
}

std::vector<int> WorkerWatch::AwaitingRestart() const {
  std::vector<int> workers;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (workers_[i].awaits_restart) workers.push_back(static_cast<int>(i));
  }
  return workers;
}

std::string WorkerWatch::Reason(std::int32_t env, const std::string& end, bool was_running) const {
  const std::int32_t late = Of(env).late;
  if (late != kNone) {
    const std::string who = late == env ? "it" : "environment " + std::to_string(late);
    return "its worker was ended, because " +
           (late == kNoEnv ? "it did not answer" : who + " did not return") +
           " in time (step_timeout=" + Seconds(*config_.step_timeout) + ")";
  }
  return end + (was_running ? ", while it ran this environment" : "");
}

std::vector<int> WorkerWatch::FindLate(Clock::time_point latest) {
  std::vector<int> found;
  const std::vector<Running> running = FindRunning();
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    Worker& worker = workers_[i];
    if (worker.is_lost || worker.late != kNone || worker.pid <= 0) continue;
    const auto [env, since] = running[i];
    if (env != kNone) {
      worker.stalled_since.reset();
      if (since <= latest.time_since_epoch().count()) worker.late = env;
    } else if (IsStalled(i, latest)) {
      worker.late = kNoEnv;
    }
    if (worker.late != kNone) found.push_back(static_cast<int>(i));
  }
  return found;
}

std::vector<WorkerWatch::Running> WorkerWatch::FindRunning() const {
  std::vector<Running> running(workers_.size());
  for (std::int32_t id = 0; id < config_.pool.num_envs; ++id) {
    const auto env = static_cast<std::size_t>(id);
    const std::int64_t since = exchange_.Env(env).running_since.load();
    Running& longest = running[static_cast<std::size_t>(config_.workers[env])];
    if (since != 0 && (longest.since == 0 || since < longest.since)) longest = {id, since};
  }
  return running;
}

// True if a worker that runs nothing, and was asked to do something, has been seen so since before
// `latest`, without having claimed a request in the meantime.
bool WorkerWatch::IsStalled(std::size_t number, Clock::time_point latest) {
  Worker& worker = workers_[number];
  const WorkerLine& line = exchange_.Workers()[number];
  const bool is_asked =
      exchange_.HasRequests(number) || line.control.load() || exchange_.Header().closed.load();
  const std::uint32_t claimed = line.claimed.load();
  if (!is_asked || line.answers.load()) {
    worker.stalled_since.reset();
  } else if (!worker.stalled_since || worker.stalled_at != claimed) {
    worker.stalled_since = Clock::now();
    worker.stalled_at = claimed;
  }
  return worker.stalled_since && *worker.stalled_since <= latest;
}

void WorkerWatch::KillLate(Clock::time_point latest) {
  for (const int worker : FindLate(latest)) {
    kill(workers_[static_cast<std::size_t>(worker)].pid, SIGKILL);
  }
}

}  // namespace envpool
