// ActionWriter: puts the actions that callers give where the workers read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "executor/environments/action_store.h"
#include "executor/results/layout.h"
#include "workers/exchange.h"
#include "workers/shared_config.h"

namespace envpool {

class ActionWriter {
 public:
  // Those of an environment.
  struct Players {
    int rows = 0;    // of its last result
    int acting = 0;  // who takes part in its next step
  };

  // All three outlive it.
  ActionWriter(const SharedConfig& config, const Layout& layout, Exchange& exchange);

  // Only where environments have players.
  void SetPlayers(std::int32_t env, Players players);

  // Throws std::invalid_argument unless `owners` has the id of each environment once for each
  // player who is given an action.
  void CheckOwners(std::span<const std::int32_t> env_ids,
                   std::span<const std::int32_t> owners) const;

  // One array per field, with a row per environment, or per player. Returns how many rows each
  // environment is given, if it has players. Throws std::invalid_argument for another number of
  // rows, and for what ActionStore refuses.
  std::vector<int> Write(std::span<const std::int32_t> env_ids, std::span<const ArrayView> actions);

 private:
  std::vector<int> Count(std::span<const std::int32_t> env_ids, const std::string& name,
                         std::size_t rows) const;
  std::vector<int> Count(std::span<const std::int32_t> env_ids,
                         std::span<const ArrayView> actions) const;
  void Copy(std::size_t field, const ArrayView& action, std::span<const std::int32_t> env_ids);
  void Convert(std::size_t field, const ArrayView& action, std::span<const std::int32_t> env_ids,
               std::span<const int> counts);

  const SharedConfig& config_;
  Exchange& exchange_;
  ActionStore store_;             // where they are checked and converted, if they are
  std::vector<Players> players_;  // of each environment; empty if they have none
};

}  // namespace envpool
