#include "atari2600/packed_bytes.h"

#include <algorithm>
#include <vector>

namespace envpool::atari2600 {

namespace {

// The packed bytes are runs: how many bytes are as expected, how many are not, and those.
constexpr std::size_t kLongestRun = 255;
// A shorter run of what is expected takes no more room among those that are not.
constexpr std::size_t kShortestRun = 3;

class Guesses {
 public:
  Guesses(std::span<std::uint8_t> bytes, std::size_t distance)
      : bytes_(bytes), distance_(distance) {}

  std::uint8_t operator()(std::size_t i) const {
    return i < distance_ ? std::uint8_t{0} : bytes_[i - distance_];
  }

  // Returns how many bytes from `i` on are as expected, at most `most`.
  std::size_t Right(std::size_t i, std::size_t most) const {
    const std::size_t end = std::min(bytes_.size(), i + most);
    std::size_t at = i;
    while (at < end && bytes_[at] == (*this)(at)) ++at;
    return at - i;
  }

  // Returns how many bytes from `i` on stand before the next run of what is expected.
  std::size_t Wrong(std::size_t i) const {
    const std::size_t end = std::min(bytes_.size(), i + kLongestRun);
    std::size_t at = i;
    while (at < end && Right(at, kShortestRun) < kShortestRun) ++at;
    return at - i;
  }

 private:
  const std::span<std::uint8_t> bytes_;
  const std::size_t distance_;
};

std::vector<std::uint8_t> Pack(std::span<std::uint8_t> bytes, std::size_t begin,
                               const Guesses& guesses) {
  std::vector<std::uint8_t> packed;
  for (std::size_t i = begin; i < bytes.size();) {
    const std::size_t right = guesses.Right(i, kLongestRun);
    i += right;
    const std::size_t wrong = guesses.Wrong(i);
    packed.push_back(static_cast<std::uint8_t>(right));
    packed.push_back(static_cast<std::uint8_t>(wrong));
    const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(i);
    packed.insert(packed.end(), first, first + static_cast<std::ptrdiff_t>(wrong));
    i += wrong;
  }
  return packed;
}

void Unpack(const Archive& archive, std::span<const std::uint8_t> packed,
            std::span<std::uint8_t> bytes, std::size_t begin, const Guesses& guesses) {
  constexpr const char* kFault = "a picture of another size";
  std::size_t i = begin;
  std::size_t from = 0;
  while (i < bytes.size()) {
    archive.Require(packed.size() - from >= 2, kFault);
    const std::size_t right = packed[from];
    const std::size_t wrong = packed[from + 1];
    from += 2;
    archive.Require(
        wrong <= packed.size() - from && right + wrong > 0 && right + wrong <= bytes.size() - i,
        kFault);
    for (const std::size_t end = i + right; i < end; ++i) bytes[i] = guesses(i);
    for (const std::size_t end = i + wrong; i < end; ++i) bytes[i] = packed[from++];
  }
  archive.Require(from == packed.size(), kFault);
}

}  // namespace

void TransferPacked(Archive& archive, std::span<std::uint8_t> bytes, std::size_t begin,
                    std::size_t distance) {
  const Guesses guesses(bytes, distance);
  std::vector<std::uint8_t> packed;
  if (!archive.IsReader()) packed = Pack(bytes, begin, guesses);
  archive.Any(packed);
  if (archive.IsReader()) Unpack(archive, packed, bytes, begin, guesses);
}

}  // namespace envpool::atari2600
