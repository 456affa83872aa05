// Choices: what an environment's episodes begin with. A reset that is given a seed or options
// chooses it, a call about the next episode, or a list for all episodes.
//
// The thread that may touch the environment's slot may touch its Choices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "envpool/options.h"

namespace envpool {

// What an episode begins with. If nothing is in it, it begins as one that was not chosen.
struct Choice {
  std::optional<std::uint64_t> seed = {};
  std::shared_ptr<const Options> options = nullptr;  // or the defaults
  std::optional<std::string> state = {};             // a snapshot: the episode begins there
  std::string noted = {};                            // what a recording says of it

  bool IsEmpty() const { return !seed && !options && !state; }
};

class Choices {
 public:
  // The requested reset is given this, which comes before all other choices. An empty choice stands
  // for a reset that is given nothing.
  void Give(Choice choice) {
    if (choice.seed) seed_ = choice.seed;
    given_ = choice.IsEmpty() ? nullptr : std::make_unique<Choice>(std::move(choice));
  }
  // The next episode begins with this, whoever begins it.
  void SetNext(Choice choice) { next_ = std::make_unique<Choice>(std::move(choice)); }
  // Episode i begins with choice i; after the last choice comes the first one again.
  void SetAll(std::vector<Choice> choices) { all_ = std::move(choices); }

  const Choice* Given() const { return given_.get(); }
  // Null if nothing was chosen of the next episode but by the reset that begins it.
  const Choice* Next() const { return next_ ? next_.get() : At(num_begun_); }
  // What the last episode that has begun began with; null if nothing was chosen.
  const Choice* Begun() const { return begun_ ? begun_.get() : At(num_begun_ - 1); }
  std::int64_t NumBegun() const { return num_begun_; }
  // The seed that a reset was given last, or an episode began with.
  std::optional<std::uint64_t> LastSeed() const { return seed_; }

  // An episode has begun. What was chosen of it holds no more.
  void Begin() {
    begun_ = std::move(given_ ? given_ : next_);
    given_.reset();
    next_.reset();
    ++num_begun_;
    const Choice* begun = Begun();
    if (begun == nullptr) return;
    if (begun->seed) seed_ = begun->seed;
    if (begun_ && begun_->state) begun_->state = std::string();  // which may be large
  }

 private:
  const Choice* At(std::int64_t episode) const {
    if (all_.empty() || episode < 0) return nullptr;
    return &all_[static_cast<std::size_t>(episode) % all_.size()];
  }

  std::unique_ptr<Choice> given_;
  std::unique_ptr<Choice> next_;
  std::unique_ptr<Choice> begun_;
  std::vector<Choice> all_;
  std::int64_t num_begun_ = 0;
  std::optional<std::uint64_t> seed_;
};

}  // namespace envpool
