#include "environments/states.h"

#include <stdexcept>
#include <utility>

namespace envpool {

States::States(const PoolSpec& spec, const PoolConfig& config, Environments& environments)
    : spec_(spec), config_(config), environments_(environments) {
  for (const Options& options : config.options) {
    options_.push_back(std::make_shared<const Options>(options));
  }
  options_.resize(static_cast<std::size_t>(config.num_envs),
                  std::shared_ptr<const Options>(options_[0]));
}

SnapshotKey States::KeyOf(std::int32_t env) const {
  const Kind& kind = config_.KindOf(static_cast<std::size_t>(env));
  std::vector<std::string> settings = DescribeSettings(OptionsOf(env), kind.max_episode_steps);
  if (std::string fingerprint = environments_.At(env).Fingerprint(); !fingerprint.empty()) {
    settings.push_back(std::move(fingerprint));
  }
  return {kind.type->name, kind.type->state_version, std::move(settings)};
}

std::string States::Save(std::int32_t env) {
  std::string state;
  Archive archive = Archive::Writer(state);
  environments_.Serialize(env, archive);
  return SealSnapshot(KeyOf(env), std::move(state));
}

std::string States::Open(std::int32_t env, std::string_view snapshot,
                         const std::string& name) const {
  return OpenSnapshot(KeyOf(env), snapshot, name);
}

States::Made States::Make(std::int32_t env, Options options) const {
  const std::size_t kind = config_.KindIndex(static_cast<std::size_t>(env));
  const EnvType& type = *config_.kinds[kind].type;
  if (type.spec(options) != spec_.of_kinds[kind]) {
    throw std::invalid_argument("these options would change the spaces of " + type.name);
  }
  std::unique_ptr<Env> made = type.create(options);
  return {std::move(made), std::make_shared<const Options>(std::move(options))};
}

void States::CopyState(std::int32_t from, Env& to) {
  std::string state;
  Archive writer = Archive::Writer(state);
  environments_.At(from).Serialize(writer);
  Archive reader = Archive::Reader(state);
  try {
    to.Serialize(reader);
  } catch (const std::invalid_argument& error) {  // it was made for other options
    throw std::invalid_argument("the state of an episode under way does not fit these options: " +
                                std::string(error.what()) + ": make a pool with them");
  }
}

void States::Exchange(std::int32_t env, Made& other) noexcept {
  environments_.Exchange(env, other.env);
  options_[static_cast<std::size_t>(env)].swap(other.options);
}

}  // namespace envpool
