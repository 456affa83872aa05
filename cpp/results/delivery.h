// Delivery: what a receiver gets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "results/block_pool.h"
#include "results/layout.h"

namespace envpool {

// Why an environment has failed.
struct EnvError {
  enum class Kind : std::uint8_t {
    kException,  // the message is what it says
    kLetter,     // the message is what its worker has made of one
    kWorkerEnd,  // the message is how its worker has ended
    kSurvived,   // the message is what it says; it was reset, and has a row
  };

  std::size_t row;
  std::int32_t env_id;
  std::string message;
  Kind kind = Kind::kException;
};

struct EnvWarning {
  std::int32_t env_id;
  std::string message;
};

// What came along with the row of an environment written in Python.
struct RowLetter {
  std::size_t row;  // once gaps are closed
  std::string bytes;
};

// One received batch. Its rows lie in the block as the pool's Layout says.
struct Delivery {
  BlockLease block;
  std::size_t rows = 0;          // environments
  std::size_t player_rows = 0;   // players
  std::vector<EnvError> errors;  // of environments that failed and so have no row
  std::vector<EnvError> survived;
  std::vector<EnvWarning> warnings;
  std::vector<RowLetter> letters;

  // Moves rows up to where failed environments and absent players left room, and counts those of
  // the players. Before that, the environments' rows are as they were requested.
  void CloseGaps(const Layout& layout);
};

}  // namespace envpool
