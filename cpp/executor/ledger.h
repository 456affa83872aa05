// Ledger: which environments may be called, and who has borrowed some.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "environments/slot.h"

namespace envpool {

// What a call wants of an environment decides which status it refuses.
enum class Purpose : std::uint8_t {
  kStep,
  kReset,  // mends what has failed
  kState,
};

class Ledger {
 public:
  // `all_ids`: every environment once, from 0 on; outlives the ledger. A call for this very list is
  // checked faster than one for another.
  explicit Ledger(const std::vector<std::int32_t>& all_ids);

  // Throws if an id is out of range or repeated (std::invalid_argument), or its environment can't
  // be called for this purpose (std::runtime_error).
  void Check(std::span<const std::int32_t> env_ids, Purpose purpose);

  // Throws if a receive would wait for ever; the second, if so even after `count` more requests.
  void CheckCanReceive(std::size_t needed) const;
  void CheckCanReceive(std::size_t needed, std::size_t count) const;

  std::vector<std::int32_t> OthersThan(std::span<const std::int32_t> env_ids) const;

  Status StatusOf(std::int32_t env) const { return status_[static_cast<std::size_t>(env)]; }
  void Set(std::int32_t env, Status status);

  // Environments that were checked are in flight, until their results are received.
  void Begin(std::span<const std::int32_t> env_ids);
  void Finish(std::span<const std::int32_t> env_ids);
  std::size_t InFlight() const { return in_flight_; }
  // None is in flight any more. Those that were wait for a new status.
  std::vector<std::int32_t> ForgetInFlight();

 private:
  void SetEach(std::span<const std::int32_t> env_ids, Status status);

  const std::vector<std::int32_t>& all_ids_;
  std::vector<Status> status_;
  std::size_t in_flight_ = 0;    // requests whose results were not received yet
  std::size_t unsteppable_ = 0;  // environments that can't be stepped, and are not in flight
  std::uint64_t checks_ = 0;
  std::vector<std::uint64_t> last_check_;  // of each environment: finds repeated ids
};

}  // namespace envpool
