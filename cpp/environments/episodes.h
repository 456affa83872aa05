// Episodes: runs environments through them. One request is a step, a reset or neither.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "environments/action_store.h"
#include "environments/failure_budget.h"
#include "environments/final_rows.h"
#include "environments/slot.h"
#include "envpool/env.h"
#include "envpool/env_type.h"
#include "envpool/options.h"
#include "loading/pool_config.h"
#include "scheduling/request.h"

namespace envpool {

class Episodes {
 public:
  // What all environments of a kind have in common.
  struct OfKind {
    Options reset_options = {};  // of resets that are given none
    std::function<void(std::span<Turn> turns)> step_together = nullptr;  // see EnvType
    std::size_t most_turns = kMostTurns;                                 // that it gets
  };

  // What is referred to outlives it; `slots` and `rare` have one entry per environment.
  Episodes(std::vector<OfKind> kinds, AutoresetMode mode, int max_players, std::span<Slot> slots,
           std::span<Rare> rare, const ActionStore& actions, FinalRows& final_rows,
           FailureBudget& budget);

  // Runs each request. A failure is noted in the slot. Returns how many were steps.
  int Advance(std::span<const Request> requests);
  // Ends the episode of an environment that has failed in its step, as truncated, and resets it:
  // what a failed step leaves may be anything, but a reset environment can be observed. Returns
  // false, and leaves the failure, if that was no step, if no more failures may be survived, or if
  // the reset fails, too.
  bool Survive(std::size_t env);

 private:
  // Runs a request, with `take_step` if it is one. Returns true if it was.
  template <class TakeStep>
  bool AdvanceOne(std::size_t env, TakeStep take_step);
  int AdvanceTogether(std::span<const Request> requests);
  // Makes a turn for each request that is a step of an environment of the first request's kind.
  void TakeTurns(std::span<const Request> requests, std::vector<Turn>& turns) const;
  StepResult Step(const Slot& slot, std::size_t env) const;
  void Begin(Slot& slot, std::size_t env);
  bool EndFailedEpisode(std::size_t env);
  void StartEpisode(Slot& slot, Rare& rare);
  void Reset(Slot& slot, Rare& rare, const Choice& choice);
  Action ActionOf(const Slot& slot, std::size_t env) const;
  void NoteStep(Slot& slot, std::size_t env, const StepResult& result);
  void StartNextEpisode(Slot& slot, std::size_t env);

  const OfKind& KindOf(const Slot& slot) const {
    return kinds_[static_cast<std::size_t>(slot.kind)];
  }

  const std::vector<OfKind> kinds_;
  const std::size_t most_turns_;  // of all kinds; 0 if none steps together
  const AutoresetMode autoreset_mode_;
  const int max_players_;
  const std::span<Slot> slots_;
  const std::span<Rare> rare_;
  const ActionStore& actions_;
  FinalRows& final_rows_;
  FailureBudget& budget_;
};

}  // namespace envpool
