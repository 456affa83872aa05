// Env: what an environment's author implements.
//
// An environment works in two phases. Reset and Step advance its state; Observe writes what the
// agent sees. The executor owns everything that environments have in common: episode length and
// truncation, auto-reset, seeds, ids and episode statistics.
#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "envpool/archive.h"
#include "envpool/options.h"
#include "envpool/random.h"
#include "envpool/views.h"

namespace envpool {

struct StepResult {
  double reward = 0.0;
  float discount = 1.0F;  // dm_env's; where the episode terminates it is 0 whatever this says
  bool terminated = false;
  bool truncated = false;  // only if the environment itself cuts an episode short
};

// A Frame is a picture to draw: RGB, one byte each, rows from the top.
struct Frame {
  int width = 0;
  int height = 0;
  int camera = -1;                 // -1: the environment's own view
  std::span<std::uint8_t> pixels;  // height * width * 3, all of them to be written
};

// A Scene is what a picture shows, for Python to draw: named lists of numbers.
using Scene = std::map<std::string, std::vector<double>>;

class Env {
 public:
  Env() = default;
  Env(const Env&) = delete;
  Env& operator=(const Env&) = delete;
  virtual ~Env() = default;

  // `random` was just made anew from this seed, because the environment is new or by
  // reset(seed=...). For environments that do not use it as default_rng(seed), or have an engine to
  // seed. Must not throw.
  virtual void Seed(std::uint64_t /*seed*/, Random& /*random*/) {}

  // Starts an episode. `options` has the environment's reset options, defaults included.
  virtual void Reset(Random& random, const Options& options) = 0;

  virtual StepResult Step(const Action& action, Random& random) = 0;

  // True if the last episode ended before the game does, as by the loss of a life. Then the next
  // starts with Continue, not with Reset, and to the executor, both are one: elapsed_step, the time
  // limit and the episode's statistics run on. (After the time limit, a new seed or a failure, it
  // is a Reset all the same.)
  virtual bool CanContinue() const { return false; }
  virtual void Continue(Random& /*random*/) {}

  // True if the environment can be stepped and observed. Only one that cannot before its first
  // Reset overrides this; it is asked when it has read a state.
  virtual bool HasBegun() const { return true; }

  // Writes every element of every observation and info field.
  virtual void Observe(const Row& row) const = 0;

  // For several players only: NumPlayers is how many there are now, at most Spec::max_num_players;
  // PlayerReward is what the last Step gave each of them (after a Reset the executor reports 0).
  virtual int NumPlayers() const { return 1; }
  virtual double PlayerReward(int /*player*/) const { return 0.0; }

  // Transfers everything that Seed, Reset, Continue and Step change, for snapshots: after reading
  // what another environment with the same options wrote, this one must go on as that one would.
  // (The random generator, the options and what the executor owns are not the environment's to
  // write.) Called on any threads, for several environments at the same time.
  virtual void Serialize(Archive& /*archive*/) {
    throw std::runtime_error("this environment has no snapshots");
  }

  // Draws the environment as it is; only after a Reset. Must not change what Reset, Step and
  // Observe do. Several environments draw at the same time, each at most one picture, on any
  // threads. Throws std::invalid_argument if there is no such camera.
  virtual void Render(const Frame& /*frame*/) {
    throw std::runtime_error("this environment cannot be rendered");
  }

  // Replaces Render where the family's Python package draws with Gymnasium's own renderer: returns
  // the numbers that this needs, by the names that its `drawing` module reads. Called like Render.
  virtual Scene Describe() const {
    throw std::runtime_error("this environment cannot be rendered");
  }

  // Takes on a state that a user has made up, given as Describe would tell it. Called only after a
  // Reset. Throws std::invalid_argument if it is none, and has changed nothing then.
  virtual void Assume(const Scene& /*scene*/) {
    throw std::runtime_error("the state of this environment cannot be set");
  }

  // Gives back what is made anew on use, such as a window or a graphics context: the pool was
  // closed. Must not throw.
  virtual void Release() {}

  // Returns what beside its options makes the environment go on differently from another one, such
  // as the content of a file that an option names: one "name=value", or nothing. A state is refused
  // where this differs.
  virtual std::string Fingerprint() const { return {}; }

  // TakeWarning returns what the environment has warned of since the last call; null if of nothing.
  bool HasWarning() const { return warning_ != nullptr; }
  std::unique_ptr<std::string> TakeWarning() { return std::move(warning_); }

 protected:
  // Tells the user of something that is no failure, such as an unstable simulation: it becomes a
  // Python warning when the current result is received.
  void Warn(const std::string& message) {
    warning_ = std::make_unique<std::string>(warning_ ? *warning_ + "; " + message : message);
  }

 private:
  std::unique_ptr<std::string> warning_;
};

// A Turn is the step of one of several environments: see EnvType::step_together.
struct Turn {
  Env& env;
  const Action action;
  Random& random;
  StepResult result = {};
  std::exception_ptr failure = nullptr;  // what the step threw, if it did
};

}  // namespace envpool
