// Checks that a compiler can build environments; the SDK includes this file first.
#pragma once

#include <version>

#if !defined(__linux__) || !defined(__ELF__)
#error "envpool's environments run on Linux only"
#elif !defined(__GLIBCXX__)
#error "envpool is built with libstdc++, and so must environments be: without -stdlib=libc++"
#elif __cplusplus < 202002L || !defined(__cpp_lib_span) || __cpp_lib_to_chars < 201611L
#error "envpool needs C++20 and a library that has it: that of g++ 11 or later"
#endif
