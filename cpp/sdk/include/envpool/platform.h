// Checks that a compiler can build environments; the SDK includes this file first.
#pragma once

#include <version>

#if !(defined(__linux__) && defined(__ELF__)) && !(defined(__APPLE__) && defined(__aarch64__))
#error "envpool's environments run on Linux, and on macOS with Apple's processors"
#elif defined(__linux__) && !defined(__GLIBCXX__)
#error "envpool is built with libstdc++, and so must environments be: without -stdlib=libc++"
#elif defined(__APPLE__) && !defined(_LIBCPP_VERSION)
#error "envpool is built with libc++ on macOS, and so must environments be: with Apple's clang"
#elif __cplusplus < 202002L || !defined(__cpp_lib_span) || \
    (defined(__GLIBCXX__) && __cpp_lib_to_chars < 201611L)
#error "envpool needs C++20 and a library that has it: that of g++ 11 or later"
#endif
