// The ceiling of Atari: consoles that run the frames of a step and nothing else. Nobody looks at
// their screens, of which the last two of a step are painted.
#include "ceiling.h"

#include <cstdint>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "atari/emulator.h"
#include "atari/game.h"

namespace {

using envpool::atari::Action;
using envpool::atari::Emulator;
using envpool::atari::EmulatorConfig;

constexpr int kFrameSkip = 4;
constexpr int kMaxNoops = 30;

// What the only player does.
envpool::atari::Deeds Play(Action action) { return {envpool::atari::Deed{.action = action}}; }

class Console final : public ceiling::Env {
 public:
  Console(const EmulatorConfig& config, const std::vector<Action>& actions, int seed)
      : actions_(actions), emulator_(config), random_(static_cast<unsigned>(seed)) {
    emulator_.PowerOn(static_cast<unsigned>(seed));
    reset();
  }

  void step(const std::byte* action) override {
    if (emulator_.IsGameOver()) {
      reset();
      return;
    }
    std::int32_t number;
    std::memcpy(&number, action, sizeof number);
    for (int frame = 0; frame < kFrameSkip && !emulator_.IsGameOver(); ++frame) {
      emulator_.Act(Play(actions_[static_cast<std::size_t>(number)]), frame >= kFrameSkip - 2);
    }
  }

 private:
  // As many frames as everybody here starts an episode with.
  void reset() {
    emulator_.Reset();
    emulator_.Act(Play(Action::kFire), false);
    const int noops = std::uniform_int_distribution(0, kMaxNoops - 1)(random_);
    for (int frame = 0; frame < noops; ++frame) {
      emulator_.Act(Play(Action::kNoop), false);
    }
  }

  const std::vector<Action> actions_;
  Emulator emulator_;
  std::mt19937 random_;
};

}  // namespace

// Null on failure, with the reason in `error`. `actions` hold numbers of 32 bits.
extern "C" [[gnu::visibility("default")]] ceiling::Pool* ceiling_open(const char* game,
                                                                      const char* rom,
                                                                      ceiling::Actions actions,
                                                                      int num_threads, char* error,
                                                                      int error_size) try {
  std::ifstream file(rom, std::ios::binary);
  const std::vector<std::uint8_t> bytes((std::istreambuf_iterator<char>(file)),
                                        std::istreambuf_iterator<char>());
  const envpool::atari::Game& rules = envpool::atari::GameOf(game);
  const EmulatorConfig config = {.game = &rules,
                                 .rom = envpool::atari2600::Rom::Load(bytes, rules.cartridge)};
  const std::vector<Action> game_actions = ActionsOf(rules, false);
  const auto make = [&](int id) { return std::make_unique<Console>(config, game_actions, id); };
  return new ceiling::Pool(make, actions, num_threads);
} catch (const std::exception& failure) {
  error[std::string(failure.what()).copy(error, static_cast<std::size_t>(error_size) - 1)] = 0;
  return nullptr;
}
