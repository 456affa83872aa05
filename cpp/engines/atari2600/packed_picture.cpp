#include "atari2600/packed_picture.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "atari2600/pictures.h"

namespace envpool::atari2600 {
namespace {

// A row is this byte, if it is like the one above, or runs: a length and a colour each.
constexpr std::uint8_t kLikeAbove = 0;

void PackRow(std::span<const std::uint8_t> row, std::vector<std::uint8_t>& packed) {
  for (auto begin = row.begin(); begin != row.end();) {
    const auto end = std::find_if(begin, row.end(), [&](auto pixel) { return pixel != *begin; });
    packed.push_back(static_cast<std::uint8_t>(end - begin));
    packed.push_back(*begin);
    begin = end;
  }
}

class Unpacker {
 public:
  explicit Unpacker(std::span<const std::uint8_t> packed) : packed_(packed) {}

  bool IsAtEnd() const { return at_ == packed_.size(); }
  bool TakeLikeAbove() {
    if (IsAtEnd() || packed_[at_] != kLikeAbove) return false;
    ++at_;
    return true;
  }
  std::uint8_t Take() {
    if (IsAtEnd()) throw std::invalid_argument("the state has a picture that ends too early");
    return packed_[at_++];
  }

 private:
  std::span<const std::uint8_t> packed_;
  std::size_t at_ = 0;
};

void UnpackRow(Unpacker& unpacker, std::span<std::uint8_t> row) {
  while (!row.empty()) {
    const std::size_t length = unpacker.Take();
    if (length == 0 || length > row.size()) {
      throw std::invalid_argument("the state has a picture with a wrong row");
    }
    std::ranges::fill(row.first(length), unpacker.Take());
    row = row.subspan(length);
  }
}

}  // namespace

std::vector<std::uint8_t> PackPicture(std::span<const std::uint8_t> picture) {
  std::vector<std::uint8_t> packed;
  std::span<const std::uint8_t> above;
  for (std::size_t at = 0; at < picture.size(); at += kWidth) {
    const auto row = picture.subspan(at, kWidth);
    if (std::ranges::equal(row, above)) {
      packed.push_back(kLikeAbove);
    } else {
      PackRow(row, packed);
    }
    above = row;
  }
  return packed;
}

void UnpackPicture(std::span<const std::uint8_t> packed, std::span<std::uint8_t> picture) {
  Unpacker unpacker(packed);
  for (std::size_t at = 0; at < picture.size(); at += kWidth) {
    const auto row = picture.subspan(at, kWidth);
    if (at > 0 && unpacker.TakeLikeAbove()) {
      std::ranges::copy(picture.subspan(at - kWidth, kWidth), row.begin());
    } else {
      UnpackRow(unpacker, row);
    }
  }
  if (!unpacker.IsAtEnd()) throw std::invalid_argument("the state has a picture that is too long");
}

}  // namespace envpool::atari2600
