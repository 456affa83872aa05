#include "executor/results/batches.h"

namespace envpool {

bool Batches::Complete(std::span<const Request> requests, Clock::time_point now) {
  bool is_ready = false;
  for (std::size_t i = 0; i < requests.size();) {
    Batch* batch = requests[i].batch;
    std::size_t count = 1;
    while (i + count < requests.size() && requests[i + count].batch == batch) ++count;
    is_ready |= batch->Complete(count, now);
    i += count;
  }
  return is_ready;
}

}  // namespace envpool
