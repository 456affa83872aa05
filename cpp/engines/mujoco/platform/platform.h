// What Linux and macOS do differently for MuJoCo's families: each name is defined in linux.cpp and
// in macos.cpp, one of which is compiled. They are not in cpp/platform, because other packages
// compile this engine, too, and have only the SDK beside it.
#pragma once

#include <array>
#include <string>

namespace envpool::mujoco {

// The environment variable that tells the dynamic linker where it finds libraries.
extern const char* const kLibraryPath;

// What users are told to do where there is no OpenGL to draw with.
extern const char* const kDrawingAdvice;

// Opens a pipe that programs do not inherit: the end to read from comes first. Returns false, and
// sets errno, if that fails.
bool OpenPipe(std::array<int, 2>& ends);

// Opens an empty file for a short time. Returns a negative number, and sets errno, if that fails.
int OpenTemporaryFile();

// The path by which other processes of this user open a file of OpenTemporaryFile; "" if there is
// none.
std::string PathOf(int descriptor);

// Closes a file of OpenTemporaryFile, which is gone then.
void CloseTemporaryFile(int descriptor);

// Sees to it that this process ends with its parent, and that it is the first to end where memory
// is short for all, as far as the system offers that.
void EndBeforeOthers();

}  // namespace envpool::mujoco
