#include "executor/pool_spec.h"

#include <cstddef>
#include <stdexcept>
#include <string>

#include "executor/spec_check.h"
#include "executor/visits.h"

namespace envpool {

namespace {

Spec CheckedSpec(const EnvType& type, const PoolConfig& config) {
  Spec spec = type.spec(config.options[0]);
  RequireSound(type.name, spec);
  if (config.layout.final_rows && spec.max_num_players > 1) {
    throw std::invalid_argument(
        "auto-reset in the same step is only for environments of one player");
  }
  for (std::size_t i = 1; i < config.options.size(); ++i) {
    if (type.spec(config.options[i]) == spec) continue;
    throw std::invalid_argument("environment " + std::to_string(i) +
                                " has options that give it other spaces than environment 0's");
  }
  return spec;
}

}  // namespace

Spec MakePoolSpec(const EnvType& type, const PoolConfig& config, Interrupt interrupt) {
  return RunAside<Spec>([&type, config] { return CheckedSpec(type, config); }, interrupt);
}

}  // namespace envpool
