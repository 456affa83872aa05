// RequireSound: finds what is wrong with a spec, before anything is made from it.
#pragma once

#include <string>

#include "envpool/spec.h"

namespace envpool {

// Throws std::invalid_argument with a sentence about the first mistake in the spec of `type`.
void RequireSound(const std::string& type, const Spec& spec);

}  // namespace envpool
