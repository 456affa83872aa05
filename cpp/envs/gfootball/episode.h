// Episode: a match, step for step by the rules of upstream's football_env_core.py.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "envpool/archive.h"
#include "gfootball/game.h"
#include "gfootball/observed.h"
#include "gfootball/scenario.h"

namespace envpool::gfootball {

class Episode {
 public:
  Episode(int physics_steps_per_frame, std::vector<int> sticky_actions)
      : game_(physics_steps_per_frame, std::move(sticky_actions)) {}

  void Begin(const Scenario& scenario, const Setup& setup);
  // Takes the engine's actions of the agents on the left, then of those on the right. Returns what
  // the left team has gained.
  int Step(const std::vector<int>& actions);

  bool IsOver() const { return is_over_; }
  const Observed& Seen() const { return seen_; }

  // A reader must have begun an episode with the same scenario and setup.
  void Serialize(Archive& archive);

 private:
  int Heeded(int action, bool is_left, std::size_t agent) const;
  void Tell(const std::vector<int>& actions);
  bool HasEnded() const;

  Game game_;
  Observed seen_;
  int score_difference_ = 0;
  std::int32_t last_game_mode_ = -1;
  std::int32_t last_owner_ = -1;  // the team that had the ball last
  bool is_over_ = false;
};

}  // namespace envpool::gfootball
