#include "atari/emulator.h"

#include <ale/common/ColourPalette.hpp>
#include <ale/common/Log.hpp>
#include <ale/emucore/Console.hxx>
#include <ale/emucore/MediaSrc.hxx>
#include <ale/emucore/Props.hxx>
#include <ale/games/Roms.hpp>
#include <sstream>
#include <stdexcept>

namespace envpool::atari {

namespace {

// Beyond all of ALE's levels: what goes wrong, we report ourselves.
[[maybe_unused]] const bool is_silent = [] {
  ale::Logger::setMode(static_cast<ale::Logger::mode>(ale::Logger::Error + 1));
  return true;
}();

std::span<std::uint8_t> FrameBuffer(std::uint8_t* pixels, FrameSize size) {
  return {pixels, static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height)};
}

}  // namespace

Emulator::Emulator(const EmulatorConfig& config, std::int32_t seed)
    : repeat_probability_(config.repeat_action_probability), settings_(&system_) {
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
  // Once more, because ALE takes -1 for a wish to be seeded from the clock.
  game_->getEnvironmentRNG().seed(static_cast<std::uint32_t>(seed));
  // Some games differ between the first reset and the second, so this one is done here as in ALE,
  // before there is a mode.
  game_->reset();
  if (config.mode) game_->setMode(*config.mode);
  if (config.difficulty) game_->setDifficulty(*config.difficulty);
}

void Emulator::Reset() {
  game_->reset();
  if (!RepeatsActions()) return;
  repeated_action_ = ale::PLAYER_A_NOOP;
  FollowGenerator();  // modes of some games use it
}

int Emulator::Act(ale::Action action) {
  if (RepeatsActions()) {
    if (!DrawRepeat()) repeated_action_ = action;
    DrawRepeat();  // the other player's
  }
  return game_->act(action, ale::PLAYER_B_NOOP, 1.0F, 0.0F);
}

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

// Makes generator_ equal to ALE's.
void Emulator::FollowGenerator() {
  ale::stella::Serializer written;
  game_->getEnvironmentRNG().saveState(written);
  std::istringstream text(ale::stella::Deserializer(written.get_str()).getString());
  text >> generator_;
}

// The same as StellaEnvironment::act.
bool Emulator::DrawRepeat() {
  const double uniform = generator_() / (static_cast<double>(std::mt19937::max()) + 1.0);
  return uniform < static_cast<double>(repeat_probability_);
}

// There is no other way than to act until ALE takes it.
void Emulator::RestoreRepeatedAction(ale::Action action) {
  FollowGenerator();
  while (repeated_action_ != action) Act(action);
}

void Emulator::Serialize(Archive& archive) {
  std::string state = archive.IsReader() ? "" : game_->cloneState(true).serialize();
  ale::Action repeated_action = repeated_action_;
  archive(state, repeated_action);
  if (archive.IsReader()) {
    if (RepeatsActions()) RestoreRepeatedAction(repeated_action);
    game_->restoreState(ale::ALEState(state));
    if (RepeatsActions()) FollowGenerator();
  }
  ale::stella::MediaSource& video = system_.console().mediaSource();
  for (std::uint8_t* pixels : {video.currentFrameBuffer(), video.previousFrameBuffer()}) {
    const auto buffer = FrameBuffer(pixels, ScreenSize());
    archive.Raw(buffer.data(), buffer.size());
  }
}

}  // namespace envpool::atari
