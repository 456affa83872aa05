// Regulation: who yields where vehicles may collide, as in highway_env/road/regulation.py.
#pragma once

#include "highway/traffic.h"

namespace envpool::highway {

// Has drivers stop for those who come from a lane of higher priority, or are ahead of them; and has
// those go on again who stopped before.
void EnforcePriorities(Traffic& traffic);

}  // namespace envpool::highway
