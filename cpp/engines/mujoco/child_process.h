// ChildProcess: another program that runs for this one, and ends with it.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <vector>

namespace envpool::mujoco {

class ChildProcess {
 public:
  // Starts the program at `arguments[0]` with nothing but these environment variables
  // ("NAME=value") and an empty input. Throws std::system_error.
  ChildProcess(const std::vector<std::string>& arguments,
               const std::vector<std::string>& variables);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess();  // kills it if it still runs

  // What it writes until it ends.
  struct Written {
    std::string output;
    std::string error;
    int signal = 0;  // which one ended it; 0 if none did, or nobody knows
  };

  // Waits for its end, and calls `meanwhile` every now and then, whose exceptions end the waiting.
  Written Await(const std::function<void()>& meanwhile);

 private:
  // An end of a pipe.
  class Descriptor {
   public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { Close(); }

    int Number() const { return number_; }
    void Open(int number) { number_ = number; }
    int Release();
    void Close();

   private:
    int number_ = -1;
  };

  struct Pipe {
    Pipe();

    Descriptor out;  // where this process reads
    Descriptor in;   // where the child writes
  };

  static void Read(Descriptor& from, std::string& text);
  bool HasEnded() const;
  int Reap();

  Pipe output_;
  Pipe error_;
  const pid_t owner_ = getpid();  // a forked child leaves the program to its parent
  pid_t process_ = 0;             // 0 once it has ended
};

}  // namespace envpool::mujoco
