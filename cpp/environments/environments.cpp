#include "environments/environments.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "threads/visits.h"

namespace envpool {

namespace {

// On threads of their own. If it is interrupted, what is being made is left to them.
std::vector<std::unique_ptr<Env>> MakeEnvs(const PoolConfig& config, Interrupt interrupt) {
  struct Shared {
    PoolConfig config;
    std::vector<std::unique_ptr<Env>> envs;
  };
  const auto count = static_cast<std::size_t>(config.num_envs);
  const auto shared = std::make_shared<Shared>(Shared{config, {}});
  shared->envs.resize(count);
  const auto make = [shared](std::size_t env) {
    const PoolConfig& wanted = shared->config;
    shared->envs[env] = wanted.KindOf(env).type->create(wanted.OptionsOf(env));
  };
  const auto most_threads = static_cast<std::size_t>(config.num_threads);
  Visits({.count = count, .most_threads = most_threads}, make, kNeverClosing).Run(interrupt);
  return std::move(shared->envs);
}

std::vector<Episodes::OfKind> EpisodesOfKinds(const PoolConfig& config) {
  std::vector<Episodes::OfKind> kinds;
  for (const Kind& kind : config.kinds) {
    kinds.push_back({Options(kind.type->reset_options), kind.type->step_together});
  }
  return kinds;
}

}  // namespace

Environments::Environments(const PoolConfig& config, const PoolSpec& spec, const Layout& layout,
                           Interrupt interrupt)
    : config_(config),
      spec_(spec),
      max_players_(spec.common.max_num_players),
      slots_(static_cast<std::size_t>(config.num_envs)),
      rare_(slots_.size()),
      actions_(spec.common.action, slots_.size(), layout.max_players),
      final_rows_(layout, slots_.size()),
      failures_{config.most_failures},
      episodes_(EpisodesOfKinds(config), config.autoreset_mode, max_players_, slots_, rare_,
                actions_, final_rows_, failures_),
      results_(layout, slots_, rare_, final_rows_, episodes_) {
  player_counts_.reserve(slots_.size());
  for (const Options& options : config.options) {
    options_.push_back(std::make_shared<const Options>(options));
  }
  options_.resize(slots_.size(), std::shared_ptr<const Options>(options_[0]));
  std::vector<std::unique_ptr<Env>> made = MakeEnvs(config, interrupt);
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    slots_[i].env = std::move(made[i]);
    slots_[i].kind = static_cast<std::int32_t>(config.KindIndex(i));
    slots_[i].max_episode_steps = config.KindOf(i).max_episode_steps;
    slots_[i].CountPlayers(max_players_);
    Seed(slots_[i], rare_[i], config.seeds[i]);
  }
  for (std::size_t kind = 0; config.kinds.size() > 1 && kind < config.kinds.size(); ++kind) {
    actions_.Restrict(config.kinds[kind].name, spec.of_kinds[kind].action, config.kind_of);
  }
}

std::span<const std::int32_t> Environments::PlayersOf(std::span<const std::int32_t> env_ids) {
  player_counts_.clear();
  if (max_players_ == 1) return {};
  for (const std::int32_t id : env_ids) player_counts_.push_back(SlotOf(id).players);
  return player_counts_;
}

void Environments::RequestReset(std::int32_t env, std::optional<std::uint64_t> seed,
                                std::span<const std::shared_ptr<const Options>> options) {
  Slot& slot = SlotOf(env);
  slot.next = Task::kReset;
  Choice given{.seed = seed};
  if (!options.empty()) given.options = options[static_cast<std::size_t>(slot.kind)];
  ChoicesOf(env).Give(std::move(given));
}

void Environments::OpenState(std::int32_t env, Choice& choice) const {
  if (!choice.state) return;
  choice.state = Open(env, *choice.state, "state");
  if (HasEpisode(SlotOf(env), *choice.state)) return;
  throw std::invalid_argument("state has no episode under way, in which another could begin");
}

void Environments::RequestObservation(std::int32_t env) {
  Slot& slot = SlotOf(env);
  slot.next = slot.next == Task::kReset ? Task::kBlank : Task::kObserve;
}

void Environments::ForgetRequest(std::int32_t env) {
  Slot& slot = SlotOf(env);
  slot.failed = false;
  if (slot.next == Task::kObserve) slot.next = Task::kStep;
  if (slot.next == Task::kBlank) slot.next = Task::kReset;
  ChoicesOf(env).Give({});
}

Status Environments::RestStatus(std::int32_t env) const {
  const Slot& slot = SlotOf(env);
  if (slot.failed) return Status::kBroken;
  const bool is_over = slot.episode_over || slot.next == Task::kReset;
  const bool awaits_caller = is_over && config_.autoreset_mode == AutoresetMode::kDisabled;
  return awaits_caller ? Status::kEpisodeOver : Status::kIdle;
}

double Environments::Judge(std::int32_t env, double reward, bool terminated) {
  Slot& slot = SlotOf(env);
  slot.result.reward += reward;
  slot.episode_return += reward;
  if (terminated) {
    slot.result.terminated = slot.episode_over = true;
    slot.continues = false;
  }
  return slot.episode_return;
}

std::vector<Random*> Environments::RandomGenerators() {
  std::vector<Random*> generators;
  for (Rare& rare : rare_) generators.push_back(&rare.random);
  return generators;
}

std::vector<std::int32_t> Environments::ElapsedSteps() const {
  std::vector<std::int32_t> steps;
  for (const Slot& slot : slots_) steps.push_back(slot.elapsed_step);
  return steps;
}

void Environments::Release() {
  for (const Slot& slot : slots_) {
    try {
      slot.env->Release();
    } catch (...) {
      // Environments promise not to; whatever it is, the pool is closed all the same.
    }
  }
}

SnapshotKey Environments::KeyOf(std::int32_t env) const {
  const Kind& kind = config_.KindOf(static_cast<std::size_t>(env));
  std::vector<std::string> settings = DescribeSettings(OptionsOf(env), kind.max_episode_steps);
  if (std::string fingerprint = SlotOf(env).env->Fingerprint(); !fingerprint.empty()) {
    settings.push_back(std::move(fingerprint));
  }
  return {kind.type->name, kind.type->state_version, std::move(settings)};
}

std::string Environments::Save(std::int32_t env) {
  std::string state;
  Archive archive = Archive::Writer(state);
  Serialize(SlotOf(env), RareOf(env), archive);
  return SealSnapshot(KeyOf(env), std::move(state));
}

std::string Environments::Open(std::int32_t env, std::string_view snapshot,
                               const std::string& name) const {
  return OpenSnapshot(KeyOf(env), snapshot, name);
}

void Environments::Load(std::int32_t env, std::string_view state) {
  Slot& slot = SlotOf(env);
  slot.failed = true;
  try {
    ReadState(slot, RareOf(env), state);
    if (max_players_ > 1) slot.CountPlayers(max_players_);
  } catch (...) {  // environments throw what they like
    slot.continues = false;
    std::string why;
    DescribeException(why);
    throw std::runtime_error("environment " + std::to_string(env) +
                             " has failed to read its state, reset it first: " + why);
  }
  slot.failed = false;
  ChoicesOf(env).Give({});
}

Environments::Made Environments::Make(std::int32_t env, Options options) const {
  const std::size_t kind = config_.KindIndex(static_cast<std::size_t>(env));
  const EnvType& type = *config_.kinds[kind].type;
  if (type.spec(options) != spec_.of_kinds[kind]) {
    throw std::invalid_argument("these options would change the spaces of " + type.name);
  }
  std::unique_ptr<Env> made = type.create(options);
  return {std::move(made), std::make_shared<const Options>(std::move(options))};
}

void Environments::CopyState(std::int32_t from, Env& to) const {
  const Choice* next = RareOf(from).choices.Next();
  if (next != nullptr && next->state) {
    throw std::runtime_error("the next episode of environment " + std::to_string(from) +
                             " begins in a state, which would not fit other options: take that "
                             "back first, by next_episode(env_id)");
  }
  std::string state;
  Archive writer = Archive::Writer(state);
  SlotOf(from).env->Serialize(writer);
  Archive reader = Archive::Reader(state);
  try {
    to.Serialize(reader);
  } catch (const std::invalid_argument& error) {  // it was made for other options
    throw std::invalid_argument("the state of an episode under way does not fit these options: " +
                                std::string(error.what()) + ": make a pool with them");
  }
}

void Environments::Exchange(std::int32_t env, Made& other) noexcept {
  SlotOf(env).env.swap(other.env);
  options_[static_cast<std::size_t>(env)].swap(other.options);
}

}  // namespace envpool
