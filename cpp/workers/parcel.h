// What goes into a pool of processes beside ids, and what comes out of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "executor/environments/action_store.h"
#include "executor/results/delivery.h"

namespace envpool {

// What came along with a row.
struct RowLetter {
  std::size_t row;  // of the delivery
  std::string bytes;
};

// Why an environment has no row: a letter of its worker, or what the pool says of that one.
struct RowFailure {
  std::int32_t env_id;
  std::string text;
  bool is_letter;
};

struct Parcel {
  Delivery delivery;
  std::vector<RowLetter> letters;
  std::vector<RowFailure> failures;
};

// Of resets, for a recording: what their letters say.
struct ResetNotes {
  std::vector<std::optional<std::uint64_t>> seeds;  // one per environment, or none at all
  std::string options;                              // as JSON; empty: none
  std::string lost;                                 // why the options cannot be noted, if so
};

// What a request gives to each environment beside a task.
struct Contents {
  std::span<const ArrayView> actions = {};    // one per field, with a row per environment
  std::span<const std::string> letters = {};  // one per environment, or none at all
  const ResetNotes* notes = nullptr;          // of resets that are recorded
};

}  // namespace envpool
