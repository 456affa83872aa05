// Observation: what players see of the traffic, as in highway_env/envs/common/observation.py.
#pragma once

#include <string>
#include <vector>

#include "envpool/archive.h"
#include "envpool/env.h"
#include "envpool/field.h"
#include "envpool/random.h"
#include "envpool/views.h"
#include "highway/traffic.h"

namespace envpool::highway {

// One of upstream's types of observations, with what was seen last. There is a class for each type
// (types.h).
class Observation {
 public:
  virtual ~Observation() = default;

  // Returns the array that is written for each player.
  virtual Field MakeField(const std::string& name) const = 0;

  // Begins an episode for so many players.
  virtual void Begin(const Traffic& /*traffic*/, int /*players*/) {}

  // Has all players see the traffic as it is now.
  virtual void See(const Traffic& traffic, int players, Random& random) = 0;

  // Writes what all players have seen.
  virtual void Write(const Row& row) const = 0;

  // Adds what upstream's pictures show of it, if there is one player.
  virtual void Describe(Scene& /*scene*/) const {}

  // Transfers what so many players have seen; none have before the first episode.
  virtual void Serialize(Archive& archive, std::size_t players) = 0;
};

// What is seen as float32.
class NumbersObservation : public Observation {
 public:
  Field MakeField(const std::string& name) const override {
    return Box(name, DType::kFloat32, Shape());
  }
  void See(const Traffic& traffic, int players, Random& random) final;
  void Write(const Row& row) const override;
  void Serialize(Archive& archive, std::size_t players) override;

 protected:
  virtual std::vector<int> Shape() const = 0;

  // Appends what a player sees.
  virtual void Append(const Traffic& traffic, int player, Random& random,
                      std::vector<float>& to) const = 0;

  std::vector<float> numbers_;  // of all players
};

}  // namespace envpool::highway
