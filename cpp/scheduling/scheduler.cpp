#include "scheduling/scheduler.h"

#include <algorithm>
#include <array>

#include "platform/platform.h"
#include "threads/threads.h"

namespace envpool {

namespace {

constexpr int kWorkerSpins = 1000;

}  // namespace

Scheduler::Scheduler(const SchedulerConfig& config, Runner& runner, Attendance& attendance)
    : config_(config),
      cores_(std::max(std::thread::hardware_concurrency(), 1U)),
      runner_(runner),
      attendance_(attendance),
      costs_(config.num_envs, config.light_step),
      requests_(config.num_envs, CountLanes(config, cores_), CountLaneOwners(config, cores_)),
      counters_(1 + static_cast<std::size_t>(config.num_threads)),
      staffing_(config.num_threads, static_cast<int>(cores_), config.caller_works) {}

// The threads that can really run.
std::size_t Scheduler::CountLaneOwners(const SchedulerConfig& config, std::size_t cores) {
  return std::clamp<std::size_t>(static_cast<std::size_t>(config.num_threads), 1, cores);
}

// A lane for each of them, and not too few, so that few environments are between two threads; as
// long as a lane has enough environments for a claim.
std::size_t Scheduler::CountLanes(const SchedulerConfig& config, std::size_t cores) {
  const std::size_t owners = CountLaneOwners(config, cores);
  const std::size_t lanes = owners == 1 ? 1 : std::max(owners, kMinLanes);
  return std::clamp<std::size_t>(config.num_envs / kMaxClaim, 1, lanes);
}

void Scheduler::Start() {
  if (IsStarted()) return;
  try {
    StartThreads(threads_, static_cast<std::size_t>(config_.num_threads), attendance_,
                 [this](std::size_t worker) { Work(worker); });
  } catch (...) {
    FinishStop();  // a scheduler has all of its threads or none
    throw;
  }
}

void Scheduler::RequestStop() {
  stopping_.store(true);
  work_gate_.NotifyAll();
}

void Scheduler::FinishStop() {
  RequestStop();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  requests_.Clear();
  staffing_.ForgetInvitations();
  stopping_.store(false);
}

void Scheduler::Enqueue(std::span<const std::int32_t> env_ids, Batch* batch, bool caller_stays) {
  if (env_ids.empty()) return;
  Staffing::CostCounts counts{};
  const std::size_t light_run = std::min(costs_.ClaimLimit(), kMaxClaim);
  for (std::size_t row = 0; row < env_ids.size();) {
    const auto env = static_cast<std::uint32_t>(env_ids[row]);
    const Cost cost = costs_.Of(env);
    const std::size_t longest = std::min(
        {cost == Cost::kLight ? light_run : 1, requests_.LeftInLane(env), env_ids.size() - row});
    const std::size_t length = RunLength(env_ids.subspan(row, longest), cost);
    requests_.Append({env, static_cast<std::uint32_t>(row), batch, cost}, length);
    counts[static_cast<std::size_t>(cost)] += length;
    row += length;
  }
  requests_.Publish();
  const int helpers = staffing_.HelpersNeeded(counts, costs_.MeanStepNs(), caller_stays);
  staffing_.NoteSent(counts, helpers);
  work_gate_.Notify(staffing_.Invite(helpers));
}

// How many environments from the first one on follow each other and have its cost.
std::size_t Scheduler::RunLength(std::span<const std::int32_t> env_ids, Cost cost) const {
  std::size_t length = 1;
  std::int32_t next = env_ids[0] + 1;
  while (length < env_ids.size() && env_ids[length] == next &&
         costs_.Of(static_cast<std::size_t>(next)) == cost) {
    ++length;
    ++next;
  }
  return length;
}

void Scheduler::CallForMore() {
  if (requests_.Waiting() > 0) work_gate_.Notify(staffing_.Invite(staffing_.OneMore()));
}

// Where the caller helps, it is the first owner of lanes.
std::size_t Scheduler::LaneOwner(std::size_t worker) const {
  const std::size_t owners = requests_.NumOwners();
  return staffing_.CallerHelps() && owners > 1 ? 1 + worker % (owners - 1) : worker % owners;
}

void Scheduler::Work(std::size_t worker) {
  if (config_.affinity_offset >= 0) {
    PinThisThread(static_cast<std::size_t>(config_.affinity_offset) + worker);
  }
  ThreadCounters& counters = counters_[1 + worker];
  const std::size_t owner = LaneOwner(worker);
  staffing_.Arrive();
  Clock::time_point now = Clock::now();
  while (!IsStopping()) {
    while (ClaimAndRun(owner, true, counters, now) && !IsStopping()) {
    }
    Rest(counters);
    now = Clock::now();
  }
  staffing_.Leave();
}

// Waits for work: first awake, then asleep.
void Scheduler::Rest(ThreadCounters& counters) {
  const ThreadCounters::Rest rest(counters);
  const auto invited = [this] { return staffing_.IsInvited() || IsStopping(); };
  const auto called = [this, invited] {
    return invited() || (!CallerWorks() && requests_.Waiting() > 0 && !staffing_.IsCrowded());
  };
  const auto spin_until_called = [this, called] {
    staffing_.StartSpinning();
    for (int spin = 0; spin < kWorkerSpins && !called(); ++spin) Pause();
    staffing_.StopSpinning();
    return called();
  };
  if (staffing_.LeaveIfCrowded()) {
    work_gate_.Wait(invited);
    staffing_.Arrive();
  } else if (!spin_until_called()) {
    // Senders don't invite anybody while they see available workers. So the last one first says
    // that it leaves, and then looks once more for requests.
    const bool is_last = staffing_.Leave();
    if (CallerWorks() || !is_last || requests_.Waiting() == 0) work_gate_.Wait(invited);
    staffing_.Arrive();
  }
  staffing_.TakeInvitation();
}

// How many requests of a cost to claim of those that wait. Where environments step together, all
// threads that can run get an equal share of the moderate ones.
std::size_t Scheduler::ClaimLimit(Cost cost, std::size_t waiting) const {
  if (cost == Cost::kLight) return costs_.ClaimLimit();
  if (cost != Cost::kModerate || config_.most_together == 1) return 1;
  const auto threads = static_cast<std::size_t>(std::max(config_.num_threads, 1));
  const std::size_t share = (waiting - 1) / std::min(threads, cores_) + 1;
  return std::min(config_.most_together, share);
}

// Returns false if there was nothing to claim; else `now` becomes the time when it is done. The
// clock costs as much as a light step, so that what a claim took begins where the last one ended.
bool Scheduler::ClaimAndRun(std::size_t owner, bool is_worker, ThreadCounters& counters,
                            Clock::time_point& now) {
  const auto wanted = [this, is_worker](Cost cost) {
    if (is_worker) return cost != Cost::kLight || !staffing_.IsCrowded();
    return staffing_.CallerMayClaim(cost);
  };
  const auto limit = [this](Cost cost, std::size_t waiting) { return ClaimLimit(cost, waiting); };
  std::array<Request, kMaxClaim> memory;
  const std::size_t count = requests_.Claim(owner, memory, wanted, limit);
  if (count == 0) return false;
  const std::span<Request> requests(memory.data(), count);
  if (!is_worker || requests[0].cost == Cost::kLight) {
    if (is_worker) CallForHelp(Cost::kLight);
    Run(requests, counters, now);
  } else {
    // Senders must not count on this thread meanwhile.
    staffing_.Leave();
    CallForHelp(requests[0].cost);
    Run(requests, counters, now);
    staffing_.Arrive();
  }
  return true;
}

void Scheduler::CallForHelp(Cost cost) {
  // Asked first, because counting the requests that wait reads the other threads' lanes.
  if (!staffing_.MayNeedHelp(cost)) return;
  const std::size_t left = requests_.Waiting();
  work_gate_.Notify(staffing_.Invite(staffing_.HelpersAfterClaim(cost, left, costs_.MeanStepNs())));
}

void Scheduler::Run(std::span<Request> requests, ThreadCounters& counters, Clock::time_point& now) {
  const Clock::time_point start = now;
  counters.BeginWork(start);
  const Runner::Tally done = runner_.Run(requests, Costs::IsMeasured(requests[0].cost, counters));
  now = Clock::now();
  costs_.Record(requests, now - start, done);
  // Before the results are out, so that whoever received them finds them counted.
  counters.EndWork(now, done.steps, done.episodes);
  runner_.Publish(requests, now);
}

}  // namespace envpool
