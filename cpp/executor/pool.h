// Pool: steps many copies of an environment on a few threads.
//
// It only conducts, as the crew of a Front. What callers may do is the Front's business, what runs
// the Environments', who runs when the Scheduler's, and where results go the Batches'.
//
// Life of a request. A caller checks everything about it, copies the action to the environment's
// place and queues a request. A worker claims it, advances the environment (Env::Reset or
// Env::Step), then takes a row of a batch and lets the environment write its result there
// (Env::Observe). The last row of a batch makes it ready for Receive.
//
// Synchronous pools (batch_size == num_envs): each send has a batch of its own, with a row for each
// id in the order they were sent, and the receiving thread works too. Asynchronous pools: rows are
// taken in the order of finishing, so a batch has the first batch_size results, whoever they are;
// the receiving thread runs light requests where workers have no core for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "environments/environments.h"
#include "executor/front.h"
#include "executor/lender.h"
#include "executor/office.h"
#include "loading/pool_config.h"
#include "loading/pool_spec.h"
#include "results/batches.h"
#include "results/receiver.h"
#include "scheduling/scheduler.h"

namespace envpool {

class Pool final : public Front, private Crew, private Runner {
 public:
  // The environments are made by threads of their own: if `interrupt` throws, those that are being
  // made are left to themselves.
  explicit Pool(PoolConfig config, Interrupt interrupt = DontInterrupt);
  ~Pool() { Close(); }

  // For calls that borrow environments.
  Lender& Loans() { return lender_; }

  const Spec& GetSpec() const { return spec_.common; }
  const PoolConfig& Config() const { return config_; }

 private:
  Pool(PoolConfig config, PoolSpec spec, Interrupt interrupt);

  // The threads' side.
  Tally Run(std::span<Request> requests, bool is_measured) override;
  void Publish(std::span<const Request> requests, Clock::time_point now) override;

  // The front's side.
  void QueueSteps(Desk& desk, const StepRequest& request, bool caller_stays) override;
  void QueueResets(Desk& desk, const ResetRequest& request, std::span<const std::int32_t> others,
                   bool caller_stays) override;
  std::span<const std::int32_t> PlayersOf(std::span<const std::int32_t> env_ids,
                                          std::size_t) override {
    return environments_.PlayersOf(env_ids);
  }
  void PassNext(std::span<const std::int32_t> env_ids, std::span<Choice> next) override {
    for (std::size_t i = 0; i < next.size(); ++i) environments_.OpenState(env_ids[i], next[i]);
  }
  Choices& ChoicesOf(std::int32_t env) override { return environments_.ChoicesOf(env); }
  void UpdateTotals(PoolStats& stats) override;
  // Environments release what they make anew. The next request starts the threads again.
  void RequestStop() override { scheduler_.RequestStop(); }
  void FinishStop(Desk& desk) override;
  std::optional<Delivery> Await(Clock::time_point deadline, Interrupt interrupt) override;
  void WakeReceiver() override { receiver_.Wake(); }
  Batches& GetBatches() override { return *batches_; }
  FailureBudget& Failures() override { return environments_.Failures(); }

  void OpenBatch(std::size_t rows, Slots* slots);

  const PoolConfig config_;
  const PoolSpec spec_;
  Environments environments_;
  const std::unique_ptr<LocalBatches> batches_;
  Scheduler scheduler_;
  Receiver receiver_;
  Lender lender_;
};

}  // namespace envpool
