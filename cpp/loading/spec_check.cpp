#include "loading/spec_check.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <stdexcept>
#include <string_view>

#include "envpool/options.h"
#include "loading/require.h"
#include "results/own_columns.h"

namespace envpool {

namespace {

// True for identifiers with single blanks between them, as keys of nested dicts may be.
bool IsPhrase(std::string_view name) {
  const std::size_t blank = name.find(' ');
  if (blank == std::string_view::npos) return IsIdentifier(name);
  return IsIdentifier(name.substr(0, blank)) && IsPhrase(name.substr(blank + 1));
}

// Names of fields that become keys of the same dicts.
class Keys {
 public:
  // The pool has keys of its own there.
  explicit Keys(std::initializer_list<const char*> own) {
    for (const char* name : own) AddOwn(name);
  }

  void AddOwn(const std::string& name) { owners_[name] = "the pool's own "; }

  void Add(const std::string& what, const std::string& name) {
    for (std::size_t begin = 0, dot = 0; dot != std::string::npos; begin = dot + 1) {
      dot = name.find('.', begin);
      const std::string_view part = std::string_view(name).substr(begin, dot - begin);
      Require(
          begin == 0 ? IsIdentifier(part) : IsPhrase(part),
          what + ": expected letters, digits and _, a letter first; dots nest, as in 'arm.angle'");
    }
    for (const auto& [other, owner] : owners_) {
      Require(other != name,
              what + " has the name of " + (owner.empty() ? "another" : owner + "key"));
      Require(!IsInside(other, name) && !IsInside(name, other),
              what + " overlaps with " + owner + "'" + other +
                  "': one key cannot be both an array and a dict of others");
    }
    owners_[name] = "";
  }

 private:
  // True if it is "a.b" in "a".
  static bool IsInside(const std::string& name, const std::string& outer) {
    return name.starts_with(outer) && name[outer.size()] == '.';
  }

  std::map<std::string, std::string> owners_;
};

void RequireShape(const std::string& what, const Field& field) {
  constexpr std::size_t kMostElements = std::size_t{1} << 40;  // whose bytes can still be counted
  Require(field.shape.size() <= kMostDimensions,
          what + " has more than " + std::to_string(kMostDimensions) + " dimensions");
  std::size_t elements = 1;
  for (const int size : field.shape) {
    Require(size >= 0, what + " has a negative size, " + std::to_string(size) + ", in its shape");
    elements *= static_cast<std::size_t>(size);
    Require(elements <= kMostElements, what + " has more than 2^40 elements");
  }
}

void RequireBounds(const std::string& what, const Field& field) {
  for (const auto& [name, bounds] : {std::pair("low", &field.low), {"high", &field.high}}) {
    Require(bounds->size() == 1 || bounds->size() == field.Elements(),
            what + " has " + std::to_string(bounds->size()) + " numbers in `" + name +
                "`, expected one for all elements, or " + std::to_string(field.Elements()));
  }
  for (std::size_t i = 0; i < std::max(field.low.size(), field.high.size()); ++i) {
    const double low = field.low[field.low.size() == 1 ? 0 : i];
    const double high = field.high[field.high.size() == 1 ? 0 : i];
    if (low <= high) continue;
    throw std::invalid_argument(what + " has the bounds " + Shortest(low) + " and " +
                                Shortest(high) + ", with nothing between them");
  }
}

void RequireSpace(const std::string& what, const Field& field) {
  if (field.space == Space::kBox) return;
  Require(!IsFloat(field.dtype), what + " has the dtype " + NameOf(field.dtype) +
                                     ", expected integers: only a Box has others");
  if (field.space == Space::kDiscrete) {
    Require(field.shape.empty(), what + " is Discrete, a single number, but has a shape");
  }
  const auto is_finite = [](double bound) { return std::isfinite(bound); };
  Require(std::ranges::all_of(field.low, is_finite) && std::ranges::all_of(field.high, is_finite),
          what + " has an infinite bound: only a Box has such");
}

void RequireFields(const std::string& type, const char* kind, const std::vector<Field>& fields,
                   std::initializer_list<Keys*> keys) {
  for (const Field& field : fields) {
    const std::string what = type + "'s " + kind + " '" + field.name + "'";
    for (Keys* others : keys) others->Add(what, field.name);
    RequireShape(what, field);
    RequireBounds(what, field);
    RequireSpace(what, field);
  }
}

void RequireStructure(const std::string& type, const char* kind, Structure structure,
                      const std::vector<Field>& fields) {
  const std::string which =
      type + " has " + std::to_string(fields.size()) + " fields in its " + kind;
  Require(!fields.empty(), which + ", expected at least one");
  Require(structure != Structure::kSingle || fields.size() == 1,
          which + ", which is a single array: say whether they are a dict or a tuple, as by ." +
              kind + "_structure = Structure::kDict");
}

}  // namespace

void RequireSound(const std::string& type, const Spec& spec) {
  Require(spec.max_num_players >= 1,
          type + " has max_num_players = " + std::to_string(spec.max_num_players) +
              ", expected at least 1");
  RequireStructure(type, "observation", spec.observation_structure, spec.observation);
  RequireStructure(type, "action", spec.action_structure, spec.action);
  // In dm_env's API, infos are a part of the observation.
  Keys infos{"final_obs", "final_info"};
  for (const OwnColumn& own : OwnColumnTable()) {
    if (own.is_info) infos.AddOwn(own.field.name);
  }
  Keys observations{"episode"};  // the statistics'; an info of that name makes room for them
  Keys actions{"env_id", "players.env_id"};
  RequireFields(type, "observation", spec.observation, {&infos, &observations});
  RequireFields(type, "info", spec.info, {&infos});
  RequireFields(type, "action", spec.action, {&actions});
}

}  // namespace envpool
