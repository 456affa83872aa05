// Names that environments give, and that become names in Python.
#pragma once

#include <algorithm>
#include <string_view>

namespace envpool {

// A letter, then letters, digits and underscores; all of them ASCII, whatever the locale.
inline bool IsIdentifier(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_inner = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && is_letter(name[0]) && std::ranges::all_of(name, is_inner);
}

}  // namespace envpool
