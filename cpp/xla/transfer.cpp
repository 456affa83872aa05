#include "xla/transfer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "loading/require.h"

namespace envpool::xla {

namespace {

constexpr int kSeedBits = 64;

std::optional<DType> DTypeOfBuffer(const Buffer& buffer) {
  using enum ElementType;
  // In the order of DType.
  constexpr std::array kTypes{kBool,   kInt8,  kUInt8,  kInt16,   kUInt16, kInt32,
                              kUInt32, kInt64, kUInt64, kFloat32, kFloat64};
  const auto found = std::ranges::find(kTypes, buffer.type);
  if (found == kTypes.end()) return std::nullopt;
  return static_cast<DType>(found - kTypes.begin());
}

std::string TypeText(const Buffer& buffer) {
  const std::optional<DType> dtype = DTypeOfBuffer(buffer);
  return dtype ? NameOf(*dtype) : "XLA's type " + std::to_string(static_cast<int>(buffer.type));
}

std::span<const std::int64_t> ShapeOf(const Buffer& buffer) {
  return {buffer.sizes, static_cast<std::size_t>(buffer.rank)};
}

[[noreturn]] void RefuseType(const std::string& name, const Buffer& buffer,
                             const std::string& expected) {
  throw std::invalid_argument(name + " has dtype " + TypeText(buffer) + ", expected " + expected);
}

[[noreturn]] void RefuseShape(const std::string& name, const Buffer& buffer,
                              const std::string& expected) {
  throw std::invalid_argument(name + " has shape " + ShapeText(ShapeOf(buffer)) + ", expected " +
                              expected);
}

// True if its shape is (any number, *row).
bool HasRowsOf(const Buffer& buffer, const std::vector<int>& row) {
  const auto shape = ShapeOf(buffer);
  return !shape.empty() && std::ranges::equal(shape.subspan(1), row);
}

// What a column of 64-bit numbers is where XLA has none.
DType Narrowed(DType dtype) {
  switch (dtype) {
    case DType::kInt64: return DType::kInt32;
    case DType::kUInt64: return DType::kUInt32;
    case DType::kFloat64: return DType::kFloat32;
    default: return dtype;
  }
}

template <class Source, class Target>
void Narrow(const NamedColumn& column, const std::byte* from, void* to, std::size_t count) {
  const auto* source = reinterpret_cast<const Source*>(from);
  auto* target = static_cast<Target*>(to);
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (std::is_integral_v<Source>) {
      if (!std::in_range<Target>(source[i])) {
        throw std::range_error(std::string(column.label) + " is " + std::to_string(source[i]) +
                               ", which does not fit into 32 bits: enable JAX's option "
                               "jax_enable_x64");
      }
    }
    target[i] = static_cast<Target>(source[i]);
  }
}

}  // namespace

std::size_t BytesOf(const Buffer& buffer) {
  const std::optional<DType> dtype = DTypeOfBuffer(buffer);
  if (!dtype) RefuseType("an array", buffer, "a type that pools have");
  std::size_t bytes = SizeOf(*dtype);
  for (const std::int64_t size : ShapeOf(buffer)) bytes *= static_cast<std::size_t>(size);
  return bytes;
}

ArrayView ReadAction(const Buffer& buffer, const Field& field) {
  const std::optional<DType> dtype = DTypeOfBuffer(buffer);
  const bool is_whole = dtype && !IsFloat(*dtype);
  if (!dtype || (!is_whole && !IsFloat(field.dtype))) {
    RefuseType(field.name, buffer, IsFloat(field.dtype) ? "numbers" : "integers");
  }
  if (!HasRowsOf(buffer, field.shape)) {
    RefuseShape(field.name, buffer, "rows of shape " + ShapeText(field.shape));
  }
  return {static_cast<const std::byte*>(buffer.data), *dtype,
          static_cast<std::size_t>(buffer.sizes[0])};
}

std::span<const std::int32_t> ReadIds(const Buffer& buffer) {
  if (buffer.type != ElementType::kInt32) RefuseType("env_id", buffer, "int32");
  if (buffer.rank != 1) RefuseShape("env_id", buffer, "(n,)");
  return {static_cast<const std::int32_t*>(buffer.data), static_cast<std::size_t>(buffer.sizes[0])};
}

std::span<const bool> ReadMask(const Buffer& buffer, std::size_t num_envs) {
  if (buffer.type != ElementType::kBool) RefuseType("mask", buffer, "bool");
  if (buffer.rank != 1 || std::cmp_not_equal(buffer.sizes[0], num_envs)) {
    RefuseShape("mask", buffer, ShapeText(std::vector{num_envs}));
  }
  return {static_cast<const bool*>(buffer.data), num_envs};
}

std::vector<std::optional<std::uint64_t>> ReadSeeds(const Buffer& buffer,
                                                    std::span<const std::int32_t> env_ids,
                                                    std::size_t num_envs, int most_bits) {
  const bool is_base = buffer.rank == 0;
  const std::optional<DType> dtype = DTypeOfBuffer(buffer);
  if (!dtype || IsFloat(*dtype) || *dtype == DType::kBool) RefuseType("seed", buffer, "integers");
  if (!is_base && (buffer.rank != 1 || std::cmp_not_equal(buffer.sizes[0], num_envs))) {
    RefuseShape("seed", buffer, "() or " + ShapeText(std::vector{num_envs}));
  }
  std::vector<std::optional<std::uint64_t>> seeds;
  VisitDType(*dtype, [&]<class T>() {
    for (const std::int32_t id : env_ids) {
      const T value = static_cast<const T*>(buffer.data)[is_base ? 0 : id];
      const std::uint64_t seed =
          static_cast<std::uint64_t>(value) + (is_base ? static_cast<std::uint64_t>(id) : 0U);
      if (value < T{0} || (most_bits < kSeedBits && (seed >> most_bits) != 0)) {
        throw std::invalid_argument("the seed of environment " + std::to_string(id) + " is " +
                                    (value < T{0} ? "negative" : std::to_string(seed)) +
                                    ", expected 0 <= seed < 2**" + std::to_string(most_bits));
      }
      seeds.push_back(seed);
    }
  });
  return seeds;
}

void CheckResult(const Buffer& buffer, const NamedColumn& column, std::size_t rows) {
  const std::optional<DType> dtype = DTypeOfBuffer(buffer);
  if (!dtype || (*dtype != column.dtype && *dtype != Narrowed(column.dtype))) {
    RefuseType("the result " + column.name, buffer, NameOf(column.dtype));
  }
  if (!HasRowsOf(buffer, column.shape) || std::cmp_not_equal(buffer.sizes[0], rows)) {
    RefuseShape("the result " + column.name, buffer,
                std::to_string(rows) + " rows of shape " + ShapeText(column.shape));
  }
}

void WriteResult(const Buffer& buffer, const NamedColumn& column, const std::byte* block,
                 std::size_t rows) {
  const std::byte* source = block + column.offset;
  const std::size_t count = rows * column.elements;
  if (*DTypeOfBuffer(buffer) == column.dtype) {
    if (count > 0) std::memcpy(buffer.data, source, rows * column.row_bytes);
    return;
  }
  switch (column.dtype) {
    case DType::kInt64:
      Narrow<std::int64_t, std::int32_t>(column, source, buffer.data, count);
      break;
    case DType::kUInt64:
      Narrow<std::uint64_t, std::uint32_t>(column, source, buffer.data, count);
      break;
    default: Narrow<double, float>(column, source, buffer.data, count); break;
  }
}

}  // namespace envpool::xla
