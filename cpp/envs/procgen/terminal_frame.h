// TerminalFrame: the last picture of an episode, which the engine does not give.
//
// Where an episode ends, the engine goes on to the next one within the same step, and observes only
// that one's first frame. In between it calls a virtual function of the game, game_reset. A game
// that has a TerminalFrame has another table of virtual functions, a copy of its own in which that
// function is one of ours: it has the game draw itself, keeps the picture, and calls the original.
// Drawing uses none of the game's random numbers, so all episodes stay as they are.
//
// Where tables and functions are is known of one binary alone, that of procgen 0.10.7, which
// envpool has compared by its hash.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "procgen/engine.h"

namespace envpool::procgen {

class TerminalFrame {
 public:
  static constexpr std::size_t kBytes = 64 * 64 * 3;
  using Pixels = std::array<std::uint8_t, kBytes>;  // rows of pixels of red, green and blue

  // Gives the handle's game another table. The handle draws into `buffer`, and lives no longer than
  // the TerminalFrame. `at_reset` is called after the picture was kept. Throws std::runtime_error
  // if the table is not where it should be.
  TerminalFrame(const Engine& engine, Handle* handle, const Pixels& buffer,
                std::function<void()> at_reset);
  TerminalFrame(const TerminalFrame&) = delete;
  TerminalFrame& operator=(const TerminalFrame&) = delete;

  // What the game looked like before it was last reset.
  Pixels pixels = {};

 private:
  struct Game {
    void* const* functions;  // comes first in an object that has virtual functions
  };
  using Function = void (*)(Game*);

  // What precedes the functions in a table: how to cast, and the type.
  static constexpr std::size_t kBefore = 2;
  // More than the class of any game has. The library's data go on after its tables.
  static constexpr std::size_t kFunctions = 128;
  static constexpr std::size_t kObserve = 2;
  static constexpr std::size_t kGameReset = 4;

  struct Table {
    TerminalFrame* owner = nullptr;
    std::array<void*, kBefore> before = {};
    std::array<void*, kFunctions> functions = {};
  };

  static void OnGameReset(Game* game);

  void* const* original_ = nullptr;
  Table table_;
  const Pixels& buffer_;
  const std::function<void()> at_reset_;
};

}  // namespace envpool::procgen
