// Game: one game on Google Research Football's engine. The engine's headers stay in game.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gfootball/observed.h"
#include "gfootball/scenario.h"

struct GameEnv;  // the engine's

namespace envpool::gfootball {

// A Setup is what beside the scenario decides how a match goes.
struct Setup {
  int left_agents = 1;
  int right_agents = 0;
  std::uint32_t seed = 0;
  bool reverse_team_processing = false;  // the right team is computed first
};

// Ends tell what ends an episode, as the scenario says.
struct Ends {
  int game_duration;
  bool on_score, on_out_of_play, on_possession_change;
};

class Game {
 public:
  // Throws std::runtime_error if the engine's data are missing.
  Game(int physics_steps_per_frame, std::vector<int> sticky_actions);
  ~Game();

  // Begins a match. Throws std::runtime_error, as all functions below do, if the engine fails.
  void Reset(const Scenario& scenario, const Setup& setup);
  // Tells the player of one of a team's agents what to do; `action` is the engine's number.
  void Act(int action, bool is_left, int agent);
  void Step();

  // Returns whether the match goes on, which it does not while it waits for a kick.
  bool Look(Observed& seen) const;
  int ElapsedSteps() const;
  Ends EndsOfEpisode() const;

  // For how many steps the game has not been in its normal mode; whoever steps it counts.
  int WaitingCount() const;
  void SetWaitingCount(int count);

  // The engine's own snapshots, for a game that was reset with the same scenario and agents.
  std::string State() const;
  void SetState(const std::string& state);

 private:
  GameEnv& Enter() const;
  void FillSticky(bool is_left, Team& team) const;

  std::unique_ptr<GameEnv> env_;
  std::vector<int> sticky_actions_;
};

// Throws std::runtime_error if the engine's data are not where they were installed.
void RequireData();

}  // namespace envpool::gfootball
