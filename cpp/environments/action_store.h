// ActionStore: one action per environment, checked and converted to the environment's types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "envpool/field.h"
#include "envpool/views.h"
#include "threads/machine.h"

namespace envpool {

// A caller's C-contiguous array whose rows have the shape of an action field.
struct ArrayView {
  const std::byte* data = nullptr;
  DType dtype = DType::kInt32;
  std::size_t rows = 0;
};

class ActionStore {
 public:
  // In memory of its own.
  ActionStore(std::vector<Field> fields, std::size_t num_envs, std::size_t max_players);
  // In memory that several processes have in common, so many bytes as Bytes() says. Unless it
  // `checks`, it takes all numbers in the type that they come in; there are no players then.
  ActionStore(std::vector<Field> fields, std::size_t num_envs, std::size_t max_players, bool checks,
              std::byte* memory)
      : ActionStore(std::move(fields), num_envs, max_players, checks, kCacheLine, memory) {}
  ActionStore(const ActionStore&) = delete;
  ActionStore& operator=(const ActionStore&) = delete;

  // Where environments are of several kinds: those of the next kind take only
  // what these fields allow, which are the store's but for their ranges. `name`
  // is what a refusal calls them, and `kind_of`, which outlives the store, the
  // number of each environment's kind. To be said of all kinds.
  void Restrict(const std::string& name, const std::vector<Field>& fields,
                std::span<const int> kind_of);

  std::size_t Bytes() const { return stride_ * num_envs_; }

  // Copies the rows of one array per field, in order, to the actions of `env_ids`: of a field per
  // player counts[i] rows for the i-th one, and one row each when `counts` is empty. Throws
  // std::invalid_argument for another number of arrays or rows, and what Store refuses.
  void StoreAll(std::span<const ArrayView> arrays, std::span<const std::int32_t> env_ids,
                std::span<const std::int32_t> counts);
  // Stores the actions of one field. Throws std::invalid_argument for a number that the field's
  // space refuses: outside of a discrete range (the environment's own, if that was restricted),
  // fractional for an integer, or NaN. (A number outside a Box passes: environments clip or not as
  // they see fit.)
  void Store(std::size_t field, const ArrayView& array, std::span<const std::int32_t> env_ids,
             std::span<const std::int32_t> counts = {});

  Action Get(std::size_t env, std::size_t players) const {
    return {all_columns_, At(env), players, {Types(env), num_types_}};
  }
  // For those who know types only at run time: the numbers of a field, and their type.
  const std::byte* Numbers(std::size_t env, std::size_t field) const {
    return At(env) + columns_[field].offset;
  }
  DType TypeOf(std::size_t env, std::size_t field) const {
    return checks_ ? columns_[field].dtype : Types(env)[field];
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

  ActionStore(std::vector<Field> fields, std::size_t num_envs, std::size_t max_players, bool checks,
              std::size_t alignment, std::byte* memory);

  std::byte* At(std::size_t env) const { return memory_ + env * stride_; }
  DType* Types(std::size_t env) const { return reinterpret_cast<DType*>(At(env)); }
  void Copy(std::size_t field, const ArrayView& array, std::span<const std::int32_t> env_ids);
  static Ranges RangesOf(const std::vector<Field>& fields);
  std::string Expected(std::size_t field, std::size_t element, std::int32_t env) const;
  const Restriction& RestrictionOf(std::int32_t env) const {
    return restrictions_[static_cast<std::size_t>(kind_of_[static_cast<std::size_t>(env)])];
  }

  const std::size_t num_envs_;
  const bool checks_;
  const std::vector<Field> fields_;
  // An environment's memory begins with the type that the caller's array of each field had, if
  // anybody asks for it; else there are none.
  const std::size_t num_types_;
  std::deque<std::string> labels_;  // of the columns, which point to them
  std::vector<Column> columns_;
  std::span<const Column> all_columns_;  // kept, because a vector's size takes a division
  Ranges ranges_;
  std::vector<Restriction> restrictions_;  // of each kind, where there are several
  std::span<const int> kind_of_;
  std::size_t stride_ = 0;
  std::vector<std::byte> own_memory_;
  std::byte* memory_;
};

}  // namespace envpool
