// What tasks with goals have in common: rewards of being near enough, and infos.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "envpool/env.h"
#include "envpool/field.h"
#include "envpool/numpy_math.h"
#include "envpool/options.h"

namespace envpool::robotics {

// numpy.linalg.norm(a - b, axis=-1)
inline double GoalDistance(std::span<const double> a, std::span<const double> b) {
  return std::sqrt(numpy::Sum(a.size(), [&](std::size_t i) {
    const double difference = a[i] - b[i];
    return difference * difference;
  }));
}

// -(distance > threshold), whose zero is negative; or -distance.
inline double GoalReward(double distance, double threshold, bool is_sparse) {
  if (is_sparse) return distance > threshold ? -1.0 : -0.0;
  return -distance;
}

inline OptionSpec RewardType() {
  return {"reward_type",
          "sparse",
          "sparse: 0 where the goal is reached, else -1; dense: how near it is",
          {},
          {"sparse", "dense"}};
}

inline bool IsSparse(const Options& options) { return options.Text("reward_type") == "sparse"; }

// In EnvPool's dialects success is float64, in Gymnasium's own API it is float32.
inline std::vector<Field> GoalInfos() {
  return {Box("is_success", DType::kFloat64, {}, {0.0}, {1.0}),
          Box("is_success_float32", DType::kFloat32, {}, {0.0}, {1.0}),
          Box("distance", DType::kFloat64, {}, {0.0})};
}

inline void WriteGoalInfo(const Row& row, bool is_success, double distance) {
  row.Info<double>(0)[0] = is_success ? 1.0 : 0.0;
  row.Info<float>(1)[0] = is_success ? 1.0F : 0.0F;
  row.Info<double>(2)[0] = distance;
}

// The same for Adroit's hand and for mazes, which call it a success; in Gymnasium's own API it is a
// bool.
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
