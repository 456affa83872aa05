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

  // Where environments take different actions: these take only what these fields allow, which are
  // the store's but for their ranges. To be said of all. `name` is what a refusal calls them.
  void Restrict(const std::string& name, const std::vector<Field>& fields,
                std::span<const std::size_t> envs);

  std::size_t NumFields() const { return fields_.size(); }
  const Field& GetField(std::size_t field) const { return fields_[field]; }

  // Copies the rows of `array`, in order, to the actions of `env_ids`: counts[i] rows for the i-th
  // one, or one row each when `counts` is empty. Throws std::invalid_argument for a number that the
  // field's space refuses: outside of a discrete range (the environment's own, if that was
  // restricted), fractional for an integer, or NaN. (A
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
  using Ranges = std::vector<std::vector<Range>>;  // per field and element; none for floats
  struct Restriction {
    std::string name;
    Ranges ranges;
  };

  static Ranges RangesOf(const std::vector<Field>& fields);
  std::string Expected(std::size_t field, std::size_t element, std::int32_t env) const;
  const Restriction& RestrictionOf(std::int32_t env) const {
    return restrictions_[restriction_of_[static_cast<std::size_t>(env)]];
  }

  const std::size_t num_envs_;
  std::vector<Field> fields_;
  std::deque<std::string> labels_;  // of the columns, which point to them
  std::vector<Column> columns_;
  Ranges ranges_;
  std::vector<Restriction> restrictions_;    // where environments take different actions
  std::vector<std::size_t> restriction_of_;  // which of them, per environment
  std::size_t stride_ = 0;
  std::vector<std::byte> memory_;
  std::vector<DType> came_as_;  // per environment and field; empty if no field asks for it
};

}  // namespace envpool
