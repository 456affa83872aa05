// States: the options of environments, and their states as snapshots that fit them.
//
// Nothing here is quick: an environment may have to live through an episode again to read a state.
// So it all happens while a call has borrowed the environment, and for several at the same time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "environments/environments.h"
#include "environments/snapshot.h"
#include "loading/pool_config.h"
#include "loading/pool_spec.h"

namespace envpool {

class States {
 public:
  // What is referred to outlives it.
  States(const PoolSpec& spec, const PoolConfig& config, Environments& environments);

  const Options& OptionsOf(std::int32_t env) const {
    return *options_[static_cast<std::size_t>(env)];
  }

  std::string Save(std::int32_t env);

  // The state in a snapshot, if it is one for this environment. Throws std::invalid_argument, with
  // a message that begins with `name`, if not.
  std::string Open(std::int32_t env, std::string_view snapshot, const std::string& name) const;

  // Gives it a state that was opened for it. Throws std::runtime_error if the environment fails to
  // read what one like it wrote; it is broken then.
  void Load(std::int32_t env, std::string_view state) { environments_.Load(env, state); }

  // An environment with the options that it was made with.
  struct Made {
    std::unique_ptr<Env> env;
    std::shared_ptr<const Options> options;
  };

  // To give an environment other options, make another one, copy the state, and exchange both.

  // Throws std::invalid_argument if these options would change the environment's spaces.
  Made Make(std::int32_t env, Options options) const;
  void CopyState(std::int32_t from, Env& to);
  void Exchange(std::int32_t env, Made& other) noexcept;

 private:
  SnapshotKey KeyOf(std::int32_t env) const;

  const PoolSpec& spec_;
  const PoolConfig& config_;
  Environments& environments_;
  std::vector<std::shared_ptr<const Options>> options_;  // of each environment
};

}  // namespace envpool
