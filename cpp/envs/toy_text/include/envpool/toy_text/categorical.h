// Categorical: draws an index with given probabilities, from the same number and to the same bit as
// gymnasium.envs.toy_text.utils.categorical_sample.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace envpool {

template <class Container>  // of doubles
class Categorical {
 public:
  explicit Categorical(Container probabilities)
      : probabilities_(std::move(probabilities)), cumulated_(probabilities_) {
    std::partial_sum(cumulated_.begin(), cumulated_.end(), cumulated_.begin());
  }

  // The first index whose cumulated probability is above `drawn`, a number of [0, 1). Rounding may
  // leave none above it: then it is 0, as NumPy's argmax gives it.
  std::size_t Sample(double drawn) const {
    const std::size_t above = FirstAbove(drawn);
    return above == cumulated_.size() ? 0 : above;
  }

  double Probability(std::size_t index) const { return probabilities_[index]; }

 private:
  std::size_t FirstAbove(double drawn) const {
    constexpr std::size_t kFew = 4;
    if (cumulated_.size() > kFew) {
      const auto above = std::upper_bound(cumulated_.begin(), cumulated_.end(), drawn);
      return static_cast<std::size_t>(above - cumulated_.begin());
    }
    std::size_t count = 0;  // not a search: no processor foresees where one ends
    for (const double sum : cumulated_) count += sum <= drawn ? 1 : 0;
    return count;
  }

  Container probabilities_;
  Container cumulated_;
};

}  // namespace envpool
