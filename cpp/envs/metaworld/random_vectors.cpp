#include "metaworld/random_vectors.h"

#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace envpool::metaworld {

namespace {

constexpr int kMostAttempts = 100'000;  // where the original would go on for ever

// Throws std::invalid_argument unless it has `size` numbers, or `many` times as many.
Numbers Sized(const Options& options, const char* name, std::size_t size, const std::string& task,
              bool many = false) {
  const Numbers& numbers = options.Get<Numbers>(name);
  if (many ? numbers.size() % size == 0 : numbers.size() == size) return numbers;
  throw std::invalid_argument(std::string(name) + " has " + std::to_string(numbers.size()) +
                              " numbers, expected " + std::to_string(size) +
                              (many ? " for each vector of " : " for ") + task);
}

}  // namespace

RandomVectors::RandomVectors(const Options& options, const SawyerTask& task)
    : task_(task.name),
      size_(3 * task.places),
      low_(Sized(options, "random_low", size_, task_)),
      high_(Sized(options, "random_high", size_, task_)),
      distance_(options.Number("least_distance")),
      list_(Sized(options, "task_vectors", size_, task_, true)),
      shuffles_(options.Text("task_select") == "pseudorandom"),
      selects_always_(options.Flag("sample_tasks_on_reset")),
      order_(list_.size() / size_) {
  std::iota(order_.begin(), order_.end(), 0);
  for (std::size_t i = 0; i < size_; ++i) {
    if (low_[i] <= high_[i]) continue;
    throw std::invalid_argument("random_low has " + Shortest(low_[i]) + " where random_high has " +
                                Shortest(high_[i]) + ", expected no more than that");
  }
}

void RandomVectors::Select(Random& random, const Options& reset) {
  const std::int64_t goal = reset.Integer("goal");
  if (goal >= 0) {
    if (std::cmp_greater_equal(goal, order_.size())) {
      throw std::invalid_argument("goal is " + std::to_string(goal) + ", expected " +
                                  (list_.empty() ? "-1: there are no task_vectors"
                                                 : "less than " + std::to_string(order_.size()) +
                                                       ", the number of task_vectors"));
    }
    selected_ = goal;
  } else if (!list_.empty() && (selected_ < 0 || selects_always_ || reset.Flag("sample_task"))) {
    SelectNext(random);
  }
}

void RandomVectors::SelectNext(Random& random) {
  const auto count = static_cast<std::int64_t>(order_.size());
  if (!shuffles_) {
    selected_ = random.Choice(count);
    return;
  }
  place_ = (place_ + 1) % count;
  if (place_ == 0) random.Shuffle(order_);
  selected_ = order_[static_cast<std::size_t>(place_)];
}

Drawn RandomVectors::At(const double* numbers) const {
  Drawn drawn = {.first = numerics::VectorAt(numbers)};
  if (size_ > 3) drawn.last = numerics::VectorAt(numbers + 3);
  return drawn;
}

Drawn RandomVectors::Draw(Random& random) const {
  if (!list_.empty()) return At(&list_[size_ * static_cast<std::size_t>(selected_)]);
  Numbers numbers(size_);
  for (std::size_t i = 0; i < size_; ++i) numbers[i] = random.Uniform(low_[i], high_[i]);
  return At(numbers.data());
}

Drawn RandomVectors::DrawApart(Random& random, const Vector* other) const {
  const int attempts = list_.empty() ? kMostAttempts : 1;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const Drawn drawn = Draw(random);
    const Vector& from = other == nullptr ? drawn.last : *other;
    if (!(FlatDistance(drawn.first, from) < distance_)) return drawn;
  }
  throw std::runtime_error(
      (list_.empty() ? "found no places in 100000 attempts" : "task_vectors has places") +
      std::string(" for ") + task_ + (list_.empty() ? "" : " that are too near to each other") +
      ", expected some that are least_distance=" + Shortest(distance_) + " m apart");
}

void RandomVectors::Serialize(Archive& archive) {
  archive.Index(order_, order_.size());
  for (std::int64_t* place : {&place_, &selected_}) {
    archive.Range(*place, -1, static_cast<std::int64_t>(order_.size()) - 1);
  }
}

std::vector<OptionSpec> VectorOptions() {
  const std::vector<double> none;
  return {
      {"random_low", none,
       "the least of what an episode draws: mostly places of an object and of "
       "a goal, m; nothing: the task's own"},
      {"random_high", none, "the most of that"},
      {"least_distance",
       -1.0,
       "how far these places are apart at least, m; -1: the task's own",
       {.least = -1.0}},
      {"task_vectors", none,
       "what an episode begins with instead: a vector, or some behind each "
       "other, of which each reset takes one"},
      {"task_select",
       "random",
       "how: pseudorandom takes all once, in random order",
       {},
       {"random", "pseudorandom"}},
      {"sample_tasks_on_reset", true, "or only those resets do that have the option sample_task"}};
}

std::vector<OptionSpec> SelectOptions() {
  return {{"sample_task", false, "take another one of task_vectors"},
          {"goal",
           std::int64_t{-1},
           "which one of task_vectors to take, counted from 0; -1: none in particular",
           {.least = -1.0, .most = 1e9}}};
}

}  // namespace envpool::metaworld
