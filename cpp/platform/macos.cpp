#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "platform/platform.h"

// As in <os/os_sync_wait_on_address.h>, which older SDKs do not have. A system before macOS 14.4
// does not load the library, and names the first of these.
extern "C" {
int os_sync_wait_on_address_with_timeout(void* address, std::uint64_t value, std::size_t size,
                                         std::uint32_t flags, std::uint32_t clock,
                                         std::uint64_t timeout_ns);
int os_sync_wake_by_address_all(void* address, std::size_t size, std::uint32_t flags);
}

namespace envpool {

namespace {

constexpr std::uint32_t kShared = 1;       // OS_SYNC_WAIT_ON_ADDRESS_SHARED, and that of waking
constexpr std::uint32_t kSystemTime = 32;  // OS_CLOCK_MACH_ABSOLUTE_TIME

}  // namespace

void SleepOn(std::uint32_t* word, std::uint32_t value, std::uint32_t,
             std::chrono::nanoseconds duration) {
  os_sync_wait_on_address_with_timeout(word, value, sizeof(*word), kShared, kSystemTime,
                                       static_cast<std::uint64_t>(duration.count()));
}

void WakeSleepers(std::uint32_t* word, std::uint32_t) {
  os_sync_wake_by_address_all(word, sizeof(*word), kShared);
}

int OpenAnonymousFile(const char* name) {
  // Not shm_open: what that makes can be mapped, but not read and written. The folder is the user's
  // own, whatever the environment says; its length counts the zero at the end.
  std::string path(confstr(_CS_DARWIN_USER_TEMP_DIR, nullptr, 0), '\0');
  if (path.empty()) return -1;
  confstr(_CS_DARWIN_USER_TEMP_DIR, path.data(), path.size());
  path.pop_back();
  path.append("/").append(name).append(".XXXXXX");
  const int descriptor = mkostemp(path.data(), O_CLOEXEC);
  if (descriptor >= 0) unlink(path.c_str());
  return descriptor;
}

bool FixSize(int) { return true; }

void PinThisThread(std::size_t) {}

// O_ASYNC could only send SIGIO, which a stopped process does not get.
void KillAtHangUp(int) {}

void KeepOnly(unsigned) {}

}  // namespace envpool
