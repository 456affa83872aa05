#include "bindings/config_bridge.h"

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <utility>

namespace envpool {

namespace {

// Beyond a century the clock's arithmetic would overflow.
constexpr double kMostSeconds = 3e9;

template <class T>
T Choose(const char* name, const std::string& value,
         std::initializer_list<std::pair<const char*, T>> choices) {
  for (const auto& [known, choice] : choices) {
    if (value == known) return choice;
  }
  throw pybind11::value_error(std::string(name) + " is '" + value + "'");
}

}  // namespace

AutoresetMode ReadAutoresetMode(const std::string& value) {
  return Choose<AutoresetMode>("autoreset_mode", value,
                               {{"NextStep", AutoresetMode::kNextStep},
                                {"SameStep", AutoresetMode::kSameStep},
                                {"Disabled", AutoresetMode::kDisabled}});
}

DType ReadRewardType(const std::string& value) {
  return Choose<DType>("reward_dtype", value,
                       {{"float32", DType::kFloat32}, {"float64", DType::kFloat64}});
}

std::optional<Duration> ReadTimeout(std::optional<double> seconds) {
  if (!seconds) return std::nullopt;
  const std::chrono::duration<double> clamped(std::clamp(*seconds, 0.0, kMostSeconds));
  return std::chrono::duration_cast<Duration>(clamped);
}

}  // namespace envpool
