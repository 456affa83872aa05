#include "workers/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "platform/platform.h"

namespace envpool {

namespace {

[[noreturn]] void Fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// A program may run without standard streams. No file may take their place: libraries would print
// into it.
constexpr int kFirst = STDERR_FILENO + 1;

}  // namespace

File::File(int descriptor) : descriptor_(descriptor), identity_(IdentityOf(descriptor)) {}

File::Identity File::IdentityOf(int descriptor) {
  struct stat status;
  if (fstat(descriptor, &status) < 0) Fail("a file of the pool cannot be used");
  return {status.st_dev, status.st_ino};
}

void File::CheckIsOurs() const {
  if (IdentityOf(descriptor_) == identity_) return;
  errno = EBADF;
  Fail("a file of the pool was closed, and its number is another file's");
}

File File::Create(const char* name) {
  const int descriptor = OpenAnonymousFile(name);
  if (descriptor < 0) Fail("memory for workers cannot be made");
  File file(descriptor);
  return descriptor < kFirst ? Duplicate(descriptor) : std::move(file);
}

File File::Duplicate(int descriptor) {
  const int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, kFirst);
  if (copy < 0) Fail("a file of the pool cannot be used");
  return File(copy);
}

File::~File() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::size_t File::Size() const {
  struct stat status;
  if (fstat(descriptor_, &status) < 0) Fail("a file of the pool cannot be used");
  return static_cast<std::size_t>(status.st_size);
}

void File::Write(const std::string& bytes, std::size_t offset) const {
  CheckIsOurs();
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = pwrite(descriptor_, bytes.data() + done, bytes.size() - done,
                                 static_cast<off_t>(offset + done));
    if (count < 0 && errno != EINTR) Fail("writing to shared memory");
    if (count > 0) done += static_cast<std::size_t>(count);
  }
}

std::string File::Read(std::size_t size, std::size_t offset) const {
  CheckIsOurs();
  std::string bytes(size, '\0');
  for (std::size_t done = 0; done < size;) {
    const ssize_t count =
        pread(descriptor_, bytes.data() + done, size - done, static_cast<off_t>(offset + done));
    if (count < 0 && errno != EINTR) Fail("reading shared memory");
    if (count == 0) throw std::runtime_error("shared memory ends in the middle of a letter");
    if (count > 0) done += static_cast<std::size_t>(count);
  }
  return bytes;
}

SharedMemory::SharedMemory(const File& file, std::size_t bytes) : bytes_(bytes) {
  const std::size_t size = file.Size();
  if (size == 0) {
    if (ftruncate(file.Descriptor(), static_cast<off_t>(bytes)) < 0) Fail("shared memory");
    // A process that made the file smaller would end all others by SIGBUS.
    if (!FixSize(file.Descriptor())) Fail("sealing");
  } else if (size != bytes) {
    throw std::runtime_error("the pool's shared memory has " + std::to_string(size) +
                             " bytes, expected " + std::to_string(bytes) +
                             ": the worker has another version of envpool");
  }
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                      file.Descriptor(), 0);
  if (memory == MAP_FAILED) Fail("shared memory cannot be mapped");
  begin_ = static_cast<std::byte*>(memory);
}

SharedMemory::~SharedMemory() { munmap(begin_, bytes_); }

}  // namespace envpool
