// Plan: which columns of a batch make up a result, and how they nest. Plain data, so that it can
// also be followed where there is no Python.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "envpool/spec.h"

namespace envpool {

struct PlanNode {
  std::string key;  // in the dict that it is in
  Structure structure = Structure::kSingle;
  std::size_t column = 0;    // of a kSingle, the index in Layout::all
  std::size_t children = 0;  // of the others, how many
};

// A tree of dicts and tuples whose leaves are columns. Each node is followed by its children, and
// each child by its own.
using Plan = std::vector<PlanNode>;

}  // namespace envpool
