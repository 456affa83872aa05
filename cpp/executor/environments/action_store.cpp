#include "executor/environments/action_store.h"

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

// Where a number was refused.
struct Place {
  std::size_t index = kNone;  // in the source
  std::int32_t env = 0;
};

// Writes `source` element by element to the actions of `env_ids`. Returns the place of the first
// element that `accepts(value, element, env)` refuses.
template <class Source, class Target, class Accepts>
Place Scatter(const Source* source, std::span<const std::int32_t> env_ids,
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
        if (!accepts(value, element, env_ids[i])) return {index, env_ids[i]};
        *target++ = static_cast<Target>(value);
      }
    }
  }
  return {};
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
    : num_envs_(num_envs), fields_(std::move(fields)) {
  for (const Field& field : fields_) {
    const std::string& label = labels_.emplace_back("action '" + field.name + "'");
    columns_.push_back(
        {stride_, field.Bytes(), field.Elements(), field.dtype, field.per_player, label.c_str()});
    const std::size_t used = field.Bytes() * (field.per_player ? max_players : 1);
    stride_ += (used + kAlignment - 1) / kAlignment * kAlignment;
  }
  ranges_ = RangesOf(fields_);
  memory_.resize(stride_ * num_envs);
  if (std::ranges::any_of(fields_, &Field::records_type)) {
    came_as_.resize(fields_.size() * num_envs, DType::kFloat64);
  }
}

ActionStore::Ranges ActionStore::RangesOf(const std::vector<Field>& fields) {
  Ranges ranges_of_fields;
  for (const Field& field : fields) {
    std::vector<Range>& ranges = ranges_of_fields.emplace_back();
    if (IsFloat(field.dtype)) continue;
    const auto [lowest, highest] = VisitDType(field.dtype, []<class T>() { return LimitsOf<T>(); });
    ranges.assign(field.Elements(), {lowest, highest});
    for (std::size_t i = 0; field.space != Space::kBox && i < ranges.size(); ++i) {
      ranges[i].low = static_cast<std::int64_t>(field.low[i % field.low.size()]);
      ranges[i].high = static_cast<std::int64_t>(field.high[i % field.high.size()]);
    }
  }
  return ranges_of_fields;
}

void ActionStore::Restrict(const std::string& name, const std::vector<Field>& fields,
                           std::span<const std::size_t> envs) {
  restriction_of_.resize(num_envs_);
  for (const std::size_t env : envs) restriction_of_[env] = restrictions_.size();
  restrictions_.push_back({name, RangesOf(fields)});
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
      Place refused;
      if constexpr (std::is_floating_point_v<Target>) {
        refused = scatter([](Source value, std::size_t, std::int32_t) { return value == value; });
      } else if (restrictions_.empty()) {
        refused =
            scatter([&ranges = ranges_[field]](Source value, std::size_t element, std::int32_t) {
              return IsWithin(value, ranges[element].low, ranges[element].high);
            });
      } else {
        refused = scatter([&](Source value, std::size_t element, std::int32_t env) {
          const Range& range = RestrictionOf(env).ranges[field][element];
          return IsWithin(value, range.low, range.high);
        });
      }
      if (refused.index == kNone) return;
      const std::size_t element = refused.index % column.elements;
      Refuse(fields_[field], refused.index / column.elements, element,
             static_cast<double>(source[refused.index]), Expected(field, element, refused.env));
    });
  });
}

// What the environment takes there, in words.
std::string ActionStore::Expected(std::size_t field, std::size_t element, std::int32_t env) const {
  if (ranges_[field].empty()) return "a number, not NaN";
  const auto describe = [](const Range& range) {
    return "an integer from " + std::to_string(range.low) + " to " + std::to_string(range.high);
  };
  if (restrictions_.empty()) return describe(ranges_[field][element]);
  const Restriction& restriction = RestrictionOf(env);
  return describe(restriction.ranges[field][element]) + ", as environment " + std::to_string(env) +
         " is " + restriction.name;
}

}  // namespace envpool
