#include "threads/fork_mark.h"

#include <pthread.h>

#include <atomic>

namespace envpool {

namespace {

constinit std::atomic<int> generation = 0;

// Installed when the library is loaded: a child forked while another thread makes a function's
// static would wait for it for ever.
[[maybe_unused]] const int installed =
    pthread_atfork(nullptr, nullptr, [] { generation.fetch_add(1); });

}  // namespace

ForkMark::ForkMark() : generation_(generation.load()) {}

bool ForkMark::IsForked() const { return generation_ != generation.load(); }

}  // namespace envpool
