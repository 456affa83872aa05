// Options: named values that configure an environment, or one reset of it.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace envpool {

using OptionValue =
    std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<std::int64_t>,
                 std::vector<double>, std::vector<std::string>>;

// Limits are the numbers that an option takes, both ends included. Infinity is one only as an end,
// NaN is none.
struct Limits {
  double least = std::numeric_limits<double>::lowest();
  double most = std::numeric_limits<double>::max();

  bool Contain(double number) const { return least <= number && number <= most; }
  // Returns the limits in words, for the option of this name; those of an integer have no exponent.
  std::string Describe(const std::string& name, bool is_integer) const;
};

// kAnyNumber is for what is only compared with other numbers: an infinite threshold is none.
inline constexpr Limits kAnyNumber = {-std::numeric_limits<double>::infinity(),
                                      std::numeric_limits<double>::infinity()};
inline constexpr Limits kNotNegative = {.least = 0.0};
inline constexpr Limits kPositive = {.least = std::numeric_limits<double>::min()};
inline constexpr Limits kProbability = {.least = 0.0, .most = 1.0};
// These are for what is observed as a float32, or drawn between two such numbers: all stay finite.
inline constexpr Limits kFloat32 = {-3e38, 3e38};
inline constexpr Limits kFloat32NotNegative = {.least = 0.0, .most = kFloat32.most};

// An option that an environment understands. The default fixes the type; a monostate (Python's
// None) default accepts any number.
struct OptionSpec {
  std::string name;
  OptionValue default_value;
  std::string description;
  Limits limits = {};                     // of a number, or of each number of a list
  std::vector<std::string> choices = {};  // of a string, unless there are none

  // True if a value of the right type is one of those that are allowed.
  bool Allows(const OptionValue& value) const;
  // Returns the allowed values in words.
  std::string Expected() const;
};

// Writes as few digits as reading the number back allows, so different numbers never look alike.
inline std::string Shortest(double number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), number).ptr};
}

inline std::string Limits::Describe(const std::string& name, bool is_integer) const {
  constexpr Limits kFinite;
  const auto write = [is_integer](double end) {
    const bool is_whole = is_integer && std::abs(end) < 1e15;
    return is_whole ? std::to_string(static_cast<std::int64_t>(end)) : Shortest(end);
  };
  std::string text;
  if (least == kPositive.least) {
    text.append("0 < ");
  } else if (least > kFinite.least) {
    text.append(write(least)).append(" <= ");
  }
  text.append(name);
  if (most < kFinite.most) text.append(" <= ").append(write(most));
  if (text != name) return text;
  return least < kFinite.least ? "a number, not NaN" : "a finite number";
}

inline bool OptionSpec::Allows(const OptionValue& value) const {
  return std::visit(
      [this]<class T>(const T& held) {
        if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, double>) {
          return limits.Contain(static_cast<double>(held));
        } else if constexpr (std::is_same_v<T, std::vector<double>>) {
          return std::ranges::all_of(held, [this](double x) { return limits.Contain(x); });
        } else if constexpr (std::is_same_v<T, std::string>) {
          return choices.empty() || std::ranges::find(choices, held) != choices.end();
        } else {
          return true;
        }
      },
      value);
}

inline std::string OptionSpec::Expected() const {
  if (std::holds_alternative<std::vector<double>>(default_value)) {
    return limits.Contain(kAnyNumber.most) ? "numbers, none of them NaN" : "finite numbers";
  }
  if (choices.empty()) {
    return limits.Describe(name, std::holds_alternative<std::int64_t>(default_value));
  }
  std::string text;
  for (const std::string& choice : choices) {
    text.append(text.empty() ? "'" : " or '").append(choice).append("'");
  }
  return text;
}

class Options {
 public:
  Options() = default;

  // Makes options that have the defaults of `specs`.
  explicit Options(const std::vector<OptionSpec>& specs) {
    for (const OptionSpec& spec : specs) entries_.emplace_back(spec.name, spec.default_value);
  }

  void Set(std::string_view name, OptionValue value) {
    for (auto& [known, old] : entries_) {
      if (known == name) {
        old = std::move(value);
        return;
      }
    }
    entries_.emplace_back(name, std::move(value));
  }

  // True if there is a value, other than None.
  bool Has(std::string_view name) const {
    const OptionValue* value = Find(name);
    return value != nullptr && !std::holds_alternative<std::monostate>(*value);
  }

  // Returns an option's value. Throws std::invalid_argument when the option is absent or of another
  // type.
  template <class T>
  const T& Get(std::string_view name) const {
    const OptionValue* found = Find(name);
    const T* value = found == nullptr ? nullptr : std::get_if<T>(found);
    if (value == nullptr) {
      throw std::invalid_argument("there is no option '" + std::string(name) +
                                  (found == nullptr ? "'" : "' of this type"));
    }
    return *value;
  }

  bool Flag(std::string_view name) const { return Get<bool>(name); }
  std::int64_t Integer(std::string_view name) const { return Get<std::int64_t>(name); }
  double Number(std::string_view name) const { return Get<double>(name); }
  const std::string& Text(std::string_view name) const { return Get<std::string>(name); }

  // Returns all names and values.
  const std::vector<std::pair<std::string, OptionValue>>& Entries() const { return entries_; }

 private:
  const OptionValue* Find(std::string_view name) const {
    for (const auto& [known, value] : entries_) {
      if (known == name) return &value;
    }
    return nullptr;
  }

  // The entries are a handful: a linear search beats a map.
  std::vector<std::pair<std::string, OptionValue>> entries_;
};

}  // namespace envpool
