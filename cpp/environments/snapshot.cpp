#include "environments/snapshot.h"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <variant>

#include "envpool/archive.h"
#include "envpool/hash.h"

namespace envpool {

namespace {

constexpr std::uint32_t kMagic = 0x53505645;  // the bytes "EVPS"
constexpr std::uint32_t kFormat = 2;          // of everything around the state

// Everything of a snapshot, in the order of its bytes.
struct Sealed {
  std::uint32_t magic = kMagic;
  std::uint32_t format = kFormat;
  std::uint64_t checksum = 0;  // of what follows
  SnapshotKey key;
  std::string state;

  void SerializeHead(Archive& archive) { archive.Any(magic, format, checksum); }
  void SerializeRest(Archive& archive) {
    archive(key.type);
    archive.Any(key.state_version);
    archive(key.settings, state);
  }
};

std::string ToText(std::monostate) { return "None"; }
std::string ToText(bool value) { return value ? "True" : "False"; }
std::string ToText(std::int64_t value) { return std::to_string(value); }
std::string ToText(const std::string& value) { return value; }

std::string ToText(double value) { return Shortest(value); }

template <class T>
std::string ToText(const std::vector<T>& values) {
  std::string text = "[";
  for (const T& value : values) text += (text.size() > 1 ? ", " : "") + ToText(value);
  return text + "]";
}

}  // namespace

std::vector<std::string> DescribeSettings(const Options& options, int max_episode_steps) {
  std::vector<std::string> settings = {"max_episode_steps=" + std::to_string(max_episode_steps)};
  for (const auto& [name, value] : options.Entries()) {
    settings.push_back(name + "=" +
                       std::visit([](const auto& held) { return ToText(held); }, value));
  }
  return settings;
}

std::string SealSnapshot(const SnapshotKey& key, std::string state) {
  Sealed sealed{.key = key, .state = std::move(state)};
  std::string rest;
  Archive rest_archive = Archive::Writer(rest);
  sealed.SerializeRest(rest_archive);
  sealed.checksum = HashOfBytes(rest);
  std::string bytes;
  Archive archive = Archive::Writer(bytes);
  sealed.SerializeHead(archive);
  return bytes + rest;
}

std::string OpenSnapshot(const SnapshotKey& key, std::string_view snapshot,
                         const std::string& name) {
  const auto require = [&name](bool holds, const std::string& message) {
    if (!holds) throw std::invalid_argument(name + " " + message);
  };
  Sealed sealed;
  Archive archive = Archive::Reader(snapshot);
  constexpr std::size_t kHeadBytes = 16;
  require(snapshot.size() >= kHeadBytes, "is no state of an environment: it is too short");
  sealed.SerializeHead(archive);
  require(sealed.magic == kMagic, "is no state of an environment");
  require(sealed.format == kFormat, "has the format " + std::to_string(sealed.format) +
                                        ", this version reads " + std::to_string(kFormat));
  require(sealed.checksum == HashOfBytes(snapshot.substr(kHeadBytes)), "is damaged or cut off");
  sealed.SerializeRest(archive);
  require(sealed.key.type == key.type,
          "was saved from " + sealed.key.type + ", expected " + key.type);
  require(sealed.key.state_version == key.state_version,
          "was saved by another version of " + key.type + " (" +
              std::to_string(sealed.key.state_version) + ", expected " +
              std::to_string(key.state_version) + ")");
  const auto [theirs, ours] = std::ranges::mismatch(sealed.key.settings, key.settings);
  const auto describe = [](const auto& settings, auto which) {
    return which == settings.end() ? "no such option" : *which;
  };
  const std::string was = describe(sealed.key.settings, theirs);
  const std::string expected = describe(key.settings, ours);
  require(was == expected, "was saved with " + was + ", expected " + expected);
  return std::move(sealed.state);
}

}  // namespace envpool
