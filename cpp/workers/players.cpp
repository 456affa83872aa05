#include "workers/players.h"

#include <stdexcept>

namespace envpool {

std::size_t Players::Sum(std::span<const std::int32_t> env_ids,
                         std::int32_t Count::* number) const {
  std::size_t sum = 0;
  for (const std::int32_t id : env_ids) {
    sum += static_cast<std::size_t>(counts_[static_cast<std::size_t>(id)].*number);
  }
  return sum;
}

std::span<const std::int32_t> Players::Of(std::span<const std::int32_t> env_ids, std::size_t rows) {
  if (IsEmpty()) return {};
  const bool are_all = rows != Sum(env_ids, &Count::acting) && rows == Sum(env_ids, &Count::rows);
  last_.clear();
  for (const std::int32_t id : env_ids) {
    const Count& count = counts_[static_cast<std::size_t>(id)];
    last_.push_back(are_all ? count.rows : count.acting);
  }
  return last_;
}

void Players::CheckRows(const std::string& name, std::span<const std::int32_t> env_ids,
                        std::size_t rows) const {
  const std::size_t acting = Sum(env_ids, &Count::acting);
  const std::size_t all = Sum(env_ids, &Count::rows);
  if (rows == acting || rows == all) return;
  std::string expected = std::to_string(acting) + ", one per player";
  if (all != acting) {
    expected += " who is still there, or " + std::to_string(all) + ", one per row of results";
  }
  throw std::invalid_argument(name + " has " + std::to_string(rows) + " rows, expected " +
                              expected);
}

}  // namespace envpool
