#include "ceiling.h"

#include <algorithm>
#include <numeric>

namespace ceiling {

std::int64_t Share::run_until(Clock::time_point deadline) {
  std::int64_t steps = 0;
  // The clock is read once per step: 30 ns beside at least 30 us.
  for (; Clock::now() < deadline; ++steps) {
    step_next();
  }
  return steps;
}

void Share::step_each(int steps) {
  for (std::size_t step = 0; step < static_cast<std::size_t>(steps) * envs_.size(); ++step) {
    step_next();
  }
}

void Share::step_next() {
  const std::int64_t row =
      std::int64_t{batch_} * actions_.num_envs + begin_ + static_cast<std::int64_t>(next_);
  envs_[next_]->step(actions_.values + row * actions_.action_bytes);
  if (++next_ == envs_.size()) {
    next_ = 0;
    batch_ = (batch_ + 1) % actions_.num_batches;
  }
}

Pool::Pool(const std::function<std::unique_ptr<Env>(int)>& make, Actions actions, int num_threads) {
  const int num_envs = actions.num_envs;
  const int shares = std::min(num_envs, num_threads);
  for (int share = 0; share < shares; ++share) {
    const int begin = num_envs * share / shares;
    shares_.emplace_back(actions, begin);
    for (int id = begin; id < num_envs * (share + 1) / shares; ++id) {
      shares_.back().add(make(id));
    }
  }
}

}  // namespace ceiling

extern "C" {

// Steps all environments for so long; returns the number of steps and the exact time they took.
[[gnu::visibility("default")]] std::int64_t ceiling_run(ceiling::Pool* pool, double seconds,
                                                        double* elapsed) {
  using ceiling::Clock;
  std::vector<std::int64_t> steps(pool->num_shares());
  const auto start = Clock::now();
  const auto deadline =
      start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  pool->in_parallel([&steps, deadline](ceiling::Share& share, std::size_t number) {
    steps[number] = share.run_until(deadline);
  });
  *elapsed = std::chrono::duration<double>(Clock::now() - start).count();
  return std::accumulate(steps.begin(), steps.end(), std::int64_t{0});
}

// Steps each environment so many times.
[[gnu::visibility("default")]] void ceiling_step_each(ceiling::Pool* pool, int steps) {
  pool->in_parallel([steps](ceiling::Share& share, std::size_t) { share.step_each(steps); });
}

[[gnu::visibility("default")]] void ceiling_close(ceiling::Pool* pool) { delete pool; }

}  // extern "C"
