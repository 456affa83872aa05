// Episodes: runs environments through them. One request is a step, a reset or neither.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "envpool/options.h"
#include "executor/environments/action_store.h"
#include "executor/environments/failure_budget.h"
#include "executor/environments/final_rows.h"
#include "executor/environments/slot.h"
#include "executor/scheduling/request.h"
#include "loading/pool_config.h"

namespace envpool {

class Episodes {
 public:
  // What is referred to outlives it; `slots` and `rare` have one entry per environment, and the
  // options of resets that are given none have one per kind.
  Episodes(std::vector<Options> default_reset_options, AutoresetMode mode, int max_players,
           std::span<Slot> slots, std::span<Rare> rare, const ActionStore& actions,
           FinalRows& final_rows, FailureBudget& budget);

  // Runs each request. A failure is noted in the slot. Returns how many were steps.
  int Advance(std::span<const Request> requests);
  // Ends the episode of an environment that has failed in its step, as truncated, and resets it:
  // what a failed step leaves may be anything, but a reset environment can be observed. Returns
  // false, and leaves the failure, if that was no step, if no more failures may be survived, or if
  // the reset fails, too.
  bool Survive(std::size_t env);

 private:
  void Begin(Slot& slot, std::size_t env);
  bool EndFailedEpisode(std::size_t env);
  void StartEpisode(Slot& slot, Rare& rare);
  void StepEpisode(Slot& slot, std::size_t env);
  void StartNextEpisode(Slot& slot, std::size_t env);

  const std::vector<Options> default_reset_options_;
  const AutoresetMode autoreset_mode_;
  const int max_players_;
  const std::span<Slot> slots_;
  const std::span<Rare> rare_;
  const ActionStore& actions_;
  FinalRows& final_rows_;
  FailureBudget& budget_;
};

}  // namespace envpool
