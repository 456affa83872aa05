// ProcessPool: steps environments in worker processes, and receives what they write.
//
// Here is the pool's side; Station is the workers'. Who starts the processes is somebody else's
// business, and is asked what became of one that ended.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "environments/action_store.h"
#include "executor/front.h"
#include "executor/office.h"
#include "workers/exchange.h"
#include "workers/file.h"
#include "workers/letters.h"
#include "workers/players.h"
#include "workers/shared_batches.h"
#include "workers/shared_config.h"
#include "workers/worker_watch.h"

namespace envpool {

class ProcessPool final : public Front, private Crew, private Journal::Source {
 public:
  // What became of a worker that ended, in words. Called while a caller waits.
  using DescribeEnd = std::function<std::string(int worker)>;
  // Starts a process for a worker that has none, and tells SetWorker of it. Returns why there can
  // be none, or nothing. Called while a caller waits; if it throws, the next one tries again.
  using Restart = std::function<std::string(int worker)>;

  ProcessPool(SharedConfig config, DescribeEnd describe_end);
  ~ProcessPool() { End(); }

  // The exchange's, the inbox's, and one outbox per worker.
  std::vector<int> Files() const;

  // A process of this worker begins; `sentinel` is readable when it has ended, and stays its
  // owner's.
  void SetWorker(int worker, int pid, int sentinel);
  // Returns the workers of these environments that have ended.
  std::vector<int> LostWorkers(std::span<const std::int32_t> env_ids);
  // An environment that has failed with its worker, and how that one has ended. No delivery tells
  // of it, because it was not running or had its result already.
  using LostEnv = std::pair<std::int32_t, std::string>;
  std::vector<LostEnv> LostEnvs();
  // From now on failures that are survived include the ends of workers.
  void SetRestart(Restart restart) { restart_ = std::move(restart); }
  // The workers that Restart is to be called for, or is being called for.
  std::vector<int> AwaitingRestart();
  // Instead of processes: runs a request in this thread, if there is one.
  void SetServer(std::function<bool()> run_next) { run_next_ = std::move(run_next); }

  // The workers that run an environment for longer than `step_timeout`.
  std::vector<int> LateWorkers();

  // Has a worker look at its other channel.
  void RingForControl(int worker);
  // Notes that environments were given another state, whose episode is over or not, and in which,
  // if they have players, so many take part in the next step.
  void SetOver(std::span<const std::int32_t> env_ids, const std::vector<bool>& over,
               const std::vector<int>& acting);
  // Notes for a recording that environments are changed otherwise than by steps and resets.
  void NoteLost(std::span<const std::int32_t> env_ids, const std::string& why);

  // All calls end, and are refused from now on; workers end by themselves. Waits for nothing, which
  // Close may do after that.
  void End();

  const SharedConfig& Config() const { return config_; }
  const Exchange& Shared() const { return exchange_; }

 private:
  // What is known of an environment besides its status.
  struct Standing {
    std::string end;        // how its worker has ended, if nobody was told
    bool survives = false;  // if it goes on after that: its next step ends the episode
    int lost_resets = 0;    // since its last result: those in which its worker has ended
  };

  // The front's side.
  void QueueSteps(Desk& desk, const StepRequest& request, bool caller_stays) override;
  void QueueResets(Desk& desk, const ResetRequest& request, std::span<const std::int32_t> others,
                   bool caller_stays) override;
  std::span<const std::int32_t> PlayersOf(std::span<const std::int32_t> env_ids,
                                          std::size_t rows) override {
    return players_.Of(env_ids, rows);
  }
  void PassNext(std::span<const std::int32_t> env_ids, std::span<Choice> next) override;
  Choices& ChoicesOf(std::int32_t env) override { return choices_[Index(env)]; }
  void UpdateTotals(PoolStats& stats) override;
  void RequestStop() override;
  void FinishStop(Desk& desk) override { desk.is_closed = true; }
  std::optional<Delivery> Await(Clock::time_point deadline, Interrupt interrupt) override;
  void WakeReceiver() override { exchange_.WakeReceiver(); }
  Batches& GetBatches() override { return batches_; }
  FailureBudget& Failures() override { return exchange_.Header().failures; }

  // The journal's.
  EpisodeEnd LastEnd(std::int32_t env) const override {
    EpisodeEnd end = Line(env).end;
    end.seed = choices_[Index(env)].LastSeed();  // which the workers do not know
    return end;
  }
  const Choice* NextOf(std::int32_t env) const override { return choices_[Index(env)].Next(); }
  // Saves nothing, because a recording has no snapshots here: those of environments written in
  // Python are pickles, and reading one from a file that somebody else has made could do anything.
  std::optional<std::string> Save(std::int32_t) override { return std::nullopt; }

  static std::size_t Index(std::int32_t env) { return static_cast<std::size_t>(env); }
  EnvLine& Line(std::int32_t env) const { return exchange_.Env(Index(env)); }
  bool IsClosed() const { return exchange_.Header().closed.load(); }
  // With the desk held. Once it is closed, the recording is written, and nothing may be noted.
  bool IsRecording(const Desk& desk) const { return desk.journal != nullptr && !IsClosed(); }
  std::span<const std::int32_t> StoreActions(const StepRequest& request);
  void CheckResets(const ResetRequest& request);
  bool AwaitFront(Clock::time_point deadline, Interrupt interrupt);
  void Settle(Desk& desk, const Delivery& delivery);
  void WriteLetter(std::int32_t env, const std::string& letter);
  void Request(std::int32_t env, Task task, std::optional<Place> place);
  void Enqueue(std::int32_t env);
  void Survive(std::int32_t env, std::optional<Place> place, const std::string& why);
  void FailAtOnce(std::int32_t env, std::optional<Place> place, const std::string& why);
  void WakeWorkers();
  void NoteResult(Desk& desk, std::int32_t env, std::int32_t players);
  void EndEpisode(std::int32_t env);
  void NoteEnd(Desk& desk, std::int32_t env);
  void WatchWorkers();
  void LoseWorker(const WorkerWatch::Ended& ended, const std::string& end);
  void GiveUp(int worker, const std::string& why);
  void ForgetRequests(int worker);
  bool RanStep(int worker) const;
  bool HasResult(std::int32_t env);
  bool SurviveLoss(std::int32_t env, Status status, bool may_be_why, const std::string& why);
  void FailWithWorker(Desk& desk, std::int32_t env, const std::string& why);
  void CloseFiles();

  const SharedConfig config_;
  const DescribeEnd describe_end_;
  Restart restart_;
  // The pool closes its files when it ends.
  File exchange_file_;
  File inbox_file_;
  std::vector<File> outboxes_;

  Exchange exchange_;
  // With the desk held:
  ActionStore actions_;
  Players players_;
  SharedBatches batches_;
  LetterWriter inbox_;
  WorkerWatch watch_;
  std::vector<Standing> standings_;  // of each environment
  std::vector<Choices> choices_;     // of each environment

  std::function<bool()> run_next_;
  std::atomic<std::int64_t> receive_wait_ns_ = 0;
  std::atomic<Clock::time_point> last_watch_{};  // when WatchWorkers began last
};

}  // namespace envpool
