// Spec: everything about an environment's interface that is known before one exists.
#pragma once

#include <vector>

#include "envpool/field.h"

namespace envpool {

// A Structure tells how several fields form one observation or action.
enum class Structure {
  kSingle,  // the one field is the array itself
  kDict,    // names are keys, dots nest
  kTuple,   // in the order of the fields
};

struct Spec {
  Structure observation_structure = Structure::kSingle;
  std::vector<Field> observation = {};
  Structure action_structure = Structure::kSingle;
  std::vector<Field> action = {};
  std::vector<Field> info = {};
  int max_num_players = 1;

  bool operator==(const Spec&) const = default;
};

}  // namespace envpool
