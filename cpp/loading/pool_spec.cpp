#include "loading/pool_spec.h"

#include <cstddef>
#include <stdexcept>
#include <string>

#include "loading/common_spec.h"
#include "loading/spec_check.h"
#include "threads/visits.h"

namespace envpool {

namespace {

// Which environment is the first of its kind.
std::vector<std::size_t> FirstOfKinds(const PoolConfig& config) {
  const auto num_envs = static_cast<std::size_t>(config.num_envs);
  std::vector<std::size_t> first(config.kinds.size(), num_envs);
  for (std::size_t env = num_envs; env-- > 0;) first[config.KindIndex(env)] = env;
  for (std::size_t kind = 0; kind < first.size(); ++kind) {
    if (first[kind] < num_envs) continue;
    throw std::invalid_argument("there is no environment of " + config.kinds[kind].name);
  }
  return first;
}

// The spec of a kind whose first environment has these options.
Spec SpecOf(const Kind& kind, const Options& options) {
  if (kind.spec) return *kind.spec;
  Spec spec = kind.type->spec(options);
  RequireSound(kind.type->name, spec);
  return spec;
}

// The names of the options that have other values there, all of which both have.
std::string NamesOfDiffering(const Options& ours, const Options& theirs) {
  std::string names;
  for (std::size_t i = 0; i < ours.Entries().size(); ++i) {
    const auto& entry = ours.Entries()[i];
    if (entry != theirs.Entries()[i]) names += (names.empty() ? "" : ", ") + entry.first;
  }
  return names;
}

PoolSpec CheckedSpec(const PoolConfig& config) {
  const std::vector<std::size_t> first = FirstOfKinds(config);
  std::vector<NamedSpec> specs;
  PoolSpec made;
  for (std::size_t kind = 0; kind < first.size(); ++kind) {
    made.of_kinds.push_back(SpecOf(config.kinds[kind], config.OptionsOf(first[kind])));
    specs.push_back({config.kinds[kind].name, made.of_kinds.back()});
  }
  made.common = CommonSpec(specs);
  if (config.layout.final_rows && made.common.max_num_players > 1) {
    throw std::invalid_argument(
        "auto-reset in the same step is only for environments of one player");
  }
  for (std::size_t env = 1; env < config.options.size(); ++env) {
    const std::size_t kind = config.KindIndex(env);
    // Mostly these are the same, and a spec may take long.
    if (config.options[env].Entries() == config.OptionsOf(first[kind]).Entries()) continue;
    if (config.kinds[kind].type->spec(config.options[env]) == made.of_kinds[kind]) continue;
    throw std::invalid_argument(
        "environment " + std::to_string(env) +
        " has options that give it other spaces than environment " + std::to_string(first[kind]) +
        "'s: " + NamesOfDiffering(config.options[env], config.OptionsOf(first[kind])));
  }
  return made;
}

}  // namespace

PoolSpec MakePoolSpec(const PoolConfig& config, Interrupt interrupt) {
  return RunAside<PoolSpec>([config] { return CheckedSpec(config); }, interrupt);
}

}  // namespace envpool
