// Episode: what a simulation was given since its episode began.
//
// Box2D's worlds can be neither copied nor saved: bodies, contacts and the tree of shapes point to
// each other, and the order of each list matters. But the same calls make the same world, bit for
// bit. So a snapshot holds the episode, and whoever reads it goes through it again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "envpool/archive.h"
#include "envpool/options.h"
#include "envpool/random.h"
#include "envpool/views.h"

namespace envpool::box2d {

// `Settings` are the options that may change while an episode goes on, with == and a Serialize.
template <class Settings>
class Episode {
 public:
  // An action is `action_size` numbers, or if there are `choices`, one of these. `settings` are the
  // environment's own.
  Episode(std::size_t action_size, int choices, const Settings& settings)
      : action_size_(choices > 0 ? 1 : action_size),
        choices_(choices),
        settings_(settings),
        start_settings_(settings) {}

  // `free_nodes` is the world's, for a world that outlives its episodes; see World::FreeNodes.
  void Begin(const Random& random, std::vector<std::int32_t> free_nodes = {}) {
    random_ = random;
    free_nodes_ = std::move(free_nodes);
    actions_.clear();
    start_settings_ = settings_;
    changes_.clear();
    has_begun_ = true;
  }

  // True if there was a reset at all.
  bool HasBegun() const { return has_begun_; }

  // Keeps an action, and returns its numbers.
  std::span<const float> Add(const Action& action) {
    if (choices_ > 0) {
      actions_.push_back(static_cast<float>(action.Value<std::int32_t>()));
    } else {
      const auto numbers = action.Values<float>();
      actions_.insert(actions_.end(), numbers.begin(), numbers.end());
    }
    return ActionOf(Steps() - 1);
  }

  // Return the generator, and the tree's order, as they were before the reset.
  const Random& StartRandom() const { return random_; }
  std::span<const std::int32_t> FreeNodes() const { return free_nodes_; }

  std::size_t Steps() const { return actions_.size() / action_size_; }
  std::span<const float> ActionOf(std::size_t step) const {
    return std::span(actions_).subspan(step * action_size_, action_size_);
  }

  // Return the settings that the reset used, those of a step, and those of steps to come.
  const Settings& StartSettings() const { return start_settings_; }
  const Settings& SettingsOf(std::size_t step) const {
    const Settings* settings = &start_settings_;
    for (const Change& change : changes_) {
      if (change.step <= step) settings = &change.settings;
    }
    return *settings;
  }
  const Settings& CurrentSettings() const { return settings_; }

  // An episode that another environment wrote goes on with the settings of this one.
  void Serialize(Archive& archive) {
    archive(has_begun_, random_);
    archive.Any(free_nodes_);
    // The pool lets no NaN through, which would stay in the world for ever.
    const Limits limits = choices_ > 0 ? Limits{0.0, choices_ - 1.0} : kAnyNumber;
    archive.Range(actions_, limits.least, limits.most);
    archive(start_settings_, changes_);
    if (!archive.IsReader()) return;
    archive.Require(actions_.size() % action_size_ == 0, "a part of an action");
    const auto not_before =
        std::ranges::adjacent_find(changes_, std::ranges::greater_equal(), &Change::step);
    archive.Require(not_before == changes_.end(), "changes in no order");
    while (!changes_.empty() && changes_.back().step >= Steps()) changes_.pop_back();
    if (SettingsOf(Steps()) != settings_) changes_.push_back({Steps(), settings_});
  }

 private:
  // A Change has the settings from a step on.
  struct Change {
    std::uint64_t step = 0;
    Settings settings;

    void Serialize(Archive& archive) {
      archive.Any(step);
      archive(settings);
    }
  };

  const std::size_t action_size_;
  const int choices_;
  const Settings settings_;
  bool has_begun_ = false;
  Random random_;
  std::vector<std::int32_t> free_nodes_;
  std::vector<float> actions_;  // one after the other
  Settings start_settings_;
  std::vector<Change> changes_;  // the earliest first
};

}  // namespace envpool::box2d
