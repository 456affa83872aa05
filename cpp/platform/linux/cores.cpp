#include "platform/cores.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <thread>

namespace envpool {

void PinThisThread(std::size_t core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core % std::max(std::thread::hardware_concurrency(), 1U), &cores);
  pthread_setaffinity_np(pthread_self(), sizeof(cores), &cores);
}

}  // namespace envpool
