#include "mujoco/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <memory>
#include <system_error>
#include <utility>

#include "mujoco/platform/platform.h"

namespace envpool::mujoco {

namespace {

constexpr int kPeriodMs = 50;

void Check(int error, const std::string& what) {
  if (error != 0) throw std::system_error(error, std::generic_category(), what);
}

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// The same, but not one of the numbers that standard input, output and error have, which this
// process may have closed.
int AboveStandard(int descriptor) {
  const int above = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int error = errno;
  close(descriptor);
  Check(above < 0 ? error : 0, "fcntl");
  return above;
}

// What is done in the child before its program begins.
class SpawnSettings {
 public:
  SpawnSettings() {
    Check(posix_spawn_file_actions_init(&actions_), "posix_spawn_file_actions_init");
    if (const int error = posix_spawnattr_init(&attributes_); error != 0) {
      posix_spawn_file_actions_destroy(&actions_);
      Check(error, "posix_spawnattr_init");
    }
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    posix_spawnattr_destroy(&attributes_);
    posix_spawn_file_actions_destroy(&actions_);
  }

  void Open(int number, const char* path) {
    Check(posix_spawn_file_actions_addopen(&actions_, number, path, O_RDONLY, 0), path);
  }
  void Duplicate(int from, int number) {
    Check(posix_spawn_file_actions_adddup2(&actions_, from, number), "adddup2");
  }
  // Signals do there what they do by default, whatever this process and thread made of them.
  void ResetSignals() {
    sigset_t signals;
    sigfillset(&signals);
    Check(posix_spawnattr_setsigdefault(&attributes_, &signals), "setsigdefault");
    sigemptyset(&signals);
    Check(posix_spawnattr_setsigmask(&attributes_, &signals), "setsigmask");
    Check(posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK),
          "setflags");
  }

  const posix_spawn_file_actions_t* Actions() const { return &actions_; }
  const posix_spawnattr_t* Attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

}  // namespace

int ChildProcess::Descriptor::Release() { return std::exchange(number_, -1); }

void ChildProcess::Descriptor::Close() {
  if (number_ >= 0) close(number_);
  number_ = -1;
}

ChildProcess::Pipe::Pipe() {
  std::array<int, 2> ends{};
  if (!OpenPipe(ends)) Check(errno, "pipe");
  in.Open(ends[1]);
  out.Open(AboveStandard(ends[0]));
  in.Open(AboveStandard(in.Release()));
}

ChildProcess::ChildProcess(const std::vector<std::string>& arguments,
                           const std::vector<std::string>& variables) {
  SpawnSettings settings;
  settings.Open(STDIN_FILENO, "/dev/null");
  settings.Duplicate(output_.in.Number(), STDOUT_FILENO);
  settings.Duplicate(error_.in.Number(), STDERR_FILENO);
  settings.ResetSignals();
  Check(posix_spawn(&process_, arguments[0].c_str(), settings.Actions(), settings.Attributes(),
                    Pointers(arguments).data(), Pointers(variables).data()),
        arguments[0]);
  output_.in.Close();
  error_.in.Close();
}

ChildProcess::~ChildProcess() {
  if (process_ == 0 || owner_ != getpid()) return;
  kill(process_, SIGKILL);
  Reap();
}

// Or nobody knows, because somebody else has waited for it.
bool ChildProcess::HasEnded() const {
  siginfo_t found{};
  const int wanted = WEXITED | WNOHANG | WNOWAIT;
  return waitid(P_PID, static_cast<id_t>(process_), &found, wanted) != 0 || found.si_pid != 0;
}

// Which signal has ended it. Who ignores SIGCHLD, or waits for any child, may have taken the
// answer.
int ChildProcess::Reap() {
  int status = 0;
  pid_t ended = 0;
  do {
    ended = waitpid(process_, &status, 0);
  } while (ended < 0 && errno == EINTR);
  process_ = 0;
  return ended > 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

void ChildProcess::Read(Descriptor& from, std::string& text) {
  constexpr std::size_t kPiece = std::size_t{1} << 16U;  // as much as a pipe has
  const std::size_t size = text.size();
  text.resize(size + kPiece);
  const ssize_t count = read(from.Number(), text.data() + size, kPiece);
  const bool is_interrupted = count < 0 && errno == EINTR;
  text.resize(size + static_cast<std::size_t>(count > 0 ? count : 0));
  if (count <= 0 && !is_interrupted) from.Close();
}

ChildProcess::Written ChildProcess::Await(const std::function<void()>& meanwhile) {
  Written written;
  while (output_.out.Number() >= 0 || error_.out.Number() >= 0) {
    // Closed ones, which are negative, are passed over.
    std::array<pollfd, 2> waits = {
        {{output_.out.Number(), POLLIN, 0}, {error_.out.Number(), POLLIN, 0}}};
    // Processes that were forked from this one may keep the pipes open.
    const bool has_ended = HasEnded();
    if (poll(waits.data(), waits.size(), has_ended ? 0 : kPeriodMs) == 0 && has_ended) break;
    if (waits[0].revents != 0) Read(output_.out, written.output);
    if (waits[1].revents != 0) Read(error_.out, written.error);
    meanwhile();
  }
  written.signal = Reap();
  return written;
}

}  // namespace envpool::mujoco
