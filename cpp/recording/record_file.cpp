#include "recording/record_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>

#include "envpool/hash.h"

namespace envpool {

namespace {

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

RecordFile::RecordFile(const std::string& path) : descriptor_(Create(path)) {
  Write("ENVPOOL\n" + Bytes(kRecordFormat));
}

RecordFile::~RecordFile() { close(descriptor_); }

void RecordFile::Append(std::string_view content) {
  std::string checked = Bytes(NanosecondsSince1970());
  checked.append(content);
  Write(Bytes(content.size()) + Bytes(HashOfBytes(checked)) + checked);
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
