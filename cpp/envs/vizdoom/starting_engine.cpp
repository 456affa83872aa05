#include "vizdoom/starting_engine.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace envpool::vizdoom {

namespace {

constexpr std::int64_t kSilenceMs = 3000;  // before something is told, and between
constexpr std::int64_t kPauseMs = 1000;    // after which the next start has nothing to do with it

std::atomic<std::size_t> awaited_bytes = 0;  // of engines that are starting
std::atomic<int> started = 0;                // without a pause
std::atomic<std::int64_t> last_start_ms = 0;
std::atomic<std::int64_t> last_told_ms = 0;

std::int64_t NowMs() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

void RequireRoom(std::size_t bytes) {
  struct statvfs room = {};
  const bool is_there = statvfs("/dev/shm", &room) == 0;
  const std::size_t left = is_there ? room.f_bavail * room.f_frsize : 0;
  if (left >= bytes) return;
  throw std::runtime_error("ViZDoom's engines share memory with this process, in /dev/shm, where " +
                           std::to_string(left) + " bytes are left of the " +
                           std::to_string(bytes) +
                           " that are needed now (docker run --shm-size=1g ...)");
}

}  // namespace

StartingEngine::StartingEngine(std::size_t shared_bytes) : shared_bytes_(shared_bytes) {
  const std::size_t all = awaited_bytes += shared_bytes_;
  try {
    RequireRoom(all);
  } catch (...) {
    awaited_bytes -= shared_bytes_;
    throw;
  }
  const std::int64_t now = NowMs();
  if (now - last_start_ms.exchange(now) > kPauseMs) {
    started = 0;
    last_told_ms = now;
  }
}

StartingEngine::~StartingEngine() {
  awaited_bytes -= shared_bytes_;
  const int count = ++started;
  const std::int64_t now = NowMs();
  last_start_ms = now;
  std::int64_t told = last_told_ms;
  const bool is_due = now - told > kSilenceMs && last_told_ms.compare_exchange_strong(told, now);
  if (is_due && isatty(STDERR_FILENO)) {
    std::fprintf(stderr, "envpool: %d engines of ViZDoom's have started\n", count);
  }
}

}  // namespace envpool::vizdoom
