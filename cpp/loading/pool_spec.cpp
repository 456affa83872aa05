#include "loading/pool_spec.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "envpool/options.h"
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

// Something that kinds must have in common, in words.
struct Trait {
  std::string name;
  std::string value;
};

// Between two brackets. (GCC 12 warns of a literal that is put in front of a string.)
template <class T, class ToText>
std::string Listed(std::string_view brackets, const std::vector<T>& values, ToText to_text) {
  std::string text(1, brackets.front());
  for (const T& value : values) {
    if (text.size() > 1) text += ", ";
    text += to_text(value);
  }
  text += brackets.back();
  return text;
}

std::string ToText(const Bounds& bounds) {
  if (bounds.size() == 1) return Shortest(bounds[0]);
  return Listed("[]", bounds, Shortest);
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

void AddTraits(std::vector<Trait>& traits, const std::string& what,
               const std::vector<Field>& fields, bool are_actions) {
  const auto name_of = [](const Field& field) { return "'" + field.name + "'"; };
  traits.push_back({"the list of " + what + "s", Listed("[]", fields, name_of)});
  for (const Field& field : fields) {
    const std::string of = " of the " + what + " '" + field.name + "'";
    const auto size = [](int length) { return std::to_string(length); };
    traits.push_back({"the dtype" + of, NameOf(field.dtype)});
    traits.push_back({"the shape" + of, Listed("()", field.shape, size)});
    traits.push_back({"the space" + of, ToText(field.space)});
    traits.push_back({"the least value" + of, ToText(field.low)});
    if (!are_actions || !MayBeFewer(field)) {
      traits.push_back({"the largest value" + of, ToText(field.high)});
    }
    traits.push_back({"a row per player" + of, ToText(field.per_player)});
    traits.push_back({"whether it matters which dtype is given" + of, ToText(field.records_type)});
  }
}

std::vector<Trait> TraitsOf(const Spec& spec) {
  std::vector<Trait> traits;
  traits.push_back({"max_num_players", std::to_string(spec.max_num_players)});
  traits.push_back({"the structure of observations", ToText(spec.observation_structure)});
  AddTraits(traits, "observation", spec.observation, false);
  traits.push_back({"the structure of actions", ToText(spec.action_structure)});
  AddTraits(traits, "action", spec.action, true);
  AddTraits(traits, "info", spec.info, false);
  return traits;
}

// The names come before what has them, so the first difference is of traits of the same name.
void RequireSame(const NamedSpec& first, const NamedSpec& other) {
  const std::vector<Trait> expected = TraitsOf(first.spec), traits = TraitsOf(other.spec);
  for (std::size_t i = 0; i < std::min(expected.size(), traits.size()); ++i) {
    if (expected[i].value == traits[i].value) continue;
    throw std::invalid_argument(
        first.name + " and " + other.name + " don't go together in one pool: " + traits[i].name +
        " is " + expected[i].value + " in the one and " + traits[i].value + " in the other");
  }
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
