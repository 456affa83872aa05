#include "executor/action_store.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace envpool {

namespace {

constexpr std::size_t kAlignment = 8;
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

// The widest range of an integer type that fits into 64 signed bits.
template <class T>
constexpr std::pair<std::int64_t, std::int64_t> LimitsOf() {
  if constexpr (std::is_floating_point_v<T>) {
    return {0, 0};
  } else {
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    constexpr T kHigh = std::numeric_limits<T>::max();
    const bool fits = static_cast<std::uint64_t>(kHigh) <= static_cast<std::uint64_t>(kMost);
    return {static_cast<std::int64_t>(std::numeric_limits<T>::min()),
            fits ? static_cast<std::int64_t>(kHigh) : kMost};
  }
}

// Is `value` a whole number between low and high?
template <class Source>
bool IsWithin(Source value, std::int64_t low, std::int64_t high) {
  if constexpr (std::is_floating_point_v<Source>) {
    // NaN fails the first comparison. 2^63 is the first double beyond every int64.
    return value >= static_cast<double>(low) && value <= static_cast<double>(high) &&
           value < 0x1p63 && value == std::trunc(value);
  } else if constexpr (std::is_same_v<Source, std::uint64_t>) {
    return value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) &&
           static_cast<std::int64_t>(value) >= low && static_cast<std::int64_t>(value) <= high;
  } else {
    return value >= low && value <= high;
  }
}

// Writes `source` element by element to the actions of `env_ids`. Returns the index of the first
// element that `accepts(value, element)` refuses, or kNone.
template <class Source, class Target, class Accepts>
std::size_t Scatter(const Source* source, std::span<const std::int32_t> env_ids,
                    std::span<const int> counts, std::size_t elements, std::byte* memory,
                    std::size_t stride, Accepts accepts) {
  std::size_t index = 0;
  for (std::size_t i = 0; i < env_ids.size(); ++i) {
    auto* target =
        reinterpret_cast<Target*>(memory + static_cast<std::size_t>(env_ids[i]) * stride);
    const std::size_t rows = counts.empty() ? 1 : static_cast<std::size_t>(counts[i]);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t element = 0; element < elements; ++element, ++index) {
        const Source value = source[index];  // once: another thread may be changing the array
        if (!accepts(value, element)) return index;
        *target++ = static_cast<Target>(value);
      }
    }
  }
  return kNone;
}

[[noreturn]] void Refuse(const Field& field, std::size_t row, std::size_t element, double value,
                         const std::string& expected) {
  std::ostringstream message;
  message << field.name << "[" << row;
  if (!field.shape.empty()) message << ", " << element;
  message << "] is " << value << ", expected " << expected;
  throw std::invalid_argument(message.str());
}

}  // namespace

ActionStore::ActionStore(std::vector<Field> fields, std::size_t num_envs, std::size_t max_players)
    : fields_(std::move(fields)) {
  for (const Field& field : fields_) {
    const std::string& label = labels_.emplace_back("action '" + field.name + "'");
    columns_.push_back(
        {stride_, field.Bytes(), field.Elements(), field.dtype, field.per_player, label.c_str()});
    const std::size_t used = field.Bytes() * (field.per_player ? max_players : 1);
    stride_ += (used + kAlignment - 1) / kAlignment * kAlignment;

    std::vector<Range> ranges;
    if (!IsFloat(field.dtype)) {
      const auto [lowest, highest] =
          VisitDType(field.dtype, []<class T>() { return LimitsOf<T>(); });
      ranges.assign(field.Elements(), {lowest, highest});
      for (std::size_t i = 0; field.space != Space::kBox && i < ranges.size(); ++i) {
        ranges[i].low = static_cast<std::int64_t>(field.low[i % field.low.size()]);
        ranges[i].high = static_cast<std::int64_t>(field.high[i % field.high.size()]);
      }
    }
    ranges_.push_back(std::move(ranges));
  }
  memory_.resize(stride_ * num_envs);
  if (std::ranges::any_of(fields_, &Field::records_type)) {
    came_as_.resize(fields_.size() * num_envs, DType::kFloat64);
  }
}

void ActionStore::Store(std::size_t field, const ArrayView& array,
                        std::span<const std::int32_t> env_ids, std::span<const int> counts) {
  const Column& column = columns_[field];
  std::byte* memory = memory_.data() + column.offset;
  if (!came_as_.empty()) {
    for (const std::int32_t env : env_ids) {
      came_as_[static_cast<std::size_t>(env) * fields_.size() + field] = array.dtype;
    }
  }
  VisitDType(array.dtype, [&]<class Source>() {
    VisitDType(column.dtype, [&]<class Target>() {
      const auto* source = reinterpret_cast<const Source*>(array.data);
      const auto scatter = [&](auto accepts) {
        return Scatter<Source, Target>(source, env_ids, counts, column.elements, memory, stride_,
                                       accepts);
      };
      const std::vector<Range>& ranges = ranges_[field];
      std::size_t refused;
      if constexpr (std::is_floating_point_v<Target>) {
        refused = scatter([](Source value, std::size_t) { return value == value; });
      } else {
        refused = scatter([&ranges](Source value, std::size_t element) {
          return IsWithin(value, ranges[element].low, ranges[element].high);
        });
      }
      if (refused == kNone) return;
      const std::size_t element = refused % column.elements;
      std::string expected = "a number, not NaN";
      if (!ranges.empty()) {
        expected = "an integer from " + std::to_string(ranges[element].low) + " to " +
                   std::to_string(ranges[element].high);
      }
      Refuse(fields_[field], refused / column.elements, element,
             static_cast<double>(source[refused]), expected);
    });
  });
}

}  // namespace envpool
