// Results: writes what requests came to into the rows of their batches.
#pragma once

#include <cstddef>
#include <span>

#include "environments/episodes.h"
#include "environments/final_rows.h"
#include "environments/slot.h"
#include "results/layout.h"
#include "scheduling/request.h"

namespace envpool {

class Results {
 public:
  // What is referred to outlives it; `slots` and `rare` have one entry per environment.
  Results(const Layout& layout, std::span<Slot> slots, std::span<Rare> rare, FinalRows& final_rows,
          Episodes& episodes);

  // The environments' own part of the rows. A failure is noted in the slot, unless it is survived.
  void Observe(std::span<const Request> requests);

  // All other parts. Returns how many episodes ended.
  int Write(std::span<const Request> requests);

 private:
  bool TryObserve(const Request& request);
  [[gnu::noinline]] void WriteZeros(const Request& request) const;
  void PassWarningOn(const Request& request);
  void NoteFailure(std::size_t env);
  void WriteRewards(std::span<const Request> requests, std::byte* block);
  // Some are out of line, so that the compiler has more registers for the loops.
  [[gnu::noinline]] void WritePlayers(std::span<const Request> requests, std::byte* block);
  void WriteTasks(std::span<const Request> requests, std::byte* block) const;
  void WriteTimeSteps(std::span<const Request> requests, std::byte* block) const;
  void ClearStatistics(std::span<const Request> requests, std::byte* block) const;
  [[gnu::noinline]] int WriteEpisodes(std::span<const Request> requests, std::byte* block);
  [[gnu::noinline]] bool TellFailure(const Request& request);
  [[gnu::noinline]] void WriteEnd(const Request& request, std::byte* block);
  void WriteFinalRow(const Request& request, std::byte* block);

  // Where in columns with a row per player one of the request's is.
  std::size_t PlayerRow(const Request& request, int player) const {
    return request.row * layout_.max_players + static_cast<std::size_t>(player);
  }

  const Layout& layout_;
  const std::span<const Column> observation_;
  const std::span<const Column> info_;
  const std::span<Slot> slots_;
  const std::span<Rare> rare_;
  FinalRows& final_rows_;
  Episodes& episodes_;
};

}  // namespace envpool
