#include "procgen/terminal_frame.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace envpool::procgen {

TerminalFrame::TerminalFrame(const Engine& engine, Handle* handle, const Pixels& buffer,
                             std::function<void()> at_reset)
    : buffer_(buffer), at_reset_(std::move(at_reset)) {
  Game& game = *reinterpret_cast<Game*>(Engine::GameOf(handle));
  original_ = game.functions;
  void* const* const begin = original_ - kBefore;
  if (!engine.Contains(begin, sizeof(*begin) * (kBefore + kFunctions))) {
    throw std::runtime_error("Procgen's engine has its games elsewhere: it is not procgen 0.10.7");
  }
  table_.owner = this;
  std::copy_n(begin, kBefore, table_.before.begin());
  std::copy_n(original_, kFunctions, table_.functions.begin());
  table_.functions[kGameReset] = reinterpret_cast<void*>(&TerminalFrame::OnGameReset);
  game.functions = table_.functions.data();
}

void TerminalFrame::OnGameReset(Game* game) {
  const auto* functions = reinterpret_cast<const std::byte*>(game->functions);
  const auto* table = reinterpret_cast<const Table*>(functions - offsetof(Table, functions));
  TerminalFrame& self = *table->owner;
  reinterpret_cast<Function>(self.original_[kObserve])(game);
  self.pixels = self.buffer_;
  self.at_reset_();
  reinterpret_cast<Function>(self.original_[kGameReset])(game);
}

}  // namespace envpool::procgen
