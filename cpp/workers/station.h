// Station: where a worker runs its environments and writes what comes of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "environments/action_store.h"
#include "environments/episodes.h"
#include "environments/final_rows.h"
#include "environments/results.h"
#include "results/batches.h"
#include "threads/fork_mark.h"
#include "workers/exchange.h"

namespace envpool {

// What the executor remembers of an environment from one request to the next: elapsed_step,
// episode_return, episode_over.
using EpisodeState = std::tuple<std::int32_t, double, bool>;

// An environment as a station runs it.
class ServedEnv : public Env {
 public:
  // Before each request. `letter` is what came along with it, if anything did.
  virtual void Prepare(Task /*task*/, std::optional<std::string> /*letter*/) {}
  // After that: what goes along with the row, if anything. `error` is why it has failed; if it has
  // not, or has survived that, it still may.
  virtual std::string TakeLetter(bool& /*failed*/, const std::string& error) { return error; }
  // How many players take part in the next step, if it has players.
  virtual int NumActing() const { return NumPlayers(); }
};

class Station {
 public:
  // `files` stay the caller's. The environments are added by Put.
  struct Files {
    int exchange;
    int inbox;
    int outbox;
  };
  // How environments are run of which several take their steps in one call: up to batch_size.
  struct Together {
    std::function<void(std::span<Turn> turns)> step;  // null: one runs after the other
    std::function<void()> finish;  // does what resets have put off; before rows are read
  };
  // If this process has the exchange mapped already, it need not be mapped again.
  Station(SharedConfig config, int worker, Files files, const Exchange* mapped = nullptr,
          Together together = {});
  Station(const Station&) = delete;
  Station& operator=(const Station&) = delete;

  // The environment of this id, one of this worker's, which does not run. It begins with a reset.
  void Put(std::int32_t env, std::unique_ptr<ServedEnv> environment);
  // Null if there is none.
  ServedEnv* Find(std::int32_t env) const {
    return static_cast<ServedEnv*>(slots_[static_cast<std::size_t>(env)].env.get());
  }

  // Runs the next request, if there is one, or the next ones together. Several threads may do so.
  bool RunNext();
  // Throws std::runtime_error in a child that an environment has forked and that came back from it.
  // It must not touch what the pool shares with its parent.
  void CheckNotForked() const;

  // Waits for something to do, for so long at most: a request, or if this thread `takes_control`,
  // that the worker is asked to look at its other channel.
  void Await(Duration duration, bool takes_control);
  // True if it was asked; forgets it.
  bool TakeControl() { return Line().control.exchange(false); }
  // Says whether the worker is busy with that channel, or closes its environments.
  void SetAnswering(bool answers) { Line().answers.store(answers); }
  bool IsClosed() const { return exchange_.Header().closed.load(); }

  // What the executor remembers of an environment that does not run.
  EpisodeState StateOf(std::int32_t env) const;
  void SetState(std::int32_t env, const EpisodeState& state);

  bool IsForked() const { return fork_mark_.IsForked(); }
  const SharedConfig& Config() const { return config_; }
  const Exchange& Shared() const { return exchange_; }
  const ActionStore& Actions() const { return actions_; }

 private:
  // A request that was claimed.
  struct Claimed {
    std::uint32_t env;
    std::int64_t since;          // when it began to run
    std::int64_t num_begun = 0;  // of the environment's chosen episodes, before
    Place place = {};
  };

  std::optional<Claimed> Claim();
  bool RunSeveral();
  // `requests` are the same, as episodes know them.
  void Run(std::span<Claimed> claimed, std::span<const Request> requests);
  void Prepare(Claimed& request);
  void ReadChoices(std::uint32_t env, std::optional<std::string>& letter);
  void WriteRow(std::uint32_t env, Place place);
  void Complete(const Claimed& request);
  WorkerLine& Line() const { return exchange_.Workers()[worker_]; }

  const ForkMark fork_mark_;
  const SharedConfig config_;
  const Layout layout_;
  const std::size_t worker_;
  const std::function<void()> finish_;
  const std::size_t most_claimed_;  // at once
  const File inbox_;
  const File outbox_;
  Exchange exchange_;
  LetterWriter letters_;
  std::mutex mutex_;  // of requests that are claimed, and letters that are written
  std::vector<Slot> slots_;
  std::vector<Rare> rare_;
  std::vector<std::uint32_t> num_next_;  // of each environment: which of EnvLine::next was read
  const ActionStore actions_;
  FinalRows final_rows_;
  Episodes episodes_;
  Results results_;
  std::deque<Batch> rows_;  // of each environment: where its result is written
};

}  // namespace envpool
