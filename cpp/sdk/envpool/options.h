// Options: named values that configure an environment, or one reset of it.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace envpool {

using OptionValue =
    std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<std::int64_t>,
                 std::vector<double>, std::vector<std::string>>;

// An option that an environment understands. The default fixes the type; a monostate (Python's
// None) default accepts any number.
struct OptionSpec {
  std::string name;
  OptionValue default_value;
  std::string description;
};

class Options {
 public:
  Options() = default;

  // The defaults of `specs`.
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

  // Is there a value, other than None?
  bool Has(std::string_view name) const {
    const OptionValue* value = Find(name);
    return value != nullptr && !std::holds_alternative<std::monostate>(*value);
  }

  // Throws std::invalid_argument when the option is absent or of another type.
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

  // All names and values.
  const std::vector<std::pair<std::string, OptionValue>>& Entries() const { return entries_; }

 private:
  const OptionValue* Find(std::string_view name) const {
    for (const auto& [known, value] : entries_) {
      if (known == name) return &value;
    }
    return nullptr;
  }

  // A handful: a linear search beats a map.
  std::vector<std::pair<std::string, OptionValue>> entries_;
};

}  // namespace envpool
