// Environments: what runs. It owns them, with their actions, and does what requests ask.
//
// Which thread may use which environment when is not its business: see Slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "environments/action_store.h"
#include "environments/calls.h"
#include "environments/episodes.h"
#include "environments/failure_budget.h"
#include "environments/final_rows.h"
#include "environments/results.h"
#include "environments/slot.h"
#include "environments/snapshot.h"
#include "loading/pool_config.h"
#include "loading/pool_spec.h"
#include "results/layout.h"
#include "scheduling/request.h"
#include "threads/interrupt.h"

namespace envpool {

class Environments {
 public:
  // The environments are made aside: see Pool. What is referred to outlives it.
  Environments(const PoolConfig& config, const PoolSpec& spec, const Layout& layout,
               Interrupt interrupt);
  Environments(const Environments&) = delete;
  Environments& operator=(const Environments&) = delete;

  // The callers' side, one call at a time, of environments that are not running.

  // One array per action field. Throws std::invalid_argument if one is refused.
  void StoreActions(std::span<const std::int32_t> env_ids, std::span<const ArrayView> actions) {
    actions_.StoreAll(actions, env_ids, PlayersOf(env_ids));
  }
  // How many players act in each of these, until the next call; nothing if there can be one only.
  std::span<const std::int32_t> PlayersOf(std::span<const std::int32_t> env_ids);
  // Without a seed it goes on with its random generator. `options` are those of each kind; without
  // any it gets the defaults.
  void RequestReset(std::int32_t env, std::optional<std::uint64_t> seed,
                    std::span<const std::shared_ptr<const Options>> options);
  // Opens the state in which an episode of an environment is to begin. Throws std::invalid_argument
  // if it is damaged, comes from another environment, or has no episode under way.
  void OpenState(std::int32_t env, Choice& choice) const;
  Choices& ChoicesOf(std::int32_t env) { return RareOf(env).choices; }
  // Of one that has never begun, the row has zeros: it is not asked what it would show.
  void RequestObservation(std::int32_t env);
  // Forgets a request that was not run, or whose result nobody has seen.
  void ForgetRequest(std::int32_t env);
  // What an environment is when no call and no request has it.
  Status RestStatus(std::int32_t env) const;
  bool AwaitsReset(std::int32_t env) const { return SlotOf(env).next == Task::kReset; }
  // How the episode ended that was over in the last request, or failed in it.
  EpisodeEnd LastEnd(std::int32_t env) const {
    return EndOf(SlotOf(env), RareOf(env), config_.autoreset_mode);
  }
  // Adds a reward to that of its last step, whose episode may have ended by it: for callers that
  // compute rewards of whole batches. Returns the sum of the episode's rewards so far.
  double Judge(std::int32_t env, double reward, bool terminated);
  // True if its next step begins an episode.
  bool IsOver(std::int32_t env) const { return SlotOf(env).episode_over; }
  FailureBudget& Failures() { return failures_; }
  std::vector<Random*> RandomGenerators();
  std::vector<std::int32_t> ElapsedSteps() const;
  // All of them give back what they make anew on use.
  void Release();

  // The workers' side, in this order for each request.
  int Advance(std::span<const Request> requests) { return episodes_.Advance(requests); }
  void Observe(std::span<const Request> requests) { results_.Observe(requests); }
  int WriteResults(std::span<const Request> requests) { return results_.Write(requests); }

  // The side of calls that have borrowed an environment. Nothing here is quick: an environment may
  // have to live through an episode again to read a state.
  Env& At(std::int32_t env) { return *SlotOf(env).env; }
  const Options& OptionsOf(std::int32_t env) const {
    return *options_[static_cast<std::size_t>(env)];
  }
  // A snapshot of its state, and of what the executor remembers of it.
  std::string Save(std::int32_t env);
  // The state in a snapshot, if it is one for this environment. Throws std::invalid_argument, with
  // a message that begins with `name`, if not.
  std::string Open(std::int32_t env, std::string_view snapshot, const std::string& name) const;
  // Gives it a state that was opened for it. Throws std::runtime_error if the environment fails to
  // read what one like it wrote; it is broken then.
  void Load(std::int32_t env, std::string_view state);

  // An environment with the options that it was made with.
  struct Made {
    std::unique_ptr<Env> env;
    std::shared_ptr<const Options> options;
  };

  // To give an environment other options, make another one, copy the state, and exchange both.

  // Throws std::invalid_argument if these options would change the environment's spaces.
  Made Make(std::int32_t env, Options options) const;
  // Throws if the state, or the one that the next episode begins in, would not fit.
  void CopyState(std::int32_t from, Env& to) const;
  void Exchange(std::int32_t env, Made& other) noexcept;

 private:
  Slot& SlotOf(std::int32_t env) { return slots_[static_cast<std::size_t>(env)]; }
  const Slot& SlotOf(std::int32_t env) const { return slots_[static_cast<std::size_t>(env)]; }
  Rare& RareOf(std::int32_t env) { return rare_[static_cast<std::size_t>(env)]; }
  const Rare& RareOf(std::int32_t env) const { return rare_[static_cast<std::size_t>(env)]; }
  SnapshotKey KeyOf(std::int32_t env) const;

  const PoolConfig& config_;
  const PoolSpec& spec_;
  const int max_players_;
  std::vector<Slot> slots_;
  std::vector<Rare> rare_;
  std::vector<std::shared_ptr<const Options>> options_;  // of each environment
  ActionStore actions_;
  FinalRows final_rows_;
  FailureBudget failures_;
  Episodes episodes_;
  Results results_;
  std::vector<std::int32_t> player_counts_;  // see PlayersOf
};

}  // namespace envpool
