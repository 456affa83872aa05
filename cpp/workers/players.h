// Players: how many players act in each environment that is written in Python, if there are any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace envpool {

class Players {
 public:
  // Without environments there are no players.
  explicit Players(std::size_t num_envs) : counts_(num_envs) {}

  bool IsEmpty() const { return counts_.empty(); }
  // `rows` of its last result, of whom `acting` take part in its next step.
  void Set(std::int32_t env, std::int32_t rows, std::int32_t acting) {
    counts_[static_cast<std::size_t>(env)] = {rows, acting};
  }

  // How many actions each of these environments is given if there are so many rows in all, until
  // the next call: one for each who takes part in the step, or one for each row of its last result,
  // of which the worker drops what is of others. The former if neither goes.
  std::span<const std::int32_t> Of(std::span<const std::int32_t> env_ids, std::size_t rows) {
    if (IsEmpty()) return {};
    const bool are_all = rows != Sum(env_ids, &Count::acting) && rows == Sum(env_ids, &Count::rows);
    last_.clear();
    for (const std::int32_t id : env_ids) {
      const Count& count = counts_[static_cast<std::size_t>(id)];
      last_.push_back(are_all ? count.rows : count.acting);
    }
    return last_;
  }

  // Throws std::invalid_argument if neither goes. `name` is that of the rows.
  void CheckRows(const std::string& name, std::span<const std::int32_t> env_ids,
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

 private:
  struct Count {
    std::int32_t rows = 0;
    std::int32_t acting = 0;
  };

  std::size_t Sum(std::span<const std::int32_t> env_ids, std::int32_t Count::* number) const {
    std::size_t sum = 0;
    for (const std::int32_t id : env_ids) {
      sum += static_cast<std::size_t>(counts_[static_cast<std::size_t>(id)].*number);
    }
    return sum;
  }

  std::vector<Count> counts_;       // of each environment
  std::vector<std::int32_t> last_;  // see Of
};

}  // namespace envpool
