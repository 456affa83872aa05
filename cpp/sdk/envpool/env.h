// Env: what an environment's author implements.
//
// An environment works in two phases. Reset and Step advance its state; Observe writes what the
// agent sees. The executor owns everything that environments have in common: episode length and
// truncation, auto-reset, seeds, ids and episode statistics.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "envpool/archive.h"
#include "envpool/options.h"
#include "envpool/random.h"
#include "envpool/views.h"

namespace envpool {

struct StepResult {
  double reward = 0.0;
  bool terminated = false;
  bool truncated = false;  // only if the environment itself cuts an episode short
};

class Env {
 public:
  Env() = default;
  Env(const Env&) = delete;
  Env& operator=(const Env&) = delete;
  virtual ~Env() = default;

  // Starts an episode. `options` has the environment's reset options, defaults included.
  virtual void Reset(Random& random, const Options& options) = 0;

  virtual StepResult Step(const Action& action, Random& random) = 0;

  // Writes every element of every observation and info field.
  virtual void Observe(const Row& row) const = 0;

  // Only for several players: how many there are now, at most Spec::max_num_players, and what the
  // last Step gave each of them (after a Reset the executor reports 0).
  virtual int NumPlayers() const { return 1; }
  virtual double PlayerReward(int /*player*/) const { return 0.0; }

  // Everything that Reset and Step change, for snapshots: after reading what another environment
  // with the same options wrote, this one must go on as that one would. (The random generator, the
  // options and what the executor owns are not the environment's to write.)
  virtual void Serialize(Archive& /*archive*/) {
    throw std::runtime_error("this environment has no snapshots");
  }

  // What the environment has warned of since it was last asked; null if of nothing.
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

}  // namespace envpool
