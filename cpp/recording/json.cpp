#include "recording/json.h"

#include <cmath>
#include <cstdio>
#include <type_traits>
#include <variant>

namespace envpool {

namespace {

std::string Json(std::monostate) { return "null"; }
std::string Json(bool value) { return value ? "true" : "false"; }
std::string Json(std::int64_t value) { return std::to_string(value); }

std::string Json(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  std::string text = Shortest(value);
  // Or it would come back as an integer.
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string Json(const std::string& value) {
  std::string text = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", static_cast<unsigned>(c));
      text += escape;
    } else {
      text += c;
    }
  }
  return text + '"';
}

template <class T>
std::string Json(const std::vector<T>& values) {
  std::string text = "[";
  for (const T& value : values) text.append(text.size() > 1 ? ", " : "") += Json(value);
  return text + "]";
}

}  // namespace

std::string ToJson(const Options& options) {
  std::string text = "{";
  for (const auto& [name, value] : options.Entries()) {
    text.append(text.size() > 1 ? ", " : "").append(Json(name)).append(": ");
    text += std::visit([](const auto& held) { return Json(held); }, value);
  }
  return text + "}";
}

}  // namespace envpool
