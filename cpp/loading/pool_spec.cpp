#include "loading/pool_spec.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "envpool/options.h"
#include "loading/require.h"
#include "loading/spec_check.h"
#include "threads/visits.h"

namespace envpool {

namespace {

// Which environment is the first of its kind.
std::vector<std::size_t> FirstOfKinds(const PoolConfig& config) {
  std::vector<std::size_t> first(config.kinds.size());
  for (auto env = static_cast<std::size_t>(config.num_envs); env-- > 0;) {
    first[config.KindIndex(env)] = env;
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

// Between brackets. (GCC 12 warns of a literal that is put in front of a string.)
template <class T, class ToText>
std::string Listed(const std::vector<T>& values, ToText to_text) {
  std::string text(1, '[');
  for (const T& value : values) {
    if (text.size() > 1) text += ", ";
    text += to_text(value);
  }
  return text + "]";
}

std::string NamesOf(const std::vector<Field>& fields) {
  return Listed(fields, [](const Field& field) { return "'" + field.name + "'"; });
}

std::string ToText(const Bounds& bounds) {
  return bounds.size() == 1 ? Shortest(bounds[0]) : Listed(bounds, Shortest);
}

const char* ToText(Space space) {
  constexpr const char* kNames[] = {"Box", "Discrete", "MultiDiscrete", "MultiBinary"};
  return kNames[static_cast<std::size_t>(space)];
}

const char* ToText(Structure structure) {
  constexpr const char* kNames[] = {"a single array", "a dict", "a tuple"};
  return kNames[static_cast<std::size_t>(structure)];
}

const char* ToText(bool value) { return value ? "yes" : "no"; }

// Environments may have fewer of these actions than the pool.
bool MayBeFewer(const Field& field) { return field.space == Space::kDiscrete; }

// Throws, with the first difference, unless two kinds have in common what they must.
void RequireSame(const NamedSpec& first, const NamedSpec& other) {
  const auto same = [&](const std::string& trait, const std::string& in_one,
                        const std::string& in_other) {
    Require(in_one == in_other, first.name + " and " + other.name +
                                    " don't go together in one pool: " + trait + " is " + in_one +
                                    " in the one and " + in_other + " in the other");
  };
  const auto same_fields = [&](const std::string& what, const std::vector<Field>& ones,
                               const std::vector<Field>& others, bool are_actions = false) {
    same("the list of " + what + "s", NamesOf(ones), NamesOf(others));
    for (std::size_t i = 0; i < ones.size(); ++i) {
      const Field &one = ones[i], &its = others[i];
      const std::string of = " of the " + what + " '" + one.name + "'";
      same("the dtype" + of, NameOf(one.dtype), NameOf(its.dtype));
      same("the shape" + of, ShapeText(one.shape), ShapeText(its.shape));
      same("the space" + of, ToText(one.space), ToText(its.space));
      same("the least value" + of, ToText(one.low), ToText(its.low));
      if (!are_actions || !MayBeFewer(one)) {
        same("the largest value" + of, ToText(one.high), ToText(its.high));
      }
      same("a row per player" + of, ToText(one.per_player), ToText(its.per_player));
      same("whether it matters which dtype is given" + of, ToText(one.records_type),
           ToText(its.records_type));
    }
  };
  const Spec &one = first.spec, &its = other.spec;
  same("max_num_players", std::to_string(one.max_num_players), std::to_string(its.max_num_players));
  same("the structure of observations", ToText(one.observation_structure),
       ToText(its.observation_structure));
  same_fields("observation", one.observation, its.observation);
  same("the structure of actions", ToText(one.action_structure), ToText(its.action_structure));
  same_fields("action", one.action, its.action, true);
  same_fields("info", one.info, its.info);
}

}  // namespace

PoolSpec MakePoolSpec(const PoolConfig& config, Interrupt interrupt) {
  return RunAside<PoolSpec>([config] { return CheckedSpec(config); }, interrupt);
}

Spec CommonSpec(std::span<const NamedSpec> specs) {
  Spec common = specs.front().spec;
  for (const NamedSpec& other : specs.subspan(1)) {
    RequireSame(specs.front(), other);
    for (std::size_t i = 0; i < common.action.size(); ++i) {
      if (!MayBeFewer(common.action[i])) continue;
      common.action[i].high = std::max(common.action[i].high, other.spec.action[i].high);
    }
  }
  return common;
}

}  // namespace envpool
