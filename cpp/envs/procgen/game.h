// Game: one game of the engine's, with the buffers that it reads and writes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "envpool/archive.h"
#include "procgen/engine.h"
#include "procgen/terminal_frame.h"

namespace envpool::procgen {

class Game {
 public:
  // What a step gives beside the picture, and the first observation of a game as well.
  struct Result {
    float reward = 0.0F;
    std::uint8_t first = 0;  // 1 if the picture begins an episode
    std::int32_t prev_level_seed = 0;
    std::uint8_t prev_level_complete = 0;
    std::int32_t level_seed = 0;
  };

  static constexpr int kWidth = 64;  // of the observation, and its height
  static constexpr int kLargeWidth = 512;
  using LargePixels = std::array<std::uint8_t, kLargeWidth * kLargeWidth * 3>;

  // Makes a game, whose first level is drawn with the seed. `is_large` has it draw large pictures,
  // too, which takes time in each observation.
  Game(std::vector<EngineOption> options, std::int32_t seed, bool is_large = false);
  Game(const Game&) = delete;
  Game& operator=(const Game&) = delete;

  // Has the game's last pictures of episodes kept. `at_reset` is called where an episode has ended
  // or a level was completed, before the next one is there.
  void WatchResets(std::function<void()> at_reset);

  void Step(std::int32_t action);
  // Plays one more step of the level, and then draws another one.
  void Restart() { Step(-1); }
  // The same, but with this level.
  void RestartAt(std::int32_t level);
  // Begins this level instead of the one that has just begun, of which nothing is told.
  void BeginAt(std::int32_t level);

  std::string State() const;
  // `state` is one that a game with the same options has returned: others may end the process.
  void Resume(const std::string& state);

  // Only with WatchResets.
  void Serialize(Archive& archive);

  const Result& Last() const { return result_; }
  // What the game looks like; where an episode has ended, the next one's first picture.
  const TerminalFrame::Pixels& Pixels() const { return pixels_; }
  const TerminalFrame::Pixels& TerminalPixels() const { return terminal_->pixels; }
  const LargePixels& Large() const { return *large_; }

 private:
  struct Close {
    void operator()(Handle* handle) const { Engine::Get().Functions().close(handle); }
  };

  std::string WithOwnLevels(const std::string& state) const;

  TerminalFrame::Pixels pixels_ = {};
  Result result_ = {};
  std::int32_t action_ = 0;
  std::unique_ptr<LargePixels> large_;
  std::array<void*, 1> observation_ptrs_;
  std::array<void*, 4> info_ptrs_;
  std::array<void*, 1> action_ptrs_;
  LibenvBuffers buffers_;
  std::unique_ptr<TerminalFrame> terminal_;
  std::unique_ptr<Handle, Close> handle_;  // goes first: it uses what stands above
};

}  // namespace envpool::procgen
