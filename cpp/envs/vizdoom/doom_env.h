// DoomEnv: what all environments on a DoomGame have in common. An episode follows from its seed and
// its actions, so they are what a snapshot has, and what a new engine plays again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "envpool/env.h"
#include "vizdoom/doom_game.h"

namespace envpool::vizdoom {

class DoomEnv : public Env {
 public:
  bool HasBegun() const override { return has_begun_; }
  void Continue(Random&) override;
  void Serialize(Archive& archive) override;
  void Render(const Frame& frame) override;
  void Release() override;

 protected:
  // For an action the game advances by so many tics. Snapshots are for games with the same tics,
  // the same files of the scenario and the same conditions, which are whatever else decides where
  // actions lead, in words.
  DoomEnv(std::unique_ptr<DoomGame> game, std::int64_t tics, const std::string& conditions);

  DoomGame& Game() { return *game_; }
  const DoomGame& Game() const { return *game_; }
  unsigned EpisodeSeed() const { return seed_; }
  std::int64_t EpisodeNumber() const { return number_; }

  // Begins the seed's episode of that number, recorded in a file of this name unless it is empty.
  void Begin(unsigned seed, std::int64_t number, const std::string& recording);
  void Advance(const std::vector<double>& buttons) { game_->Advance(buttons, tics_); }
  // Plays an action, given as the values of all buttons; the episode has it from then on.
  StepResult Take(const std::vector<double>& buttons);

 private:
  // The game is where an episode begins.
  virtual void OnBegin() = 0;
  virtual StepResult Play(const std::vector<double>& buttons) = 0;
  // Lets the game go on where a life is over; called only if CanContinue.
  virtual void GoOn() {}
  // Returns what is to be drawn; nothing: black.
  virtual std::span<const std::uint8_t> Screen() const = 0;

  void Replay();

  const std::unique_ptr<DoomGame> game_;
  const unsigned tics_;
  const std::string conditions_;
  unsigned seed_ = 0;
  std::int64_t number_ = 0;         // of the episode, since the seed
  std::vector<double> actions_;     // of the episode, the values of all buttons in each
  std::vector<std::size_t> lives_;  // how long actions_ was when a life after the first began
  bool has_begun_ = false;
  bool is_released_ = false;  // The engine has ended, and is to be started again.
};

}  // namespace envpool::vizdoom
