#include "recording/record_chunk.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "recording/packed_column.h"

namespace envpool {

namespace {

template <class Number>
bool AreAll(std::span<const double> values) {
  // True if all are integers that a float holds exactly; -0.0 is not one.
  return std::ranges::all_of(values, [](double value) {
    if constexpr (std::is_integral_v<Number>) {
      if (!(std::abs(value) < 0x1p30) || (value == 0.0 && std::signbit(value))) return false;
    } else if (std::isnan(value) || std::abs(value) > std::numeric_limits<Number>::max()) {
      return false;
    }
    return static_cast<double>(static_cast<Number>(value)) == value;
  });
}

template <class Number>
void AppendAs(std::string& bytes, std::span<const double> values) {
  const std::vector<Number> numbers(values.begin(), values.end());
  AppendPacked<Number>(bytes, numbers);
}

// In the smallest type that has all of them.
void AppendReturns(std::string& bytes, std::span<const double> values) {
  if (AreAll<std::int32_t>(values)) return AppendAs<std::int32_t>(bytes, values);
  if (AreAll<float>(values)) return AppendAs<float>(bytes, values);
  AppendPacked(bytes, values);
}

// Packs what `get` returns for each end.
template <class T, class List, class Get>
void AppendOf(std::string& bytes, const List& list, Get get) {
  std::vector<T> values;
  values.reserve(list.size());
  for (const auto& item : list) values.push_back(static_cast<T>(get(item)));
  if constexpr (std::is_same_v<T, double>) {
    AppendReturns(bytes, values);
  } else {
    AppendPacked<T>(bytes, values);
  }
}

// What a number that was checked to be an integer is above the lower bound. Another thread may have
// changed it since: any byte will do then.
template <class T>
std::uint8_t Above(T value, std::int64_t low) {
  if constexpr (std::is_floating_point_v<T>) {
    const double above = static_cast<double>(value) - static_cast<double>(low);
    return above >= 0.0 && above < 256.0 ? static_cast<std::uint8_t>(above) : 0;  // NaN is 0, too
  } else {
    return static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) -
                                     static_cast<std::uint64_t>(low));
  }
}

// The lower bound, if what is above it takes a byte.
std::optional<std::int64_t> LowOf(const Field& field) {
  if (IsFloat(field.dtype) || field.space == Space::kBox) return std::nullopt;
  const auto [low, high] = std::pair(std::ranges::min(field.low), std::ranges::max(field.high));
  if (!(high - low < 256.0)) return std::nullopt;
  return static_cast<std::int64_t>(low);
}

}  // namespace

RecordChunk::RecordChunk(std::span<const Field> actions) {
  for (const Field& field : actions) {
    actions_.push_back({.elements = field.Elements(), .low = LowOf(field)});
  }
}

bool RecordChunk::Takes(std::span<const ArrayView> actions) const {
  if (calls_ == 0) return true;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    if (actions_[i].dtype != actions[i].dtype) return false;
  }
  return true;
}

void RecordChunk::Actions::Add(const ArrayView& view) {
  dtype = view.dtype;
  const std::size_t old = values.size(), count = view.rows * elements;
  VisitDType(dtype, [&]<class T>() {
    if (!low) {
      const auto* begin = reinterpret_cast<const std::uint8_t*>(view.data);
      values.insert(values.end(), begin, begin + count * sizeof(T));
      return;
    }
    values.resize(old + count);
    // NumPy's bools are bytes, and some are neither 0 nor 1.
    using Value = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
    const auto* source = reinterpret_cast<const Value*>(view.data);
    std::uint8_t* target = values.data() + old;
    const std::int64_t base = *low;
    for (std::size_t i = 0; i < count; ++i) target[i] = Above(source[i], base);
  });
}

void RecordChunk::AddSteps(std::span<const std::int32_t> env_ids,
                           std::span<const std::int32_t> players,
                           std::span<const ArrayView> actions) {
  ++calls_;
  rows_.push_back(static_cast<std::uint32_t>(env_ids.size()));
  ids_.insert(ids_.end(), env_ids.begin(), env_ids.end());
  players_.insert(players_.end(), players.begin(), players.end());
  bytes_ += sizeof(std::uint32_t) * (1 + env_ids.size() + players.size());
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const std::size_t before = actions_[i].values.size();
    actions_[i].Add(actions[i]);
    bytes_ += actions_[i].values.size() - before;
  }
}

void RecordChunk::AddEnd(std::int32_t env, const EpisodeEnd& end) {
  ends_.push_back({end, calls_, env});
  bytes_ += sizeof(End);
}

void RecordChunk::AddReset(std::int32_t env, std::optional<std::uint64_t> seed) {
  AddSeed(env, seed ? RecordEvent::kSeededReset : RecordEvent::kReset, seed);
}

void RecordChunk::AddMade(std::int32_t env, std::optional<std::uint64_t> seed) {
  AddSeed(env, RecordEvent::kMade, seed);
}

void RecordChunk::AddSeed(std::int32_t env, RecordEvent event, std::optional<std::uint64_t> seed) {
  char bytes[sizeof(std::uint64_t)];
  if (seed) std::memcpy(bytes, &*seed, sizeof(bytes));
  AddEvent(env, event, {bytes, seed ? sizeof(bytes) : 0});
}

void RecordChunk::AddEvent(std::int32_t env, RecordEvent event, std::string_view content) {
  events_.push_back({calls_, env, event, static_cast<std::uint32_t>(content.size())});
  event_bytes_.insert(event_bytes_.end(), content.begin(), content.end());
  bytes_ += 13 + content.size();
}

void RecordChunk::Clear() {
  bytes_ = 0;
  calls_ = 0;
  rows_.clear();
  ids_.clear();
  players_.clear();
  for (Actions& field : actions_) field.values.clear();
  ends_.clear();
  events_.clear();
  event_bytes_.clear();
}

std::string RecordChunk::Encode() const {
  std::string bytes;
  AppendPacked<std::uint32_t>(bytes, rows_);
  AppendPacked<std::int32_t>(bytes, ids_);
  AppendPacked<std::int32_t>(bytes, players_);
  // How many calls came since the one before; each list gets a copy, which begins with 0.
  const auto calls_since = [last = std::uint32_t{0}](const auto& item) mutable {
    return item.calls_before - std::exchange(last, item.calls_before);
  };
  AppendOf<std::uint32_t>(bytes, ends_, calls_since);
  AppendOf<std::int32_t>(bytes, ends_, [](const End& end) { return end.env; });
  AppendOf<std::int32_t>(bytes, ends_, [](const End& end) { return end.length; });
  AppendOf<std::uint8_t>(bytes, ends_, [](const End& end) {
    return end.terminated | end.truncated << 1 | end.continues << 2 | end.failed << 3;
  });
  AppendOf<double>(bytes, ends_, [](const End& end) { return end.episode_return; });
  AppendOf<std::uint32_t>(bytes, events_, calls_since);
  AppendOf<std::int32_t>(bytes, events_, [](const Event& event) { return event.env; });
  AppendOf<std::uint8_t>(bytes, events_, [](const Event& event) { return event.kind; });
  AppendOf<std::uint32_t>(bytes, events_, [](const Event& event) { return event.size; });
  AppendPacked<std::uint8_t>(bytes, event_bytes_);
  for (const Actions& field : actions_) {
    if (field.low) {
      AppendPackedAbove(bytes, field.dtype, *field.low, field.values);
    } else {
      AppendPacked(bytes, field.dtype, std::as_bytes(std::span(field.values)));
    }
  }
  return bytes;
}

}  // namespace envpool
