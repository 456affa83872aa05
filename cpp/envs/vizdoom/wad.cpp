#include "vizdoom/wad.h"

#include <strings.h>

#include <array>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace envpool::vizdoom {

namespace {

// The beginning of a WAD, and what its directory says of each lump; in the order of bytes of PCs.
struct Header {
  std::array<char, 4> kind = {};
  std::uint32_t count = 0;
  std::uint32_t directory = 0;
};
struct Lump {
  std::uint32_t position;
  std::uint32_t size;
  std::array<char, 8> name;
};
static_assert(sizeof(Header) == 12 && sizeof(Lump) == 16 &&
              std::endian::native == std::endian::little);

template <class T>
bool Read(std::ifstream& file, T& value) {
  return static_cast<bool>(file.read(reinterpret_cast<char*>(&value), sizeof(T)));
}

bool IsWad(const Header& header) {
  const std::string_view kind(header.kind.data(), header.kind.size());
  return kind == "IWAD" || kind == "PWAD";
}

// A PK3 is a zip.
bool IsPk3(const Header& header) { return header.kind == std::array{'P', 'K', '\x03', '\x04'}; }

std::string NameOf(const Lump& lump) {
  const std::string_view padded(lump.name.data(), lump.name.size());
  return std::string(padded.substr(0, padded.find('\0')));
}

// A map is a lump of its name, which what the map consists of follows.
bool HasMap(const std::string& path, const std::string& map) {
  std::ifstream file(path, std::ios::binary);
  Header header;
  Read(file, header);
  if (!IsWad(header)) return true;
  file.seekg(header.directory);
  Lump lump = {};
  bool is_named = false;
  for (std::uint32_t i = 0; i < header.count && Read(file, lump); ++i) {
    const std::string name = NameOf(lump);
    if (is_named && (name == "THINGS" || name == "TEXTMAP")) return true;
    is_named = strcasecmp(name.c_str(), map.c_str()) == 0;
  }
  return false;
}

}  // namespace

void RequireFile(const std::string& path, const std::string& option) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {
    throw std::invalid_argument(option + " is '" + path + "', and there is no such file");
  }
  std::ifstream file(path, std::ios::binary);
  file.peek();
  if (file.bad()) throw std::invalid_argument(option + " is '" + path + "', which cannot be read");
}

void RequireWad(const std::string& path, const std::string& option) {
  RequireFile(path, option);
  std::ifstream file(path, std::ios::binary);
  Header header;
  if (!Read(file, header) || !(IsWad(header) || IsPk3(header))) {
    throw std::invalid_argument(option + " is '" + path + "', which is no WAD");
  }
}

void RequireMap(const std::string& map, const std::vector<std::string>& paths) {
  std::string places;
  for (const std::string& path : paths) {
    if (path.empty()) continue;
    if (HasMap(path, map)) return;
    places += places.empty() ? path : " nor " + path;
  }
  throw std::invalid_argument("map_id is '" + map + "', which is not in " + places);
}

}  // namespace envpool::vizdoom
