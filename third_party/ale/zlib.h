// What the Arcade Learning Environment's ROM loader calls of zlib, for files that are not
// compressed: the ROMs are not, and so building needs no zlib.
#pragma once

#include <cstdio>

using gzFile = std::FILE*;

inline gzFile gzopen(const char* path, const char* mode) { return std::fopen(path, mode); }

inline int gzread(gzFile file, void* buffer, unsigned size) {
  return static_cast<int>(std::fread(buffer, 1, size, file));
}

inline int gzclose(gzFile file) { return std::fclose(file); }
