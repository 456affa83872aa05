// In place of the C library's: what the engine asserts, it throws. There is no guard against a
// second inclusion, as in the original.
#include <stdexcept>

#undef assert
#define assert(holds) \
  ((holds) ? void() : throw std::runtime_error("Google Research Football asserts " #holds))
