#include "vizdoom/starting_engine.h"

#include <signal.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>

#include "envpool/fork_local.h"

namespace envpool::vizdoom {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kSilence = std::chrono::seconds(3);  // before something is told, and between
constexpr auto kLongStart = std::chrono::seconds(3);
constexpr auto kPause = std::chrono::seconds(1);  // after which starts are counted anew

// Of the engines that start at the same time, or without a pause.
struct Starts {
  std::atomic<std::size_t> awaited_bytes = 0;
  std::mutex mutex;  // of what follows
  int count = 0;
  Clock::time_point last;
  Clock::time_point last_told;
};

ForkLocal<Starts> starts;

void RequireRoom(std::size_t bytes) {
  struct statvfs room = {};
  const bool is_there = statvfs("/dev/shm", &room) == 0;
  const bool has_limit = !is_there || room.f_blocks > 0;
  const std::size_t left = is_there ? room.f_bavail * room.f_frsize : 0;
  if (!has_limit || left >= bytes) return;
  throw std::runtime_error("ViZDoom's engines share memory with this process, in /dev/shm, where " +
                           std::to_string(left) + " bytes are left of the " +
                           std::to_string(bytes) +
                           " that are needed now (docker run --shm-size=1g ...)");
}

// Makes a process that ends at once, without what fork() calls; returns its number, or -1.
pid_t MakeEndedChild() {
  const long child = syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  if (child == 0) syscall(SYS_exit_group, 0);
  return static_cast<pid_t>(child);
}

}  // namespace

StartingEngine::StartingEngine(std::size_t shared_bytes) : shared_bytes_(shared_bytes) {
  std::atomic<std::size_t>& awaited_bytes = starts.Get().awaited_bytes;
  const std::size_t all = awaited_bytes += shared_bytes_;
  try {
    RequireRoom(all);
    waker_ = std::jthread([this](const std::stop_token& stop) { WakeLibrary(stop); });
  } catch (const std::system_error&) {
    awaited_bytes -= shared_bytes_;
    throw std::runtime_error(std::string("ViZDoom's engine cannot start: ") + kNoMore);
  } catch (...) {
    awaited_bytes -= shared_bytes_;
    throw;
  }
}

StartingEngine::~StartingEngine() { starts.Get().awaited_bytes -= shared_bytes_; }

// Where no process could be made, ViZDoom's library waits for the end of number -1, which is that
// of any child: if no other one ends, for ever. So now and then one does, which is for nothing
// else.
void StartingEngine::WakeLibrary(const std::stop_token& has_started) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any waiting;
  pid_t child = -1;
  const auto reap = [&child] {
    if (child > 0) waitpid(child, nullptr, WNOHANG);
  };
  while (!waiting.wait_for(lock, has_started, kLongStart,
                           [&has_started] { return has_started.stop_requested(); })) {
    is_slow_ = true;
    reap();
    child = MakeEndedChild();
  }
  reap();
}

void TellOfStarts() {
  Starts& all = starts.Get();
  const std::lock_guard lock(all.mutex);
  const Clock::time_point now = Clock::now();
  if (now - all.last > kPause) {
    all.count = 0;
    all.last_told = now;
  }
  all.last = now;
  ++all.count;
  if (now - all.last_told < kSilence || isatty(STDERR_FILENO) == 0) return;
  all.last_told = now;
  std::fprintf(stderr, "envpool: %d engines of ViZDoom's have started\n", all.count);
}

}  // namespace envpool::vizdoom
