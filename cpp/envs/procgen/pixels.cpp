#include "procgen/pixels.h"

#include <cmath>
#include <cstddef>

namespace envpool::procgen {

namespace {

constexpr std::size_t kChannels = 3;

// Takes out each third byte. All ARM processors do that at once; of others, those that can shuffle.
#if defined(__x86_64__)
[[gnu::target_clones("default", "ssse3", "avx2")]]
#endif
void Separate(const std::uint8_t* __restrict pixels, std::size_t count,
              std::uint8_t* __restrict red, std::uint8_t* __restrict green,
              std::uint8_t* __restrict blue) {
  for (std::size_t i = 0; i < count; ++i) {
    red[i] = pixels[kChannels * i];
    green[i] = pixels[kChannels * i + 1];
    blue[i] = pixels[kChannels * i + 2];
  }
}

}  // namespace

void ToPlanes(std::span<const std::uint8_t> pixels, std::span<std::uint8_t> planes) {
  const std::size_t count = pixels.size() / kChannels;
  Separate(pixels.data(), count, planes.data(), planes.data() + count, planes.data() + 2 * count);
}

void Enlarge(std::span<const std::uint8_t> small, std::span<std::uint8_t> large) {
  const auto width = [](std::size_t bytes) {
    return static_cast<std::size_t>(std::lround(std::sqrt(bytes / kChannels)));
  };
  const std::size_t from = width(small.size());
  const std::size_t to = width(large.size());
  for (std::size_t y = 0; y < to; ++y) {
    for (std::size_t x = 0; x < to; ++x) {
      const std::size_t source = (y * from / to) * from + x * from / to;
      for (std::size_t channel = 0; channel < kChannels; ++channel) {
        large[(y * to + x) * kChannels + channel] = small[source * kChannels + channel];
      }
    }
  }
}

}  // namespace envpool::procgen
