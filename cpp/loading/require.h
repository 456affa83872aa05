// Require: a check that ends in an exception; and what several checks ask.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

namespace envpool {

// Throws std::invalid_argument with this message unless the condition holds.
inline void Require(bool holds, const std::string& message) {
  if (!holds) throw std::invalid_argument(message);
}

// True if the name is a letter, then letters, digits and underscores; all of them ASCII, whatever
// the locale: it becomes a name in Python.
inline bool IsIdentifier(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_inner = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && is_letter(name[0]) && std::ranges::all_of(name, is_inner);
}

}  // namespace envpool
