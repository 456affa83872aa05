// Which cores threads run on.
#pragma once

#include <cstddef>

namespace envpool {

// The calling thread runs on this core alone from now on, counted from 0 again after the last one;
// where it may if the system does not offer that.
void PinThisThread(std::size_t core);

}  // namespace envpool
