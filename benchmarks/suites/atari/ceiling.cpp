// The ceiling of Atari: consoles that run the frames of a step and nothing else. Nobody looks at
// their screens.
//
// Built by CMake with the library `ale` of our family, and so with the same flags; see
// ceiling.py.
#include "ceiling.h"

#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "atari/emulator.h"
#include "atari/game.h"

namespace {

using envpool::atari::Emulator;

constexpr int kFrameSkip = 4;
constexpr int kMaxNoops = 30;

class Console final : public ceiling::Env {
 public:
  Console(const std::string& rom, const std::vector<ale::Action>& actions, int seed)
      : actions_(actions), emulator_({.rom = rom}, seed), random_(static_cast<unsigned>(seed)) {
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
      emulator_.Act(actions_[static_cast<std::size_t>(number)]);
    }
  }

 private:
  // As many frames as everybody here starts an episode with.
  void reset() {
    emulator_.Reset();
    emulator_.Act(ale::PLAYER_A_FIRE);
    const int noops = std::uniform_int_distribution(0, kMaxNoops - 1)(random_);
    for (int frame = 0; frame < noops; ++frame) {
      emulator_.Act(ale::PLAYER_A_NOOP);
    }
  }

  const std::vector<ale::Action> actions_;
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
  const std::vector<ale::Action> game_actions = envpool::atari::ActionsOf(game, false);
  const auto make = [&](int id) { return std::make_unique<Console>(rom, game_actions, id); };
  return new ceiling::Pool(make, actions, num_threads);
} catch (const std::exception& failure) {
  error[std::string(failure.what()).copy(error, static_cast<std::size_t>(error_size) - 1)] = 0;
  return nullptr;
}
