// Lender: lends a pool's environments to calls that do something else with them than steps and
// resets.
//
// Such a call borrows them: all other calls refuse these meanwhile, and other
// environments may be used. It throws if an environment is running, borrowed or broken. If
// `interrupt` throws or the pool is closed, the rest is left out; what was begun is finished, and
// its environments are borrowed until then. An interrupted call does not wait for that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "environments/environments.h"
#include "environments/pictures.h"
#include "envpool/env_type.h"
#include "executor/office.h"
#include "loading/pool_config.h"
#include "scheduling/scheduler.h"
#include "threads/visits.h"

namespace envpool {

class Lender final : private Journal::Source {
 public:
  // What is referred to outlives it. Has the office record the pool.
  Lender(Office& office, const PoolConfig& config, std::span<const Field> actions,
         const Layout& layout, Environments& environments, Scheduler& scheduler);
  Lender(const Lender&) = delete;
  Lender& operator=(const Lender&) = delete;

  // Everything that the next steps of these environments depend on, one string each.
  std::vector<std::string> GetState(std::span<const std::int32_t> env_ids,
                                    Interrupt interrupt = DontInterrupt);

  // Gives each of `env_ids` one of `states`, as GetState returned them from an environment of the
  // same type with the same options and max_episode_steps. Throws std::invalid_argument, and
  // changes nothing, if a state is damaged or comes from another environment; std::runtime_error
  // if an environment itself fails to read what it wrote. That one is broken then; one that was
  // broken is mended. If it is cut short, some environments have their new state.
  void SetState(std::span<const std::int32_t> env_ids, std::span<const std::string_view> states,
                Interrupt interrupt = DontInterrupt);

  // Replaces each environment by one with other options (one entry per id) that goes on from the
  // same state. Throws, and changes nothing, if one cannot be replaced so, or if it is cut short.
  // `noted` are the options as JSON, if the pool is recorded.
  void SetOptions(std::span<const std::int32_t> env_ids, std::vector<Options> options,
                  Interrupt interrupt = DontInterrupt, std::span<const std::string> noted = {});

  // A picture of this size of each of `env_ids`, in their order, as `camera` sees it (see Frame).
  // Throws if an environment was never reset or fails to draw itself; none is broken by that.
  std::shared_ptr<Pictures> Render(std::span<const std::int32_t> env_ids, FrameSize size,
                                   int camera, Interrupt interrupt);

  // The same for environments that are described instead of drawn (Env::Describe).
  std::vector<Scene> Describe(std::span<const std::int32_t> env_ids, Interrupt interrupt);

  // Has each of `env_ids` take on the state that its scene tells (Env::Assume). Throws if one is
  // running, borrowed, broken, was never reset, or refuses; those before it have changed then.
  void Assume(std::span<const std::int32_t> env_ids, std::span<const Scene> scenes);

  // Adds rewards to those of the last steps of `env_ids`, and ends the episodes of those for which
  // `terminated` is true, as if the environments had done so: for callers that compute them of
  // whole batches, those of resets, too. Returns the sums of the episodes' rewards so far. Throws
  // if one is running or borrowed; nothing has changed then.
  std::vector<double> Judge(std::span<const std::int32_t> env_ids, std::span<const double> rewards,
                            std::span<const bool> terminated);

  // Throws std::out_of_range unless there are such environments.
  void CheckIds(std::span<const std::int32_t> env_ids) const;

  // The options of these environments. Throws std::out_of_range if there is no such environment.
  std::vector<Options> GetOptions(std::span<const std::int32_t> env_ids);

  // The random generators of all environments, for callers that use them while their environments
  // don't run, and the steps of their episodes so far. Throws if one is running or borrowed.
  std::vector<Random*> GetRandom();
  std::vector<std::int32_t> GetElapsedSteps();

 private:
  class Loan;
  class Visitor;
  // Paces say whether the calling thread may do the work of a call itself.
  struct Paces {
    Pace saving;
    Pace loading;
    Pace drawing;
    Pace describing;
  };

  EpisodeEnd LastEnd(std::int32_t env) const override { return environments_.LastEnd(env); }
  const Choice* NextOf(std::int32_t env) const override {
    return environments_.ChoicesOf(env).Next();
  }
  std::optional<std::string> Save(std::int32_t env) override { return environments_.Save(env); }

  std::shared_ptr<const Loan> Borrow(std::span<const std::int32_t> env_ids, Purpose purpose,
                                     std::optional<Status> status);
  using VisitEnv = std::function<void(std::size_t index, std::int32_t env)>;
  void Visit(std::shared_ptr<const Loan> loan, VisitEnv visit, Pace& pace, const std::string& call,
             Interrupt interrupt, std::size_t size = 0);

  Office& office_;
  const PoolConfig& config_;
  Environments& environments_;
  Scheduler& scheduler_;
  Paces paces_;
};

}  // namespace envpool
