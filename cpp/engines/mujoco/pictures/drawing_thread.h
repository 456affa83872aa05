// DrawingThread: a thread on which nobody else has OpenGL.
//
// Which context is current is a thread's own affair, and a program's window has made its own
// current on whatever thread calls us. The libraries that contexts come from (GLX, EGL, OSMesa) can
// neither see nor put back what another of them has made current: some refuse, some crash.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace envpool::mujoco {

class DrawingThread {
 public:
  // Throws std::runtime_error if the system has no more threads.
  DrawingThread();
  DrawingThread(const DrawingThread&) = delete;
  DrawingThread& operator=(const DrawingThread&) = delete;
  ~DrawingThread();

  // Runs `task` there and waits for its end. Throws what it throws. One call at a time.
  void Run(const std::function<void()>& task);

 private:
  void Work();

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* task_ = nullptr;  // null as soon as it has ended
  std::exception_ptr failure_;                   // of the last task
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace envpool::mujoco
