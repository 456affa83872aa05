#include "atari/kept_plane.h"

#include <algorithm>
#include <cstring>

#include "atari2600/packed_bytes.h"

namespace envpool::atari {

KeptPlane::KeptPlane(PlaneSize size) : size_(size), rows_(size.width), places_(size.height) {}

void KeptPlane::Keep(const std::uint8_t* plane) {
  const std::size_t width = size_.width;
  std::uint32_t end = 0;
  for (std::size_t row = 0; row < size_.height; ++row) {
    const std::uint8_t* values = plane + row * width;
    const bool is_new = row == 0 || std::memcmp(values, values - width, width) != 0;
    places_[row] = is_new ? end : places_[row - 1];
    if (is_new) end += static_cast<std::uint32_t>(width);
  }
  // A vector that grows by itself takes more than it needs.
  if (rows_.capacity() < end) rows_ = std::vector<std::uint8_t>(end);
  rows_.resize(end);
  for (std::size_t row = 0; row < size_.height; ++row) {
    if (row > 0 && places_[row] == places_[row - 1]) continue;
    std::memcpy(rows_.data() + places_[row], plane + row * width, width);
  }
}

void KeptPlane::Serialize(Archive& archive) {
  std::vector<std::uint8_t> plane(size_.Pixels());
  for (std::size_t row = 0; row < size_.height; ++row) {
    std::memcpy(plane.data() + row * size_.width, Row(row), size_.width);
  }
  atari2600::TransferPacked(archive, plane, 0, size_.width);
  if (archive.IsReader()) Keep(plane.data());
}

}  // namespace envpool::atari
