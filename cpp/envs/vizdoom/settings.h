// Options that are dicts in Python, and come as texts such as "HEALTH=0.005,-0.003".
#pragma once

#include <map>
#include <vector>

#include "envpool/options.h"
#include "vizdoom/action_set.h"
#include "vizdoom/reward.h"

namespace envpool::vizdoom {

// All throw std::invalid_argument for names that there are not, or other numbers of numbers. Names
// of variables that a scenario does not have are allowed.
std::map<Variable, Worth> WorthsOf(const Options& options);
std::map<int, float> WeaponsOf(const Options& options);
std::map<Button, DeltaValues> DeltasOf(const Options& options);

// The options themselves, with EnvPool's defaults.
std::vector<OptionSpec> DictOptions();

}  // namespace envpool::vizdoom
