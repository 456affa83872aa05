// Emulator: one console that runs one game, from ALE.
//
// Does what ALEInterface does (ale_interface.cpp), which ends the process when a ROM is bad.
#pragma once

#include <ale/emucore/OSystem.hxx>
#include <ale/emucore/Settings.hxx>
#include <ale/environment/stella_environment.hpp>
#include <ale/games/RomSettings.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "envpool/archive.h"
#include "envpool/family.h"

namespace envpool::atari {

struct EmulatorConfig {
  std::string rom;  // its path
  float repeat_action_probability = 0.0F;
  std::optional<unsigned> mode = {};
  std::optional<unsigned> difficulty = {};
};

class Emulator {
 public:
  // Loads the game; it still has to be reset. Throws std::runtime_error if the ROM does not load.
  Emulator(const EmulatorConfig& config, std::int32_t seed);

  // Begins a game.
  void Reset();

  // Runs one frame and returns the reward.
  int Act(ale::Action action);

  bool IsGameOver() const { return game_->isGameTerminal(); }
  int Lives() const { return rules_->lives(); }
  int FrameNumber() const { return game_->getFrameNumber(); }
  int EpisodeFrameNumber() const { return game_->getEpisodeFrameNumber(); }
  std::span<const std::uint8_t> Ram() const;

  FrameSize ScreenSize() const;
  // The colours of the picture as indices of the palette, row by row.
  std::span<const std::uint8_t> Screen() const;
  // 256 colours as 0xRRGGBB; after each, its shade of grey.
  std::span<const std::uint32_t> Palette() const { return palette_; }

  // The console, the game with its random generator and the action that it may repeat, and the
  // picture.
  void Serialize(Archive& archive);

 private:
  void Restore(const std::string& state);

  ale::stella::OSystem system_;
  ale::stella::Settings settings_;
  std::unique_ptr<ale::RomSettings> rules_;
  std::unique_ptr<ale::StellaEnvironment> game_;
  std::vector<std::uint32_t> palette_;
};

}  // namespace envpool::atari
