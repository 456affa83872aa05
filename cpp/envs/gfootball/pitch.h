// DrawPitch: a match from above, as a picture of any size.
#pragma once

#include "envpool/env.h"
#include "gfootball/observed.h"

namespace envpool::gfootball {

// The left team is red, the right one blue; who is controlled by an agent has a white rim. Players
// who were sent off are not there.
void DrawPitch(const Observed& seen, const Frame& frame);

}  // namespace envpool::gfootball
