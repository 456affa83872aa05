// File: an open file without a name, and memory that processes have in common.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <utility>

namespace envpool {

// A file, mostly one in memory. It is gone when nobody has it open or mapped any more, however they
// end.
class File {
 public:
  File() = default;
  // `name` is only what the system's lists show. Throws std::system_error.
  static File Create(const char* name);
  // Duplicates a descriptor, which stays its owner's.
  static File Duplicate(int descriptor);
  File(File&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), identity_(other.identity_) {}
  File& operator=(File&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(identity_, other.identity_);
    return *this;
  }
  ~File();

  int Descriptor() const { return descriptor_; }
  std::size_t Size() const;

  // All of the bytes, or a std::system_error: also if the program has closed the descriptor behind
  // our back, and its number may be that of another file.
  void Write(const std::string& bytes, std::size_t offset) const;
  std::string Read(std::size_t size, std::size_t offset) const;

 private:
  using Identity = std::pair<dev_t, ino_t>;

  explicit File(int descriptor);
  static Identity IdentityOf(int descriptor);
  void CheckIsOurs() const;

  int descriptor_ = -1;
  Identity identity_ = {};
};

// A file that is mapped, and has one size for ever. What was never written is zero, and takes no
// memory.
class SharedMemory {
 public:
  // Makes the file so large, unless it has been mapped before.
  SharedMemory(const File& file, std::size_t bytes);
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  std::byte* Begin() const { return begin_; }
  std::byte* End() const { return begin_ + bytes_; }

 private:
  std::byte* begin_;
  std::size_t bytes_;
};

}  // namespace envpool
