#include "atari/md5.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <vector>

namespace envpool::atari {

namespace {

constexpr std::size_t kBlockBytes = 64;
constexpr int kSteps = 64;

using Digest = std::array<std::uint32_t, 4>;

std::array<std::uint32_t, kSteps> MakeSines() {
  std::array<std::uint32_t, kSteps> sines{};
  for (int i = 0; i < kSteps; ++i) {
    sines[static_cast<std::size_t>(i)] =
        static_cast<std::uint32_t>(std::floor(0x1p32 * std::fabs(std::sin(i + 1.0))));
  }
  return sines;
}

std::uint32_t WordAt(const std::uint8_t* bytes) {
  return bytes[0] | static_cast<std::uint32_t>(bytes[1]) << 8 |
         static_cast<std::uint32_t>(bytes[2]) << 16 | static_cast<std::uint32_t>(bytes[3]) << 24;
}

void AddBlock(const std::uint8_t* block, Digest& digest) {
  static const std::array<std::uint32_t, kSteps> sines = MakeSines();
  static constexpr int kTurns[4][4] = {
      {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  auto [a, b, c, d] = digest;
  for (unsigned i = 0; i < kSteps; ++i) {
    const unsigned round = i / 16;
    const std::uint32_t mixed = round == 0   ? (b & c) | (~b & d)
                                : round == 1 ? (b & d) | (c & ~d)
                                : round == 2 ? b ^ c ^ d
                                             : c ^ (b | ~d);
    const unsigned word = round == 0 ? i : round == 1 ? 5 * i + 1 : round == 2 ? 3 * i + 5 : 7 * i;
    const std::uint32_t sum = a + mixed + WordAt(block + 4 * (word % 16)) + sines[i];
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, kTurns[round][i % 4]);
  }
  digest = {digest[0] + a, digest[1] + b, digest[2] + c, digest[3] + d};
}

// Appends a one, zeros up to the end of a block, and the number of bits.
std::vector<std::uint8_t> Padded(std::span<const std::uint8_t> bytes) {
  std::vector<std::uint8_t> padded(bytes.begin(), bytes.end());
  padded.push_back(0x80);
  while (padded.size() % kBlockBytes != kBlockBytes - 8) padded.push_back(0);
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (int shift = 0; shift < 64; shift += 8) {
    padded.push_back(static_cast<std::uint8_t>(bits >> shift));
  }
  return padded;
}

}  // namespace

std::string Md5Of(std::span<const std::uint8_t> bytes) {
  const std::vector<std::uint8_t> padded = Padded(bytes);
  Digest digest = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  for (std::size_t i = 0; i < padded.size(); i += kBlockBytes) AddBlock(&padded[i], digest);
  std::string text;
  for (const std::uint32_t word : digest) {
    for (int shift = 0; shift < 32; shift += 8) {
      const std::uint32_t byte = word >> shift & 0xff;
      text += "0123456789abcdef"[byte >> 4];
      text += "0123456789abcdef"[byte & 15];
    }
  }
  return text;
}

}  // namespace envpool::atari
