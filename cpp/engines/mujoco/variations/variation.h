// Variation: an array that each episode begins with other numbers of.
#pragma once

#include <mujoco/mujoco.h>

#include <cstddef>
#include <string>
#include <vector>

#include "envpool/random.h"
#include "mujoco/variations/arrays.h"

namespace envpool::mujoco {

class Variation {
 public:
  // `text` has tab stops between an array's name, how its numbers change ("add", "scale" or "set"),
  // "each" or "shared" draws, the distribution, and its lists of parameters, in which commas
  // separate numbers: one for all numbers of the array, or one for each. Throws
  // std::invalid_argument.
  Variation(const mjModel& model, const std::string& text);

  const ArrayPart& Part() const { return part_; }
  bool IsOfModel() const { return part_.array->IsOfModel(); }

  // Draws as NumPy's Generator does: uniform, normal and integers, number by number.
  void Draw(Random& random);
  // Changes the array's numbers to those of this episode.
  void Apply(mjModel& model, mjData& data) const;

 private:
  enum class Change { kAdd, kScale, kSet };
  enum class Distribution { kUniform, kLogUniform, kNormal, kChoice };

  double DrawOne(Random& random, std::size_t place) const;
  double Parameter(std::size_t list, std::size_t place) const {
    const std::vector<double>& values = parameters_[list];
    return values[values.size() == 1 ? 0 : place];
  }

  ArrayPart part_;
  Change change_ = Change::kAdd;
  Distribution distribution_ = Distribution::kUniform;
  bool is_shared_ = false;  // one draw for all numbers
  std::vector<std::vector<double>> parameters_;
  std::vector<double> drawn_;
};

}  // namespace envpool::mujoco
