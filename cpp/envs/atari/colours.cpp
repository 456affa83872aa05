#include "atari/colours.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace envpool::atari {

namespace {

#if defined(__x86_64__)

// 32 pixels at a time: each of the table's eight parts has the values of 16 even indices, and gives
// 0 for all others. Returns how many pixels were done: all up to an odd index, or nearly so.
[[gnu::target("avx2")]] std::size_t LookUpWide(const std::uint8_t* table,
                                               const std::uint8_t* indices, std::size_t size,
                                               std::uint8_t* values) {
  __m256i parts[8];
  for (int i = 0; i < 8; ++i) {
    parts[i] = _mm256_broadcastsi128_si256(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(table + 16 * i)));
  }
  const __m256i ones = _mm256_set1_epi8(1);
  const __m256i low_bits = _mm256_set1_epi8(0x7f);
  const __m256i above = _mm256_set1_epi8(0x70);  // lifts what is no index of a part to 0x80 or more
  std::size_t done = 0;
  for (; done + 32 <= size; done += 32) {
    const __m256i pixels = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(indices + done));
    if (!_mm256_testz_si256(pixels, ones)) break;
    const __m256i index = _mm256_and_si256(_mm256_srli_epi16(pixels, 1), low_bits);
    __m256i found = _mm256_setzero_si256();
    for (int i = 0; i < 8; ++i) {
      const __m256i own = _mm256_sub_epi8(index, _mm256_set1_epi8(static_cast<char>(16 * i)));
      found = _mm256_or_si256(found, _mm256_shuffle_epi8(parts[i], _mm256_adds_epu8(own, above)));
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(values + done), found);
  }
  return done;
}

const bool has_wide = __builtin_cpu_supports("avx2") != 0;

#else

constexpr bool has_wide = false;

std::size_t LookUpWide(const std::uint8_t*, const std::uint8_t*, std::size_t, std::uint8_t*) {
  return 0;
}

#endif

}  // namespace

// A shade of grey follows each colour. Lost colours and unfinished pictures have odd indices; as
// ALE does, we take what follows those too. Past the last, ALE reads beyond its table; here it is
// 0.
Colours::Colours(const Palette& palette, bool is_grey) : tables_(is_grey ? 1 : 3) {
  for (std::size_t plane = 0; plane < tables_.size(); ++plane) {
    Table& table = tables_[plane];
    for (std::size_t i = 0; i < table.all.size(); ++i) {
      const std::uint32_t grey = i + 1 < palette.size() ? palette[i + 1] : 0;
      table.all[i] = static_cast<std::uint8_t>(is_grey ? grey : palette[i] >> (16 - 8 * plane));
      if (i % 2 == 0) table.even[i / 2] = table.all[i];
    }
  }
}

void Colours::LookUp(std::size_t plane, const std::uint8_t* indices, std::size_t size,
                     std::uint8_t* values) const {
  const Table& table = tables_[plane];
  const std::size_t done = has_wide ? LookUpWide(table.even.data(), indices, size, values) : 0;
  for (std::size_t i = done; i < size; ++i) values[i] = table.all[indices[i]];
}

}  // namespace envpool::atari
