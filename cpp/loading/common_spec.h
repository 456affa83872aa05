// CommonSpec: the spec of a pool whose environments are of several kinds.
#pragma once

#include <span>
#include <string>

#include "envpool/spec.h"

namespace envpool {

struct NamedSpec {
  std::string name;  // of the kind
  Spec spec;
};

// Returns the spec that fits all of these. They may only differ in how many Discrete actions there
// are; the spec then has the most of them. Throws std::invalid_argument, which names two kinds and
// what they don't have in common, if anything else differs.
Spec CommonSpec(std::span<const NamedSpec> specs);

}  // namespace envpool
