// PoolSpec: what all environments of a pool have in common.
#pragma once

#include "envpool/env_type.h"
#include "executor/interrupt.h"
#include "executor/pool_config.h"

namespace envpool {

// Throws std::invalid_argument if an environment's options give it other spaces than the first
// one's, or if the pool can't have these spaces. On a thread of its own, because a spec may be in a
// file that takes long to read; if `interrupt` throws, that is left to itself.
Spec MakePoolSpec(const EnvType& type, const PoolConfig& config, Interrupt interrupt);

}  // namespace envpool
