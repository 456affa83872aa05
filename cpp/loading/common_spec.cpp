#include "loading/common_spec.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "envpool/options.h"

namespace envpool {

namespace {

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
