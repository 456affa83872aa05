#include "atari/emulator.h"

#include <ale/common/ColourPalette.hpp>
#include <ale/common/Log.hpp>
#include <ale/emucore/Console.hxx>
#include <ale/emucore/MediaSrc.hxx>
#include <ale/emucore/Props.hxx>
#include <ale/games/Roms.hpp>
#include <stdexcept>

namespace envpool::atari {

namespace {

// Sets a level beyond all of ALE's: we report ourselves what goes wrong.
[[maybe_unused]] const bool is_silent = [] {
  ale::Logger::setMode(static_cast<ale::Logger::mode>(ale::Logger::Error + 1));
  return true;
}();

std::span<std::uint8_t> FrameBuffer(std::uint8_t* pixels, FrameSize size) {
  return {pixels, static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height)};
}

}  // namespace

Emulator::Emulator(const EmulatorConfig& config, std::int32_t seed) : settings_(&system_) {
  settings_.setFloat("repeat_action_probability", config.repeat_action_probability);
  settings_.setInt("random_seed", seed);
  settings_.validate();
  system_.create();
  if (!system_.createConsole(config.rom)) {
    throw std::runtime_error("the emulator cannot load " + config.rom);
  }
  ale::stella::Console& console = system_.console();
  system_.colourPalette().setPalette("standard", console.getFormat());
  for (int colour = 0; colour < 256; ++colour) {
    palette_.push_back(system_.colourPalette().getRGB(colour));
  }
  rules_.reset(
      ale::buildRomRLWrapper(config.rom, console.properties().get(ale::stella::Cartridge_MD5)));
  if (rules_ == nullptr) throw std::runtime_error("ALE has no rules for " + config.rom);
  rules_->modifyEnvironmentSettings(settings_);
  game_ = std::make_unique<ale::StellaEnvironment>(&system_, rules_.get());
  // The generator is seeded once more, because ALE takes -1 for a wish to be seeded from the clock.
  game_->getEnvironmentRNG().seed(static_cast<std::uint32_t>(seed));
  // Some games differ between the first reset and the second, so this one is done here as in ALE,
  // before there is a mode.
  game_->reset();
  if (config.mode) game_->setMode(*config.mode);
  if (config.difficulty) game_->setDifficulty(*config.difficulty);
}

void Emulator::Reset() { game_->reset(); }

int Emulator::Act(ale::Action action) { return game_->act(action, ale::PLAYER_B_NOOP, 1.0F, 0.0F); }

std::span<const std::uint8_t> Emulator::Ram() const {
  return {game_->getRAM().array(), game_->getRAM().size()};
}

FrameSize Emulator::ScreenSize() const {
  const ale::ALEScreen& screen = game_->getScreen();
  return {static_cast<int>(screen.width()), static_cast<int>(screen.height())};
}

std::span<const std::uint8_t> Emulator::Screen() const {
  return FrameBuffer(system_.console().mediaSource().currentFrameBuffer(), ScreenSize());
}

// ALE checks less than it reads: see third_party/ale/checked_numbers.inc. What it has skipped or
// changed shows when it is written again.
void Emulator::Restore(const std::string& state) {
  bool is_restored = false;
  try {
    const ale::ALEState before = game_->getState();
    ale::ALEState restored(state);
    const bool is_same_game = restored.getCurrentMode() == before.getCurrentMode() &&
                              restored.getDifficulty() == before.getDifficulty();
    if (is_same_game) game_->restoreState(restored);
    is_restored = is_same_game && game_->cloneState(true).serialize() == state;
  } catch (...) {
    // texts, for the most part
  }
  if (!is_restored) throw std::invalid_argument("the emulator's state is damaged");
}

void Emulator::Serialize(Archive& archive) {
  std::string state = archive.IsReader() ? "" : game_->cloneState(true).serialize();
  archive(state);
  archive.Range(game_->getRepeatedAction(), ale::PLAYER_A_NOOP, ale::PLAYER_B_NOOP - 1);
  if (archive.IsReader()) Restore(state);
  ale::stella::MediaSource& video = system_.console().mediaSource();
  for (std::uint8_t* pixels : {video.currentFrameBuffer(), video.previousFrameBuffer()}) {
    archive.Any(FrameBuffer(pixels, ScreenSize()));
  }
}

}  // namespace envpool::atari
