// Names that environments give, and that become names in Python.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace envpool {

// A letter, then letters, digits and underscores; all of them ASCII, whatever the locale.
inline bool IsIdentifier(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_inner = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && is_letter(name[0]) && std::ranges::all_of(name, is_inner);
}

// Such names with single blanks between them, as keys of nested dicts may be.
inline bool IsPhrase(std::string_view name) {
  const std::size_t blank = name.find(' ');
  if (blank == std::string_view::npos) return IsIdentifier(name);
  return IsIdentifier(name.substr(0, blank)) && IsPhrase(name.substr(blank + 1));
}

}  // namespace envpool
