#include "environments/action_store.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace envpool {

namespace {

constexpr std::size_t kWidest = 8;  // bytes of a number
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

// True if `value` is a whole number between low and high.
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
              std::span<const std::int32_t> counts, std::size_t elements, std::byte* memory,
              std::size_t stride, Accepts accepts) {
  const auto actions_of = [memory, stride](std::int32_t env) {
    return reinterpret_cast<Target*>(memory + static_cast<std::size_t>(env) * stride);
  };
  // The actions of most tasks are a single number, which needs no inner loops.
  if (elements == 1 && counts.empty()) {
    for (std::size_t i = 0; i < env_ids.size(); ++i) {
      const Source value = source[i];
      if (!accepts(value, 0, env_ids[i])) return {i, env_ids[i]};
      *actions_of(env_ids[i]) = static_cast<Target>(value);
    }
    return {};
  }
  std::size_t index = 0;
  for (std::size_t i = 0; i < env_ids.size(); ++i) {
    Target* target = actions_of(env_ids[i]);
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
    : ActionStore(std::move(fields), num_envs, max_players, true, 1, nullptr) {
  own_memory_.resize(Bytes());
  memory_ = own_memory_.data();
}

ActionStore::ActionStore(std::vector<Field> fields, std::size_t num_envs, std::size_t max_players,
                         bool checks, std::size_t alignment, std::byte* memory)
    : num_envs_(num_envs),
      checks_(checks),
      fields_(std::move(fields)),
      num_types_(checks && std::ranges::none_of(fields_, &Field::records_type) ? 0
                                                                               : fields_.size()),
      ranges_(RangesOf(fields_)),
      memory_(memory) {
  stride_ = num_types_ * sizeof(DType);
  for (const Field& field : fields_) {
    const std::string& label = labels_.emplace_back("action '" + field.name + "'");
    const std::size_t row_bytes = checks ? field.Bytes() : field.Elements() * kWidest;
    const std::size_t number = checks ? SizeOf(field.dtype) : kWidest;
    alignment = std::max(alignment, number);
    stride_ = RoundUp(stride_, number);
    columns_.push_back(
        {stride_, row_bytes, field.Elements(), field.dtype, field.per_player, label.c_str()});
    stride_ += row_bytes * (field.per_player ? max_players : 1);
  }
  stride_ = RoundUp(stride_, alignment);  // between environments
  all_columns_ = columns_;
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
                           std::span<const int> kind_of) {
  kind_of_ = kind_of;
  restrictions_.push_back({name, RangesOf(fields)});
}

void ActionStore::StoreAll(std::span<const ArrayView> arrays, std::span<const std::int32_t> env_ids,
                           std::span<const std::int32_t> counts) {
  if (arrays.size() != fields_.size()) {
    throw std::invalid_argument("action has " + std::to_string(arrays.size()) +
                                " arrays, expected " + std::to_string(fields_.size()));
  }
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const bool per_player = fields_[i].per_player;
    const std::size_t rows = per_player && !counts.empty()
                                 ? std::accumulate(counts.begin(), counts.end(), std::size_t{0})
                                 : env_ids.size();
    if (arrays[i].rows != rows) {
      throw std::invalid_argument(fields_[i].name + " has " + std::to_string(arrays[i].rows) +
                                  " rows, expected " + std::to_string(rows) + ", one per " +
                                  (per_player ? "player" : "env_id"));
    }
    Store(i, arrays[i], env_ids, per_player ? counts : std::span<const std::int32_t>());
  }
}

// As it came, if nobody wants to know more.
void ActionStore::Copy(std::size_t field, const ArrayView& array,
                       std::span<const std::int32_t> env_ids) {
  const std::size_t bytes = fields_[field].Elements() * SizeOf(array.dtype);
  for (std::size_t i = 0; i < env_ids.size(); ++i) {
    std::byte* memory = At(static_cast<std::size_t>(env_ids[i])) + columns_[field].offset;
    std::memcpy(memory, array.data + i * bytes, bytes);
  }
}

void ActionStore::Store(std::size_t field, const ArrayView& array,
                        std::span<const std::int32_t> env_ids,
                        std::span<const std::int32_t> counts) {
  const Column& column = columns_[field];
  std::byte* memory = memory_ + column.offset;
  if (num_types_ > 0) {
    for (const std::int32_t env : env_ids)
      Types(static_cast<std::size_t>(env))[field] = array.dtype;
  }
  if (!checks_) return Copy(field, array, env_ids);
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
