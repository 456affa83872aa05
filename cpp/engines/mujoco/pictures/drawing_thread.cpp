#include "mujoco/pictures/drawing_thread.h"

#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace envpool::mujoco {

DrawingThread::DrawingThread() try : thread_([this] { Work(); }) {
} catch (const std::system_error& error) {
  throw std::runtime_error(std::string("the system has no thread to draw on: ") + error.what());
}

DrawingThread::~DrawingThread() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void DrawingThread::Run(const std::function<void()>& task) {
  std::unique_lock lock(mutex_);
  task_ = &task;
  changed_.notify_all();
  changed_.wait(lock, [this] { return task_ == nullptr; });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

// The lock is free while a task runs, because its caller waits for it anyway.
void DrawingThread::Work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return task_ != nullptr || is_ending_; });
    if (task_ == nullptr) return;
    try {
      (*task_)();
    } catch (...) {
      failure_ = std::current_exception();
    }
    task_ = nullptr;
    changed_.notify_all();
  }
}

}  // namespace envpool::mujoco
