#include "vizdoom/action_set.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "vizdoom/names.h"

namespace envpool::vizdoom {

namespace {

constexpr int kSpeed = 8;
constexpr int kFirstWeapon = 21;
constexpr int kLastWeapon = 30;
constexpr double kMostActions = 1e6;
constexpr int kNumButtons = 43;
// The first of two buttons, of which at most one is pressed; the other has the next number.
constexpr std::array kPairs = {10, 12, 14, 16, 18, 31, 35};

// A place among the buttons of an action, and what it gets.
using Press = std::pair<std::size_t, double>;
// What may be pressed of some buttons, at most one of them: nothing is one of the alternatives.
using Alternatives = std::vector<std::optional<Press>>;

class Places {
 public:
  explicit Places(std::span<const Button> buttons) {
    for (std::size_t i = 0; i < buttons.size(); ++i) {
      const auto number = static_cast<std::size_t>(buttons[i]);
      if (number < kNumButtons) places_[number] = i;
    }
  }

  std::optional<std::size_t> operator[](int button) const {
    return places_[static_cast<std::size_t>(button)];
  }

  // Returns the alternatives of none or one of these buttons, as far as they are there.
  Alternatives NoneOrOne(int first, int last) const {
    Alternatives alternatives = {std::nullopt};
    for (int button = first; button <= last; ++button) {
      if (const auto place = (*this)[button]) alternatives.emplace_back(Press(*place, 1.0));
    }
    return alternatives;
  }

 private:
  std::array<std::optional<std::size_t>, kNumButtons> places_ = {};
};

Alternatives OfDelta(std::size_t place, const DeltaValues& values) {
  if (values.count <= 1) return {std::nullopt};
  const float step = (values.high - values.low) / static_cast<float>(values.count - 1);
  Alternatives alternatives;
  float value = values.low;
  for (int i = 0; i < values.count; ++i, value += step) {
    alternatives.emplace_back(Press(place, static_cast<double>(value)));
  }
  return alternatives;
}

std::vector<Alternatives> AllAlternatives(const Places& places, bool forces_speed,
                                          const std::map<Button, DeltaValues>& deltas) {
  std::vector<Alternatives> all;
  for (int button = 0; button < kNumButtons; ++button) {
    if (button == kFirstWeapon) {
      all.push_back(places.NoneOrOne(kFirstWeapon, kLastWeapon));
      button = kLastWeapon;
      continue;
    }
    const auto place = places[button];
    if (!place) continue;
    if (IsDelta(Button{button})) {
      const auto values = deltas.find(static_cast<Button>(button));
      if (values != deltas.end()) all.push_back(OfDelta(*place, values->second));
    } else if (button == kSpeed && forces_speed) {
      all.push_back({Press(*place, 1.0)});
    } else {
      const bool is_pair = std::ranges::find(kPairs, button) != kPairs.end() && places[button + 1];
      all.push_back(places.NoneOrOne(button, is_pair ? button + 1 : button));
      button += is_pair;
    }
  }
  return all;
}

}  // namespace

std::vector<std::vector<double>> MakeActionSet(std::span<const Button> buttons, bool forces_speed,
                                               const std::map<Button, DeltaValues>& deltas) {
  const std::vector<Alternatives> all = AllAlternatives(Places(buttons), forces_speed, deltas);
  double count = 1.0;
  for (const Alternatives& one : all) count *= static_cast<double>(one.size());
  if (count > kMostActions) {
    throw std::invalid_argument("use_combined_action: there are " + std::to_string(count) +
                                " combinations of these buttons, expected at most a million");
  }
  std::vector<std::vector<double>> actions = {std::vector<double>(buttons.size())};
  for (const Alternatives& one : all) {
    std::vector<std::vector<double>> longer;
    for (const std::vector<double>& action : actions) {
      for (const std::optional<Press>& press : one) {
        longer.push_back(action);
        if (press) longer.back()[press->first] = press->second;
      }
    }
    actions = std::move(longer);
  }
  return actions;
}

std::vector<double> FirstAction(std::span<const Button> buttons, bool forces_speed,
                                const std::map<Button, DeltaValues>& deltas) {
  std::vector<double> action(buttons.size());
  for (const Alternatives& one : AllAlternatives(Places(buttons), forces_speed, deltas)) {
    if (const auto press = one.front()) action[press->first] = press->second;
  }
  return action;
}

}  // namespace envpool::vizdoom
