#include "highway/observations/observation.h"

#include <algorithm>

namespace envpool::highway {

void NumbersObservation::See(const Traffic& traffic, int players, Random& random) {
  numbers_.clear();
  for (int player = 0; player < players; ++player) Append(traffic, player, random, numbers_);
}

void NumbersObservation::Write(const Row& row) const {
  std::ranges::copy(numbers_, row.Observation<float>().begin());
}

void NumbersObservation::Serialize(Archive& archive, std::size_t players) {
  archive(numbers_);
  archive.Require(numbers_.size() == players * MakeField("").Elements(),
                  "an observation of another size");
}

}  // namespace envpool::highway
