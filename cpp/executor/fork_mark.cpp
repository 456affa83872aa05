#include "executor/fork_mark.h"

#include <pthread.h>

#include <atomic>

namespace envpool {

namespace {

std::atomic<int> generation = 0;

int CurrentGeneration() {
  static const bool installed = [] {
    return pthread_atfork(nullptr, nullptr, [] { generation.fetch_add(1); }) == 0;
  }();
  return installed ? generation.load() : 0;
}

}  // namespace

ForkMark::ForkMark() : generation_(CurrentGeneration()) {}

bool ForkMark::IsForked() const { return generation_ != CurrentGeneration(); }

}  // namespace envpool
