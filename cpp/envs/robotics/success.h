// Infos of kinds that call it a success, as Adroit's hand and mazes do.
#pragma once

#include <cstddef>
#include <vector>

#include "envpool/field.h"
#include "envpool/views.h"

namespace envpool::robotics {

// In EnvPool's dialects success is float64, in Gymnasium's own API it is a bool.
inline std::vector<Field> SuccessInfos() {
  return {Box("success", DType::kFloat64, {}, {0.0}, {1.0}),
          Box("success_bool", DType::kBool, {}, {0.0}, {1.0}),
          Box("distance", DType::kFloat64, {})};
}

// `first` is the place of the first of them among all infos.
inline void WriteSuccess(const Row& row, bool is_success, double distance, std::size_t first = 0) {
  row.Info<double>(first)[0] = is_success ? 1.0 : 0.0;
  row.Info<bool>(first + 1)[0] = is_success;
  row.Info<double>(first + 2)[0] = distance;
}

}  // namespace envpool::robotics
