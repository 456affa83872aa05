#include "bindings/thread_pool_binding.h"

#include <chrono>
#include <memory>
#include <vector>

#include "bindings/interpreter.h"
#include "scheduling/thread_pool.h"

namespace envpool {

namespace {

namespace py = pybind11;

// Under the GIL. Pools keep those alive that Python has forgotten.
std::vector<std::weak_ptr<ThreadPool>> living;

std::shared_ptr<ThreadPool> Make(int num_threads, int affinity_offset) {
  std::erase_if(living, [](const auto& each) { return each.expired(); });
  living.reserve(living.size() + 1);
  auto thread_pool = ThreadPool::Make(num_threads, affinity_offset);
  living.push_back(thread_pool);
  return thread_pool;
}

void Close(ThreadPool& thread_pool) {
  if (IsExiting()) return;
  const Unlocked unlocked;
  thread_pool.Close(CheckInterrupt);
}

// Because the interpreter is about to exit. Threads that take longer end with the process.
void EndAll(double seconds) {
  const auto duration =
      std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
  const auto deadline = Clock::now() + duration;
  // A copy, because another thread may make one meanwhile; and the last owner of one waits for its
  // threads, which must not be with the GIL held.
  for (const auto& each : std::vector(living)) {
    const py::gil_scoped_release release;
    const std::shared_ptr<ThreadPool> thread_pool = each.lock();
    if (thread_pool != nullptr) thread_pool->Close(CheckSignals, deadline);
  }
}

}  // namespace

void BindThreadPool(py::module_& module) {
  py::class_<ThreadPool, std::shared_ptr<ThreadPool>>(module, "ThreadPool")
      .def(py::init(&Make), py::arg("num_threads"), py::arg("thread_affinity_offset"))
      .def("close", &Close)
      .def_static("end_all", &EndAll, py::arg("seconds"));
}

}  // namespace envpool
