// RecordFile: a recording's file, to which whole chunks are appended.
//
// It begins with "ENVPOOL\n" and the number of the format (8 bytes). A chunk is its size, the
// checksum of what follows (HashOfBytes), the time at which it was written (nanoseconds
// since 1970; all 8 bytes), and its content.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace envpool {

inline constexpr std::uint64_t kRecordFormat = 3;

class RecordFile {
 public:
  // Makes a file of this name, which must be new. Throws std::system_error.
  explicit RecordFile(const std::string& path);
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;
  ~RecordFile();

  // Throws std::system_error; then the file ends with a part of the chunk, or none.
  void Append(std::string_view content);

 private:
  void Write(std::string_view bytes) const;

  const int descriptor_;
};

}  // namespace envpool
