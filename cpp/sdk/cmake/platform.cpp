// Compiled, and never linked, to see whether a compiler can build environments.
#include "envpool/platform.h"
