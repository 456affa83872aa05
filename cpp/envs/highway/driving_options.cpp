#include "highway/driving_options.h"

#include <stdexcept>

namespace envpool::highway {

void Require(bool holds, const std::string& message) {
  if (!holds) throw std::invalid_argument(message);
}

const std::vector<double>& NumbersOf(const Options& options, std::string_view name,
                                     std::size_t size, bool may_be_empty) {
  const auto& numbers = options.Get<std::vector<double>>(name);
  if (numbers.size() != size && !(may_be_empty && numbers.empty())) {
    throw std::invalid_argument(std::string(name) + " has " + std::to_string(numbers.size()) +
                                " numbers, expected " + std::to_string(size) +
                                (may_be_empty ? " or none" : ""));
  }
  return numbers;
}

Interval IntervalOf(const Options& options, std::string_view name) {
  const std::vector<double>& ends = NumbersOf(options, name, 2);
  if (ends[0] == ends[1]) {
    throw std::invalid_argument(std::string(name) + " is [" + Shortest(ends[0]) + ", " +
                                Shortest(ends[1]) + "], expected two different numbers");
  }
  return {ends[0], ends[1]};
}

}  // namespace envpool::highway
