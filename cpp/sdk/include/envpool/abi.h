// Abi: what a library of environments was compiled to, told as plain data.
//
// Classes of this SDK and of the standard library cross the border between a library and whoever
// loads it. Both must have been compiled to the same layouts, or they read each other's data
// wrongly. So this is compared before anything else of a library is looked at.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "envpool/env_type.h"
#include "envpool/hash.h"

namespace envpool {

// Raised by one whenever a type that crosses the border changes its layout or meaning. .ci/abi.py
// notices where that was forgotten.
inline constexpr std::uint32_t kSdkVersion = 12;

// No member ever changes its place, because the Abis of all versions are compared.
struct Abi {
  char magic[8] = {'e', 'n', 'v', 'p', 'o', 'o', 'l', '\0'};
  std::uint32_t size = sizeof(Abi);
  std::uint32_t sdk_version = kSdkVersion;
  std::uint64_t fingerprint = 0;    // of the layouts
  char standard_library[104] = {};  // which one, with those of its settings that are unusual
  char compiler[128] = {};          // only for messages: those of different ones fit together
};

constexpr std::uint64_t HashOf(std::initializer_list<std::uint64_t> numbers) {
  std::uint64_t hash = kHashOfNothing;
  for (const std::uint64_t number : numbers) {
    const auto bytes = std::bit_cast<std::array<char, sizeof(number)>>(number);
    hash = HashOfBytes({bytes.data(), bytes.size()}, hash);
  }
  return hash;
}

template <class... T>
constexpr std::uint64_t HashOfSizes() {
  return HashOf({sizeof(T)..., alignof(T)...});
}

// Hashes the types that all classes are made of.
constexpr std::uint64_t HashOfPlatform() {
  constexpr std::uint64_t kCompilerAbi = __GXX_ABI_VERSION / 1000;  // the rest is about rare names
  return HashOf(
      {kCompilerAbi, std::endian::native == std::endian::little,
       HashOfSizes<void*, int, long, long double, std::size_t, Pcg64::Word, DType, Space>()});
}

// Not all classes are of standard layout; g++ and clang++ know the offsets of their members all the
// same.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
constexpr std::uint64_t HashOfMembers() {
  return HashOf({offsetof(Family, types), offsetof(Family, settings), offsetof(Family, configure),
                 offsetof(Family, failure),
                 // EnvType
                 offsetof(EnvType, name), offsetof(EnvType, options),
                 offsetof(EnvType, reset_options), offsetof(EnvType, check_reset_options),
                 offsetof(EnvType, spec), offsetof(EnvType, create), offsetof(EnvType, memory),
                 offsetof(EnvType, state_version), offsetof(EnvType, frame_size),
                 offsetof(EnvType, render_fps),
                 // what it refers to
                 offsetof(OptionSpec, name), offsetof(OptionSpec, default_value),
                 offsetof(OptionSpec, description), offsetof(OptionSpec, limits),
                 offsetof(OptionSpec, choices), offsetof(Limits, least), offsetof(Limits, most),
                 offsetof(Spec, observation_structure), offsetof(Spec, observation),
                 offsetof(Spec, action_structure), offsetof(Spec, action), offsetof(Spec, info),
                 offsetof(Spec, max_num_players),
                 // Field
                 offsetof(Field, name), offsetof(Field, dtype), offsetof(Field, shape),
                 offsetof(Field, low), offsetof(Field, high), offsetof(Field, space),
                 offsetof(Field, per_player), offsetof(Field, records_type),
                 // what environments are given and give
                 offsetof(Column, offset), offsetof(Column, row_bytes), offsetof(Column, elements),
                 offsetof(Column, dtype), offsetof(Column, per_player), offsetof(Column, label),
                 offsetof(Frame, width), offsetof(Frame, height), offsetof(Frame, camera),
                 offsetof(Frame, pixels), offsetof(FrameSize, width), offsetof(FrameSize, height),
                 offsetof(StepResult, reward), offsetof(StepResult, discount),
                 offsetof(StepResult, terminated), offsetof(StepResult, truncated)});
}
#pragma GCC diagnostic pop

inline constexpr std::uint64_t kFingerprint =
    HashOf({HashOfPlatform(), HashOfMembers(),
            HashOfSizes<Family, EnvType, OptionSpec, OptionValue, Limits, Options, Spec, Field,
                        Bounds, Structure, Env, Action, Row, Column, Frame, FrameSize, StepResult,
                        Scene, Random, Pcg64, Archive, std::string, std::vector<bool>,
                        std::function<void()>, std::unique_ptr<Env>>()});

inline constexpr std::string_view kStandardLibrary =
#ifdef _LIBCPP_VERSION
    _LIBCPP_ABI_VERSION == 1 ? "libc++" : "libc++ -D_LIBCPP_ABI_VERSION=2";
#else
    "libstdc++"
#if !_GLIBCXX_USE_CXX11_ABI
    " -D_GLIBCXX_USE_CXX11_ABI=0"
#endif
#ifdef _GLIBCXX_DEBUG
    " -D_GLIBCXX_DEBUG"
#endif
#ifdef _GLIBCXX_DEBUG_PEDANTIC
    " -D_GLIBCXX_DEBUG_PEDANTIC"
#endif
#if _GLIBCXX_INLINE_VERSION
    " --enable-symvers=gnu-versioned-namespace"
#endif
    ;
#endif

inline constexpr std::string_view kCompiler =
#ifdef __clang__
    __VERSION__;
#else
    "g++ " __VERSION__;
#endif

template <std::size_t kSize>
constexpr void CopyText(std::string_view text, char (&place)[kSize]) {
  std::copy_n(text.begin(), std::min(text.size(), kSize - 1), place);  // zeros stay behind it
}

// Returns the Abi of whatever is compiled right now.
constexpr Abi ThisAbi() {
  Abi abi;
  abi.fingerprint = kFingerprint;
  CopyText(kStandardLibrary, abi.standard_library);
  CopyText(kCompiler, abi.compiler);
  return abi;
}

}  // namespace envpool
