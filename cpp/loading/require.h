// Require: a check that ends in an exception; and what several checks ask and say.
#pragma once

#include <algorithm>
#include <ranges>
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

// A shape as Python writes it.
template <class Sizes>
std::string ShapeText(const Sizes& sizes) {
  std::string text = "(";
  // Not `", " + std::to_string(size)`, which g++ 12 takes for an overflow when it is inlined.
  for (const auto size : sizes) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(size);
  }
  return text + (std::ranges::size(sizes) == 1 ? ",)" : ")");
}

}  // namespace envpool
