#include "environments/episodes.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>

namespace envpool {

namespace {

const Choice kUnchosen;

bool IsFirst(const Slot& slot) { return slot.next != Task::kStep || slot.episode_over; }

// Takes the turns. A `step_together` that throws has failed all of them.
void StepAll(const std::function<void(std::span<Turn>)>& step_together, std::span<Turn> turns) {
  try {
    step_together(turns);
  } catch (...) {
    for (Turn& turn : turns) turn.failure = std::current_exception();
  }
}

std::size_t MostTurns(std::span<const Episodes::OfKind> kinds) {
  std::size_t most = 0;
  for (const Episodes::OfKind& kind : kinds) {
    if (kind.step_together != nullptr) most = std::max(most, kind.most_turns);
  }
  return most;
}

StepResult ResultOf(const Turn& turn) {
  if (turn.failure) std::rethrow_exception(turn.failure);
  return turn.result;
}

}  // namespace

Episodes::Episodes(std::vector<OfKind> kinds, AutoresetMode mode, int max_players,
                   std::span<Slot> slots, std::span<Rare> rare, const ActionStore& actions,
                   FinalRows& final_rows, FailureBudget& budget)
    : kinds_(std::move(kinds)),
      most_turns_(MostTurns(kinds_)),
      autoreset_mode_(mode),
      max_players_(max_players),
      slots_(slots),
      rare_(rare),
      actions_(actions),
      final_rows_(final_rows),
      budget_(budget) {}

int Episodes::Advance(std::span<const Request> requests) {
  int steps = 0;
  if (most_turns_ > 0 && requests.size() > 1) {
    for (std::size_t i = 0; i < requests.size(); i += most_turns_) {
      steps += AdvanceTogether(requests.subspan(i, std::min(most_turns_, requests.size() - i)));
    }
    return steps;
  }
  for (const Request& request : requests) {
    steps += AdvanceOne(request.env, [&] { return Step(slots_[request.env], request.env); });
  }
  return steps;
}

int Episodes::AdvanceTogether(std::span<const Request> requests) {
  // Kept, so that a step allocates nothing; but not while a step may run another pool's steps.
  thread_local std::vector<Turn> kept;
  std::vector<Turn> turns = std::move(kept);
  TakeTurns(requests, turns);
  if (turns.size() > 1) {
    StepAll(KindOf(slots_[requests[0].env]).step_together, turns);
  } else {
    turns.clear();
  }
  auto turn = turns.begin();
  int steps = 0;
  for (const Request& request : requests) {
    const Slot& slot = slots_[request.env];
    steps += AdvanceOne(request.env, [&] {
      const bool has_stepped = turn != turns.end() && &turn->env == slot.env.get();
      return has_stepped ? ResultOf(*turn++) : Step(slot, request.env);
    });
  }
  turns.clear();
  kept = std::move(turns);
  return steps;
}

void Episodes::TakeTurns(std::span<const Request> requests, std::vector<Turn>& turns) const {
  turns.clear();
  const Slot& first = slots_[requests[0].env];
  if (KindOf(first).step_together == nullptr) return;
  for (const Request& request : requests) {
    const Slot& slot = slots_[request.env];
    if (IsFirst(slot) || slot.kind != first.kind) continue;
    turns.push_back({*slot.env, ActionOf(slot, request.env), rare_[request.env].random});
  }
}

template <class TakeStep>
bool Episodes::AdvanceOne(std::size_t env, TakeStep take_step) {
  Slot& slot = slots_[env];
  slot.failed = slot.survived = false;
  slot.result = {};
  const bool is_first = IsFirst(slot);
  slot.first = is_first;
  try {
    if (!is_first) [[likely]] {
      NoteStep(slot, env, take_step());
      return true;
    }
    Begin(slot, env);
  } catch (...) {
    slot.failed = true;
    DescribeException(rare_[env].error);
    Survive(env);
  }
  return !slot.first;
}

// Does what was asked for and is no step.
void Episodes::Begin(Slot& slot, std::size_t env) {
  const Task task = std::exchange(slot.next, Task::kStep);
  if (task == Task::kSurvive) {  // the pool has taken it from the failure budget already
    slot.first = false;
    slot.failed = !EndFailedEpisode(env);
  } else if (task == Task::kBlank) {
    slot.next = Task::kReset;
  } else if (task != Task::kObserve) {
    StartEpisode(slot, rare_[env]);
  }
}

void Episodes::StartEpisode(Slot& slot, Rare& rare) {
  const Choice* const given = rare.choices.Given();
  const Choice* const next = given != nullptr ? given : rare.choices.Next();
  const Choice& choice = next != nullptr ? *next : kUnchosen;
  // A game goes on after a reset that has only options.
  const bool is_new = given != nullptr ? given->seed.has_value() : !choice.IsEmpty();
  const bool continues = slot.episode_over && slot.continues && !is_new;
  slot.episode_over = true;
  if (continues) {
    slot.env->Continue(rare.random);
  } else {
    Reset(slot, rare, choice);
    slot.elapsed_step = 0;
    slot.episode_return = 0.0;
  }
  slot.episode_over = false;
  slot.CountPlayers(max_players_);
  rare.choices.Begin();
}

void Episodes::Reset(Slot& slot, Rare& rare, const Choice& choice) {
  if (choice.seed) Seed(slot, rare, *choice.seed);
  if (choice.state) return ReadState(slot, rare, *choice.state);
  slot.env->Reset(rare.random, choice.options ? *choice.options : KindOf(slot).reset_options);
}

Action Episodes::ActionOf(const Slot& slot, std::size_t env) const {
  return actions_.Get(env, static_cast<std::size_t>(slot.players));
}

StepResult Episodes::Step(const Slot& slot, std::size_t env) const {
  return slot.env->Step(ActionOf(slot, env), rare_[env].random);
}

inline void Episodes::NoteStep(Slot& slot, std::size_t env, const StepResult& result) {
  const bool is_last = ++slot.elapsed_step >= slot.max_episode_steps;
  // Member by member: copied whole, what was just written would be read in pieces that overlap, for
  // which the processor waits.
  slot.result.reward = result.reward;
  slot.result.discount = result.discount;
  slot.result.terminated = result.terminated;
  slot.result.truncated = result.truncated || is_last;
  slot.episode_over = result.terminated || result.truncated || is_last;
  slot.continues = false;
  if (max_players_ > 1) slot.CountPlayers(max_players_);
  if (!slot.episode_over) [[likely]]
    return;
  slot.continues = !is_last && slot.env->CanContinue();
  if (autoreset_mode_ == AutoresetMode::kSameStep) StartNextEpisode(slot, env);
}

bool Episodes::Survive(std::size_t env) {
  const Slot& slot = slots_[env];
  // After the end of an episode it was the next one's reset that has failed.
  const bool was_step = !slot.first && !slot.result.terminated && !slot.result.truncated;
  return was_step && budget_.Take() && EndFailedEpisode(env);
}

// Returns false if the reset fails.
bool Episodes::EndFailedEpisode(std::size_t env) {
  Slot& slot = slots_[env];
  Rare& rare = rare_[env];
  rare.failed_end = {.episode_return = slot.episode_return,
                     .length = slot.elapsed_step,
                     .failed = true,
                     .seed = rare.choices.LastSeed()};
  try {
    slot.env->Reset(rare.random, KindOf(slot).reset_options);
    slot.CountPlayers(max_players_);
    slot.result = {.truncated = true};
    slot.episode_over = true;
    slot.continues = false;
    if (autoreset_mode_ == AutoresetMode::kSameStep) StartNextEpisode(slot, env);
  } catch (...) {
    slot.result = {};
    DescribeException(rare.error);
    return false;
  }
  slot.failed = false;
  slot.survived = true;
  return true;
}

// In the step that ended an episode.
void Episodes::StartNextEpisode(Slot& slot, std::size_t env) {
  Rare& rare = rare_[env];
  final_rows_.Observe(*slot.env, env);
  rare.final_elapsed_step = slot.elapsed_step;
  rare.final_seed = rare.choices.LastSeed();
  rare.final_return = slot.episode_return + slot.result.reward;
  StartEpisode(slot, rare);
}

}  // namespace envpool
