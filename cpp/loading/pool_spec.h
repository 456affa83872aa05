// PoolSpec: the fields of a pool, and those that its environments have by themselves.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "envpool/spec.h"
#include "loading/pool_config.h"
#include "threads/interrupt.h"

namespace envpool {

struct NamedSpec {
  std::string name;  // of the kind
  Spec spec;
};

// Returns the spec that fits all of these. They may only differ in how many Discrete actions there
// are; the spec then has the most of them. Throws std::invalid_argument, which names two kinds and
// what they don't have in common, if anything else differs.
Spec CommonSpec(std::span<const NamedSpec> specs);

struct PoolSpec {
  Spec common;  // see CommonSpec
  std::vector<Spec> of_kinds;
};

// Throws std::invalid_argument if environments of a kind have different ones, if kinds have some
// that don't go together, or if a pool can't have these. On a thread of its own, because a spec may
// be in a file that takes long to read; if `interrupt` throws, that is left to itself.
PoolSpec MakePoolSpec(const PoolConfig& config, Interrupt interrupt);

}  // namespace envpool
