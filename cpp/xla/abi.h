// abi: XLA's foreign function interface, as far as a handler needs it.
//
// XLA calls a handler through plain C structures, whose layout (version 0.3) is fixed by
// xla/ffi/api/c_api.h of jaxlib. What follows declares the same layout under names of our own, up
// to the last entry that is used here, so that no build needs jaxlib. tests/xla compares the two
// where jaxlib is installed. Structures begin with their size, and later versions only add entries
// at their ends.
#pragma once

#include <cstddef>
#include <cstdint>

namespace envpool::xla {

inline constexpr int kMajorVersion = 0;
inline constexpr int kMinorVersion = 3;

struct Extension {
  std::size_t struct_size;
  int type;
  Extension* next;
};
inline constexpr int kMetadataExtension = 1;

struct Version {
  std::size_t struct_size;
  Extension* extensions;
  int major;
  int minor;
};

enum class ErrorCode : int { kInvalidArgument = 3, kInternal = 13 };

struct Error;  // XLA's own

struct ErrorRequest {
  std::size_t struct_size;
  Extension* extensions;
  const char* message;  // copied
  ErrorCode code;
};

struct StreamRequest {
  std::size_t struct_size;
  Extension* extensions;
  void* context;  // the call frame's
  void* stream;   // the answer: a CUstream, on NVIDIA's GPUs
};

struct Api {
  std::size_t struct_size;
  Extension* extensions;
  Version version;
  const void* internal;
  Error* (*create_error)(ErrorRequest*);
  void (*get_message)();  // these three are not used
  void (*destroy_error)();
  void (*register_handler)();
  Error* (*get_stream)(StreamRequest*);
};

enum class ElementType : int {
  kBool = 1,
  kInt8 = 2,
  kInt16 = 3,
  kInt32 = 4,
  kInt64 = 5,
  kUInt8 = 6,
  kUInt16 = 7,
  kUInt32 = 8,
  kUInt64 = 9,
  kFloat32 = 11,
  kFloat64 = 12,
};

// An array, rows first.
struct Buffer {
  std::size_t struct_size;
  Extension* extensions;
  ElementType type;
  void* data;
  std::int64_t rank;
  std::int64_t* sizes;
};

inline constexpr int kBuffer = 1;

// Arguments, or results.
struct Buffers {
  std::size_t struct_size;
  Extension* extensions;
  std::int64_t size;
  int* types;  // of each, kBuffer
  Buffer** values;
};

struct Text {
  const char* data;
  std::size_t size;
};

struct Scalar {
  ElementType type;
  void* value;
};

inline constexpr int kScalar = 3;

struct Attributes {
  std::size_t struct_size;
  Extension* extensions;
  std::int64_t size;
  int* types;
  Text** names;
  void** values;
};

inline constexpr int kExecute = 3;  // the stage in which there are arguments

struct CallFrame {
  std::size_t struct_size;
  Extension* extensions;
  const Api* api;
  void* context;
  int stage;
  Buffers arguments;
  Buffers results;
  Attributes attributes;
};

// What XLA asks of a handler before it calls it the first time.
struct Metadata {
  std::size_t struct_size;
  Version version;
  std::uint32_t traits;
};

struct MetadataExtension {
  Extension base;
  Metadata* metadata;
};

using Handler = Error*(CallFrame*);

}  // namespace envpool::xla
