// Action and Row: typed views of the memory that an environment reads from and writes to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

#include "envpool/dtype.h"

namespace envpool {

// A Column tells where one field lies in a block of memory: element [row][element] of column c
// stands at block + c.offset + row * c.row_bytes.
struct Column {
  std::size_t offset = 0;
  std::size_t row_bytes = 0;
  std::size_t elements = 1;
  DType dtype = DType::kFloat32;
  bool per_player = false;
  const char* label = "a field";  // for messages: "info 'speed'", say; outlives the column

  // Returns the elements of `rows` rows from `row` on. Throws std::logic_error if they are not of
  // type T.
  template <class T>
  std::span<T> At(std::byte* block, std::size_t row, std::size_t rows) const {
    if (dtype != DTypeOf<T>()) [[unlikely]]
      ThrowOtherType(*this, DTypeOf<T>());
    return {reinterpret_cast<T*>(block + offset + row * row_bytes), rows * elements};
  }

  // Returns one of several columns. Throws std::out_of_range if there are fewer; `view` is what the
  // message calls them.
  static const Column& Get(std::span<const Column> columns, std::size_t field, const char* view) {
    if (field >= columns.size()) [[unlikely]]
      ThrowNoField(columns, field, view);
    return columns[field];
  }

 private:
  // The throwing functions are out of line, so that an access is a comparison and nothing else.
  [[noreturn, gnu::cold, gnu::noinline]] static void ThrowOtherType(const Column& column,
                                                                    DType accessed) {
    throw std::logic_error(std::string(column.label) + " is of dtype " + NameOf(column.dtype) +
                           ", accessed as " + NameOf(accessed));
  }

  [[noreturn, gnu::cold, gnu::noinline]] static void ThrowNoField(std::span<const Column> columns,
                                                                  std::size_t field,
                                                                  const char* view) {
    std::string known;
    for (const Column& column : columns) known.append(known.empty() ? ": " : ", ") += column.label;
    throw std::out_of_range(std::string(view) + " field " + std::to_string(field) +
                            " was accessed, but the spec has " + std::to_string(columns.size()) +
                            " of them" + known);
  }
};

// An Action is one environment's action, read by the index of the field in Spec::action. Throws
// std::logic_error if there is no such field, or if it is of another type.
class Action {
 public:
  Action(std::span<const Column> columns, std::byte* memory, std::size_t players,
         std::span<const DType> came_as = {})
      : columns_(columns), memory_(memory), players_(players), came_as_(came_as) {}

  // Returns all elements; for a per-player field, those of all players one after the other.
  template <class T>
  std::span<const T> Values(std::size_t field = 0) const {
    const Column& column = Column::Get(columns_, field, "action");
    return column.At<T>(memory_, 0, column.per_player ? players_ : 1);
  }

  template <class T>
  T Value(std::size_t field = 0) const {
    return Values<T>(field)[0];
  }

  // Returns the type that the caller's array had, if the field has Field::records_type.
  DType CameAs(std::size_t field = 0) const {
    if (field >= came_as_.size()) [[unlikely]]
      ThrowNotRecorded(field);
    return came_as_[field];
  }

 private:
  [[noreturn, gnu::cold, gnu::noinline]] void ThrowNotRecorded(std::size_t field) const {
    throw std::logic_error(std::string(Column::Get(columns_, field, "action").label) +
                           " does not record the type that it came as: give it .RecordType()");
  }

  std::span<const Column> columns_;
  std::byte* memory_;
  std::size_t players_;
  std::span<const DType> came_as_;
};

// A Row is one environment's place in a batch, written by the index of the field in
// Spec::observation or Spec::info. Every element must be written: the memory still holds an earlier
// batch. Throws std::logic_error if there is no such field, or if it is of another type.
class Row {
 public:
  Row(std::span<const Column> observation, std::span<const Column> info, std::byte* block,
      std::size_t row, std::size_t player_row, std::size_t players)
      : observation_(observation),
        info_(info),
        block_(block),
        row_(row),
        player_row_(player_row),
        players_(players) {}

  template <class T>
  std::span<T> Observation(std::size_t field = 0) const {
    return Elements<T>(Column::Get(observation_, field, "observation"));
  }

  template <class T>
  std::span<T> Info(std::size_t field = 0) const {
    return Elements<T>(Column::Get(info_, field, "info"));
  }

 private:
  template <class T>
  std::span<T> Elements(const Column& column) const {
    return column.per_player ? column.At<T>(block_, player_row_, players_)
                             : column.At<T>(block_, row_, 1);
  }

  std::span<const Column> observation_;
  std::span<const Column> info_;
  std::byte* block_;
  std::size_t row_;
  std::size_t player_row_;
  std::size_t players_;
};

}  // namespace envpool
