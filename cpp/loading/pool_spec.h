// PoolSpec: the fields of a pool, and those that its environments have by themselves.
#pragma once

#include <vector>

#include "envpool/spec.h"
#include "loading/pool_config.h"
#include "threads/interrupt.h"

namespace envpool {

struct PoolSpec {
  Spec common;  // see CommonSpec
  std::vector<Spec> of_kinds;
};

// Throws std::invalid_argument if environments of a kind have different ones, if kinds have some
// that don't go together, or if a pool can't have these. On a thread of its own, because a spec may
// be in a file that takes long to read; if `interrupt` throws, that is left to itself.
PoolSpec MakePoolSpec(const PoolConfig& config, Interrupt interrupt);

}  // namespace envpool
