#include "mujoco/observation.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "envpool/numpy_math.h"

namespace envpool::mujoco {

std::size_t Key::Size() const {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

Field Key::Stacked(std::size_t frame_stack) const {
  std::vector<int> stacked = shape;
  if (frame_stack > 1) stacked.insert(stacked.begin(), static_cast<int>(frame_stack));
  return Box(name, DType::kFloat64, std::move(stacked));
}

Observation::Observation(const Keys& keys, std::size_t frame_stack) {
  for (const Key& key : keys) starts_.push_back(starts_.back() + key.Size());
  values_.resize(frame_stack * starts_.back());
}

void Observation::Advance() {
  const auto size = static_cast<std::ptrdiff_t>(starts_.back());
  std::copy(values_.begin() + size, values_.end(), values_.begin());
}

void Observation::Fill() {
  const auto size = static_cast<std::ptrdiff_t>(starts_.back());
  for (auto older = values_.begin(); older + size != values_.end(); older += size) {
    std::ranges::copy(Newest(), older);
  }
}

void Observation::Join(std::span<const std::size_t> keys, std::span<double> out) const {
  auto end = out.begin();
  for (std::size_t first = 0; first < values_.size(); first += starts_.back()) {
    for (const std::size_t key : keys) {
      end = std::copy_n(values_.data() + first + Start(key), Size(key), end);
    }
  }
}

ObservationWriter& ObservationWriter::Add(std::span<const double> values) {
  if (!counts_) {
    if (values.size() > out_.size() - size_) throw std::logic_error("the observation is too long");
    std::ranges::copy(values, out_.subspan(size_).begin());
  }
  size_ += values.size();
  return *this;
}

ObservationWriter& ObservationWriter::AddClipped(std::span<const double> values,
                                                 const Range& range) {
  for (const double value : values) Add(numpy::Clip(value, range.low, range.high));
  return *this;
}

void ObservationWriter::RequireFull() const {
  if (size_ < out_.size()) throw std::logic_error("the observation is too short");
}

}  // namespace envpool::mujoco
