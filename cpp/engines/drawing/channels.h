// Channels: red, green and blue with 16 bits each, for arithmetic on all of them at once.
#pragma once

#include <cstdint>

#include "drawing/raster.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace envpool::drawing {

#if defined(__x86_64__)

class Channels {
 public:
  Channels() : lanes_(_mm_setzero_si128()) {}
  explicit Channels(Pixel pixel)
      : lanes_(_mm_unpacklo_epi8(_mm_cvtsi32_si128(static_cast<int>(pixel)), _mm_setzero_si128())) {
  }

  // The sum of twelve pixels.
  static Channels Sum(const Pixel* pixels) {
    __m128i sum = _mm_setzero_si128();
    for (int i = 0; i < 12; i += 4) {
      const __m128i four = _mm_loadu_si128(reinterpret_cast<const __m128i*>(pixels + i));
      sum = _mm_add_epi16(sum, _mm_unpacklo_epi8(four, _mm_setzero_si128()));
      sum = _mm_add_epi16(sum, _mm_unpackhi_epi8(four, _mm_setzero_si128()));
    }
    return Channels(_mm_add_epi16(sum, _mm_unpackhi_epi64(sum, sum)));
  }

  Channels operator+(Channels other) const { return Channels(_mm_add_epi16(lanes_, other.lanes_)); }
  Channels operator-(Channels other) const { return Channels(_mm_sub_epi16(lanes_, other.lanes_)); }
  Channels operator*(unsigned factor) const {
    return Channels(_mm_mullo_epi16(lanes_, Each(factor)));
  }
  // Returns each channel times a factor below 65536, divided by 65536 and rounded down.
  Channels Share(unsigned factor) const { return Channels(_mm_mulhi_epu16(lanes_, Each(factor))); }

  // Returns the pixel of these channels, each of which must be below 256.
  Pixel ToPixel() const {
    return static_cast<Pixel>(_mm_cvtsi128_si32(_mm_packus_epi16(lanes_, lanes_)));
  }

 private:
  explicit Channels(__m128i lanes) : lanes_(lanes) {}
  static __m128i Each(unsigned value) { return _mm_set1_epi16(static_cast<short>(value)); }

  __m128i lanes_;  // the upper half is of no meaning
};

#else

class Channels {
 public:
  Channels() = default;
  explicit Channels(Pixel pixel)
      : lanes_((pixel & 0xffU) | std::uint64_t{pixel & 0xff00U} << 8 |
               std::uint64_t{pixel & 0xff0000U} << 16) {}

  static Channels Sum(const Pixel* pixels) {
    Pixel red_blue = 0;
    Pixel green = 0;
    for (int i = 0; i < 12; ++i) {
      red_blue += pixels[i] & 0xff00ffU;
      green += pixels[i] >> 8 & 0xffU;
    }
    return FromLanes((red_blue & 0xffffU) | std::uint64_t{green} << 16 |
                     std::uint64_t{red_blue >> 16} << 32);
  }

  Channels operator+(Channels other) const { return FromLanes(lanes_ + other.lanes_); }
  Channels operator-(Channels other) const { return FromLanes(lanes_ - other.lanes_); }
  Channels operator*(unsigned factor) const { return FromLanes(lanes_ * factor); }
  Channels Share(unsigned factor) const {
    constexpr std::uint64_t kEven = 0x0000ffff0000ffff;
    const std::uint64_t even = (lanes_ & kEven) * factor >> 16 & kEven;
    const std::uint64_t odd = (lanes_ >> 16 & kEven) * factor >> 16 & kEven;
    return FromLanes(even | odd << 16);
  }

  Pixel ToPixel() const {
    return static_cast<Pixel>((lanes_ & 0xff) | (lanes_ >> 8 & 0xff00) | (lanes_ >> 16 & 0xff0000));
  }

 private:
  static Channels FromLanes(std::uint64_t lanes) {
    Channels channels;
    channels.lanes_ = lanes;
    return channels;
  }

  std::uint64_t lanes_ = 0;
};

#endif

}  // namespace envpool::drawing
