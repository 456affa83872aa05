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

// They may only differ in how many actions there are where these are Discrete; then it has the most
// of them. Throws std::invalid_argument, which names two kinds and what they don't have in common,
// if there is anything else.
Spec CommonSpec(std::span<const NamedSpec> specs);

}  // namespace envpool
