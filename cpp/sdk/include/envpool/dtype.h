// DType: the element types that a field of an environment can have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>

namespace envpool {

enum class DType : std::uint8_t {
  kBool,
  kInt8,
  kUInt8,
  kInt16,
  kUInt16,
  kInt32,
  kUInt32,
  kInt64,
  kUInt64,
  kFloat32,
  kFloat64,
};

// Calls `visit.template operator()<T>()` with the C++ type of `dtype`.
template <class Visit>
constexpr decltype(auto) VisitDType(DType dtype, Visit&& visit) {
  switch (dtype) {
    case DType::kBool: return visit.template operator()<bool>();
    case DType::kInt8: return visit.template operator()<std::int8_t>();
    case DType::kUInt8: return visit.template operator()<std::uint8_t>();
    case DType::kInt16: return visit.template operator()<std::int16_t>();
    case DType::kUInt16: return visit.template operator()<std::uint16_t>();
    case DType::kInt32: return visit.template operator()<std::int32_t>();
    case DType::kUInt32: return visit.template operator()<std::uint32_t>();
    case DType::kInt64: return visit.template operator()<std::int64_t>();
    case DType::kUInt64: return visit.template operator()<std::uint64_t>();
    case DType::kFloat32: return visit.template operator()<float>();
    case DType::kFloat64: return visit.template operator()<double>();
  }
  throw std::invalid_argument("not a DType");
}

constexpr std::size_t SizeOf(DType dtype) {
  return VisitDType(dtype, []<class T>() { return sizeof(T); });
}

constexpr bool IsFloat(DType dtype) { return dtype == DType::kFloat32 || dtype == DType::kFloat64; }

// NumPy's name of the type.
constexpr const char* NameOf(DType dtype) {
  constexpr const char* kNames[] = {"bool",   "int8",  "uint8",  "int16",   "uint16", "int32",
                                    "uint32", "int64", "uint64", "float32", "float64"};
  return kNames[static_cast<std::size_t>(dtype)];
}

template <class T>
constexpr DType DTypeOf() {
  if constexpr (std::is_same_v<T, bool>) return DType::kBool;
  if constexpr (std::is_same_v<T, std::int8_t>) return DType::kInt8;
  if constexpr (std::is_same_v<T, std::uint8_t>) return DType::kUInt8;
  if constexpr (std::is_same_v<T, std::int16_t>) return DType::kInt16;
  if constexpr (std::is_same_v<T, std::uint16_t>) return DType::kUInt16;
  if constexpr (std::is_same_v<T, std::int32_t>) return DType::kInt32;
  if constexpr (std::is_same_v<T, std::uint32_t>) return DType::kUInt32;
  if constexpr (std::is_same_v<T, std::int64_t>) return DType::kInt64;
  if constexpr (std::is_same_v<T, std::uint64_t>) return DType::kUInt64;
  if constexpr (std::is_same_v<T, float>) return DType::kFloat32;
  if constexpr (std::is_same_v<T, double>) return DType::kFloat64;
}

}  // namespace envpool
