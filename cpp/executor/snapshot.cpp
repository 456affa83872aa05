#include "executor/snapshot.h"

#include <stdexcept>
#include <utility>
#include <variant>

#include "envpool/archive.h"

namespace envpool {

namespace {

constexpr std::uint32_t kMagic = 0x53505645;  // the bytes "EVPS"
constexpr std::uint32_t kFormat = 1;          // of everything around the state

// FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo), 64 bits. Finds accidents, not forgeries.
std::uint64_t Hash(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return hash;
}

// Everything of a snapshot, in the order of its bytes.
struct Sealed {
  std::uint32_t magic = kMagic;
  std::uint32_t format = kFormat;
  std::uint64_t checksum = 0;  // of what follows
  SnapshotKey key;
  std::string state;

  void SerializeHead(Archive& archive) { archive(magic, format, checksum); }
  void SerializeRest(Archive& archive) { archive(key.type, key.state_version, key.options, state); }
};

}  // namespace

std::uint64_t HashOptions(const Options& options, int max_episode_steps) {
  std::string bytes;
  Archive archive = Archive::Writer(bytes);
  archive(max_episode_steps);
  for (auto [name, value] : options.Entries()) {  // copies: an archive takes what it could change
    auto type = static_cast<std::uint64_t>(value.index());
    archive(name, type);
    std::visit(
        [&archive]<class T>(T& held) {
          if constexpr (!std::is_same_v<T, std::monostate>) archive(held);
        },
        value);
  }
  return Hash(bytes);
}

std::string SealSnapshot(const SnapshotKey& key, std::string state) {
  Sealed sealed{.key = key, .state = std::move(state)};
  std::string rest;
  Archive rest_archive = Archive::Writer(rest);
  sealed.SerializeRest(rest_archive);
  sealed.checksum = Hash(rest);
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
  require(sealed.checksum == Hash(snapshot.substr(kHeadBytes)), "is damaged or cut off");
  sealed.SerializeRest(archive);
  require(sealed.key.type == key.type,
          "was saved from " + sealed.key.type + ", expected " + key.type);
  require(sealed.key.state_version == key.state_version,
          "was saved by another version of " + key.type + " (" +
              std::to_string(sealed.key.state_version) + ", expected " +
              std::to_string(key.state_version) + ")");
  require(sealed.key.options == key.options,
          "was saved from a " + key.type +
              " with other options (max_episode_steps is one of them) than this environment has");
  return std::move(sealed.state);
}

}  // namespace envpool
