// ActionStore: one action per environment, checked and converted to the environment's types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "envpool/field.h"
#include "envpool/views.h"

namespace envpool {

// A caller's C-contiguous array whose rows have the shape of an action field.
struct ArrayView {
  const std::byte* data = nullptr;
  DType dtype = DType::kInt32;
  std::size_t rows = 0;
};

class ActionStore {
 public:
  ActionStore(std::vector<Field> fields, std::size_t num_envs, std::size_t max_players);
  ActionStore(const ActionStore&) = delete;
  ActionStore& operator=(const ActionStore&) = delete;

  std::size_t NumFields() const { return fields_.size(); }
  const Field& GetField(std::size_t field) const { return fields_[field]; }

  // Copies the rows of `array`, in order, to the actions of `env_ids`: counts[i] rows for the i-th
  // one, or one row each when `counts` is empty. Throws std::invalid_argument for a number that the
  // field's space refuses: outside of a discrete range, fractional for an integer, or NaN. (A
  // number outside a Box passes: environments clip or not as they see fit.)
  void Store(std::size_t field, const ArrayView& array, std::span<const std::int32_t> env_ids,
             std::span<const int> counts = {});

  Action Get(std::size_t env_id, std::size_t players) {
    const std::size_t fields = came_as_.empty() ? 0 : fields_.size();
    return {columns_, memory_.data() + env_id * stride_, players,
            std::span(came_as_).subspan(env_id * fields, fields)};
  }

 private:
  struct Range {
    std::int64_t low;
    std::int64_t high;
  };

  std::vector<Field> fields_;
  std::deque<std::string> labels_;  // of the columns, which point to them
  std::vector<Column> columns_;
  std::vector<std::vector<Range>> ranges_;  // per field and element; empty for floating point
  std::size_t stride_ = 0;
  std::vector<std::byte> memory_;
  std::vector<DType> came_as_;  // per environment and field; empty if no field asks for it
};

}  // namespace envpool
