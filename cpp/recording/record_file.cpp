#include "recording/record_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <system_error>

namespace envpool {

namespace {

// For a byte that has so many others after it in a group.
constexpr std::size_t kGroup = 8;
using CrcTables = std::array<std::array<std::uint32_t, 256>, kGroup>;

constexpr CrcTables kCrc = [] {
  CrcTables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
    tables[0][byte] = crc;
  }
  for (std::size_t after = 1; after < kGroup; ++after) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t crc = tables[after - 1][byte];
      tables[after][byte] = (crc >> 8U) ^ tables[0][crc & 0xFFU];
    }
  }
  return tables;
}();

int Create(const std::string& path) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC,
                              0666);  // NOLINT - the mode that all files of a user's have
  if (descriptor >= 0) return descriptor;
  throw std::system_error(errno, std::generic_category(), path);
}

std::string Bytes(std::uint64_t number) {
  char text[sizeof(number)];
  std::memcpy(text, &number, sizeof(number));
  return {text, sizeof(number)};
}

std::uint64_t NanosecondsSince1970() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

}  // namespace

std::uint32_t Crc32(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFFU;
  while (bytes.size() >= kGroup) {
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < kGroup; ++i) {
      const std::uint32_t old = i < sizeof(crc) ? crc >> (8 * i) : 0;
      next ^= kCrc[kGroup - 1 - i][(old ^ static_cast<unsigned char>(bytes[i])) & 0xFFU];
    }
    crc = next;
    bytes.remove_prefix(kGroup);
  }
  for (const char byte : bytes) {
    crc = (crc >> 8U) ^ kCrc[0][(crc ^ static_cast<unsigned char>(byte)) & 0xFFU];
  }
  return ~crc;
}

RecordFile::RecordFile(const std::string& path) : descriptor_(Create(path)) {
  Write("ENVPOOL\n" + Bytes(kRecordFormat));
}

RecordFile::~RecordFile() { close(descriptor_); }

void RecordFile::Append(std::string_view content) {
  const std::string time = Bytes(NanosecondsSince1970());
  std::string checked = time;
  checked.append(content);
  Write(Bytes(content.size()) + Bytes(Crc32(checked)) + checked);
}

void RecordFile::Write(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw std::system_error(errno, std::generic_category());
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace envpool
