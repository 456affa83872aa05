// ConfigurableEnv: an environment whose resets may give numbers of upstream's `config`. The episode
// is that of an environment which was made with them.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "envpool/env.h"
#include "envpool/options.h"

namespace envpool::highway {

class ConfigurableEnv final : public Env {
 public:
  // Makes an environment. Throws std::invalid_argument if the options do not go together.
  using Maker = std::function<std::unique_ptr<Env>(const Options& options)>;

  using Specs = std::vector<OptionSpec>;

  // Returns the options of resets of an environment that has these options.
  static Specs ResetOptionsOf(const Specs& options);

  ConfigurableEnv(const Options& options, std::shared_ptr<const Specs> reset_options, Maker make);

  void Reset(Random& random, const Options& options) override;
  StepResult Step(const Action& action, Random& random) override {
    return env_->Step(action, random);
  }
  void Observe(const Row& row) const override { env_->Observe(row); }
  int NumPlayers() const override { return env_->NumPlayers(); }
  double PlayerReward(int player) const override { return env_->PlayerReward(player); }
  bool HasBegun() const override { return env_->HasBegun(); }
  void Serialize(Archive& archive) override;
  Scene Describe() const override { return env_->Describe(); }

 private:
  // As many as there are options of resets; NaN for those that are not given.
  using Numbers = std::vector<double>;

  void Configure(const Numbers& numbers);
  Options With(const Numbers& numbers) const;

  const Options options_;
  const std::shared_ptr<const Specs> reset_options_;
  const Maker make_;
  std::unique_ptr<Env> env_;
  Numbers numbers_;  // that the environment was made with
};

}  // namespace envpool::highway
