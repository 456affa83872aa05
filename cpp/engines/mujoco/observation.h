// What environments observe: arrays by their keys, of the last steps; or parts of one array.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "envpool/archive.h"
#include "envpool/field.h"

namespace envpool::mujoco {

// An array of an observation, of float64. Dots in its name nest.
struct Key {
  std::string name;
  std::vector<int> shape;

  std::size_t Size() const;
  // The field of the last `frame_stack` of them.
  Field Stacked(std::size_t frame_stack) const;
};
using Keys = std::vector<Key>;

// Arrays of the last steps.
class Observation {
 public:
  // Keeps the observations of the last `frame_stack` steps.
  Observation(const Keys& keys, std::size_t frame_stack);

  std::size_t NumKeys() const { return starts_.size() - 1; }
  std::size_t NumSteps() const { return values_.size() / starts_.back(); }
  // All elements of the newest step.
  std::span<double> Newest() { return std::span(values_).last(starts_.back()); }
  // The newest elements of a key, given by its place.
  std::span<double> operator[](std::size_t key) { return Newest().subspan(Start(key), Size(key)); }
  std::span<const double> operator[](std::size_t key) const {
    return std::span(values_).last(starts_.back()).subspan(Start(key), Size(key));
  }

  // Forgets the oldest. The newest is still what it was, to be written over.
  void Advance();
  // Makes the newest all that there is, as at the beginning of an episode.
  void Fill();

  // Writes arrays one behind the other, observation by observation, oldest first.
  void Join(std::span<const std::size_t> keys, std::span<double> out) const;

  void Serialize(Archive& archive) { archive(std::span(values_)); }

 private:
  std::size_t Start(std::size_t key) const { return starts_[key]; }
  std::size_t Size(std::size_t key) const { return starts_[key + 1] - starts_[key]; }

  std::vector<std::size_t> starts_ = {0};  // of keys; the last one is the end
  std::vector<double> values_;             // oldest first
};

// An interval of numbers.
struct Range {
  double low;
  double high;
};

// Writes an observation's parts one behind the other, or only counts their numbers. Throws
// std::logic_error if there is no room for a part.
class ObservationWriter {
 public:
  // Counts.
  ObservationWriter() = default;
  explicit ObservationWriter(std::span<double> out) : out_(out), counts_(false) {}

  ObservationWriter& Add(std::span<const double> values);
  ObservationWriter& Add(double value) { return Add(std::span(&value, 1)); }
  // Adds numpy.clip(values, low, high).
  ObservationWriter& AddClipped(std::span<const double> values, const Range& range);

  std::size_t Size() const { return size_; }
  // Throws std::logic_error unless all is written.
  void RequireFull() const;

 private:
  std::span<double> out_;
  std::size_t size_ = 0;
  bool counts_ = true;
};

}  // namespace envpool::mujoco
