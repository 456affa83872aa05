// Parts of an EnvType that the toy_text environments share.
#pragma once

#include "envpool/field.h"
#include "envpool/options.h"

namespace envpool {

// Gymnasium's info `prob`: how probable the last transition was.
inline Field TransitionProbability() { return Box("prob", DType::kFloat64, {}); }

// Gymnasium's render_fps of all its toy_text environments.
inline double StepsPerSecond(const Options&) { return 4.0; }

}  // namespace envpool
