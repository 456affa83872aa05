// Station: where a worker runs its environments and writes what comes of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "executor/environments/action_store.h"
#include "executor/environments/episodes.h"
#include "executor/environments/final_rows.h"
#include "executor/environments/results.h"
#include "executor/results/batch.h"
#include "workers/exchange.h"

namespace envpool {

// What the executor remembers of an environment from one request to the next.
struct EpisodeState {
  std::int32_t elapsed_step = 0;
  double episode_return = 0.0;
  bool episode_over = true;
};

class Station {
 public:
  // `files` stay the caller's. The environments are added by Put.
  struct Files {
    int exchange;
    int inbox;
    int outbox;
  };
  // If this process has the exchange mapped already, it need not be mapped again.
  Station(SharedConfig config, int worker, Files files, const Exchange* mapped = nullptr);
  Station(const Station&) = delete;
  Station& operator=(const Station&) = delete;
  virtual ~Station() = default;

  // The environment of this id, one of this worker's, which does not run. It begins with a reset.
  void Put(std::int32_t env, std::unique_ptr<Env> environment);
  Env& At(std::int32_t env) const { return *slots_[static_cast<std::size_t>(env)].env; }

  // Runs the next request, if there is one. Several threads may do so.
  bool RunNext();

  // Waits for something to do, for so long at most: a request, or if this thread `takes_control`,
  // that the worker is asked to look at its other channel.
  void Await(Duration duration, bool takes_control);
  // Was it asked? Forgets it.
  bool TakeControl() { return Line().control.exchange(false); }
  bool IsClosed() const { return exchange_.Header().closed.load(); }

  // What the executor remembers of an environment that does not run.
  EpisodeState StateOf(std::int32_t env) const;
  void SetState(std::int32_t env, const EpisodeState& state);

 protected:
  const SharedConfig& Config() const { return config_; }
  const Exchange& Shared() const { return exchange_; }

 private:
  // Before an environment's request is run. `letter` is what came along with it, if anything did.
  virtual void Prepare(std::int32_t /*env*/, Task /*task*/, std::optional<std::string> /*letter*/) {
  }
  // After that: what goes along with the row, if anything. `error` is why it has failed; if it has
  // not, it still may.
  virtual std::string LetterOf(std::int32_t /*env*/, bool& /*failed*/, const std::string& error) {
    return error;
  }
  // How many players take part in an environment's next step, if it has players.
  virtual int CountActing(std::int32_t env) const {
    return slots_[static_cast<std::size_t>(env)].players;
  }

  void Run(std::uint32_t env);
  void WriteRow(std::uint32_t env, Place place);
  WorkerLine& Line() const { return exchange_.Workers()[worker_]; }

  const SharedConfig config_;
  const Layout layout_;
  const std::size_t worker_;
  const bool has_players_;
  const File exchange_file_;
  const File inbox_;
  const File outbox_;
  Exchange exchange_;
  LetterWriter letters_;
  std::mutex mutex_;  // of requests that are claimed, and letters that are written
  std::vector<Slot> slots_;
  std::vector<Rare> rare_;
  ActionStore no_actions_;  // they are in the exchange
  FinalRows final_rows_;
  Episodes episodes_;
  Results results_;
  std::deque<Batch> rows_;  // of each environment: where its result is written
};

}  // namespace envpool
