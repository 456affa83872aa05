#include "executor/environments/episodes.h"

#include <memory>
#include <utility>

namespace envpool {

Episodes::Episodes(std::vector<Options> default_reset_options, AutoresetMode mode, int max_players,
                   std::span<Slot> slots, std::span<Rare> rare, const ActionStore& actions,
                   FinalRows& final_rows, FailureBudget& budget)
    : default_reset_options_(std::move(default_reset_options)),
      autoreset_mode_(mode),
      max_players_(max_players),
      slots_(slots),
      rare_(rare),
      actions_(actions),
      final_rows_(final_rows),
      budget_(budget) {}

int Episodes::Advance(std::span<const Request> requests) {
  int steps = 0;
  for (const Request& request : requests) {
    const std::size_t env = request.env;
    Slot& slot = slots_[env];
    slot.failed = slot.survived = false;
    slot.result = {};
    slot.first = slot.next != Task::kStep || slot.episode_over;
    try {
      if (!slot.first) {
        StepEpisode(slot, env);
      } else {
        Begin(slot, env);
      }
    } catch (...) {
      slot.failed = true;
      DescribeException(rare_[env].error);
      Survive(env);
    }
    steps += !slot.first;
  }
  return steps;
}

// Does what was asked for and is no step.
void Episodes::Begin(Slot& slot, std::size_t env) {
  const Task task = std::exchange(slot.next, Task::kStep);
  if (task == Task::kSurvive) {  // the pool has taken it from the failure budget already
    slot.first = false;
    slot.failed = !EndFailedEpisode(env);
  } else if (task != Task::kObserve) {
    StartEpisode(slot, rare_[env]);
  }
}

void Episodes::StartEpisode(Slot& slot, Rare& rare) {
  const bool continues = slot.episode_over && slot.continues;
  slot.episode_over = true;
  const std::shared_ptr<const Options> options = std::move(rare.reset_options);
  if (continues) {
    slot.env->Continue(rare.random);
  } else {
    const auto kind = static_cast<std::size_t>(slot.kind);
    slot.env->Reset(rare.random, options ? *options : default_reset_options_[kind]);
    slot.elapsed_step = 0;
    slot.episode_return = 0.0;
  }
  slot.episode_over = false;
  slot.CountPlayers(max_players_);
}

void Episodes::StepEpisode(Slot& slot, std::size_t env) {
  const auto players = static_cast<std::size_t>(slot.players);
  StepResult result = slot.env->Step(actions_.Get(env, players), rare_[env].random);
  ++slot.elapsed_step;
  result.truncated |= slot.elapsed_step >= slot.max_episode_steps;
  slot.result = result;
  slot.episode_over = result.terminated || result.truncated;
  slot.continues =
      slot.episode_over && slot.elapsed_step < slot.max_episode_steps && slot.env->CanContinue();
  if (max_players_ > 1) slot.CountPlayers(max_players_);
  if (slot.episode_over && autoreset_mode_ == AutoresetMode::kSameStep) {
    StartNextEpisode(slot, env);
  }
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
  rare.failed_end = {
      .episode_return = slot.episode_return, .length = slot.elapsed_step, .failed = true};
  try {
    slot.env->Reset(rare.random, default_reset_options_[static_cast<std::size_t>(slot.kind)]);
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
  rare.final_return = slot.episode_return + slot.result.reward;
  StartEpisode(slot, rare);
}

}  // namespace envpool
