#include "executor/ledger.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace envpool {

namespace {

bool IsUnsteppable(Status status) { return status != Status::kIdle && status != Status::kInFlight; }

// Why an environment of this status is refused; null if it is not.
const char* Objection(Status status, Purpose purpose) {
  switch (status) {
    case Status::kIdle: return nullptr;
    case Status::kInFlight: return " is already running: recv() its result first";
    case Status::kBroken:
      return purpose == Purpose::kReset ? nullptr : " has failed: reset it first";
    case Status::kEpisodeOver:
      return purpose != Purpose::kStep
                 ? nullptr
                 : " has no episode to step: without auto-reset it must be reset after the end of "
                   "an episode, and before the first one";
    case Status::kRendering: return " is being rendered by another call: wait for it first";
    case Status::kSaving: return " is being saved by another call: wait for it first";
    case Status::kChanging: return " is being changed by another call: wait for it first";
  }
  return nullptr;
}

}  // namespace

Ledger::Ledger(const std::vector<std::int32_t>& all_ids)
    : all_ids_(all_ids), status_(all_ids.size(), Status::kIdle), last_check_(all_ids.size()) {}

void Ledger::Check(std::span<const std::int32_t> env_ids, Purpose purpose) {
  const bool is_all = env_ids.data() == all_ids_.data() && env_ids.size() == all_ids_.size();
  if (is_all && in_flight_ == 0 && unsteppable_ == 0) return;
  ++checks_;
  for (std::size_t i = 0; i < env_ids.size(); ++i) {
    const std::int32_t id = env_ids[i];
    if (id < 0 || id >= std::ssize(status_)) {
      throw std::invalid_argument(
          "env_id[" + std::to_string(i) + "] is " + std::to_string(id) +
          ", expected 0 <= env_id < num_envs = " + std::to_string(status_.size()));
    }
    const auto env = static_cast<std::size_t>(id);
    if (!is_all && std::exchange(last_check_[env], checks_) == checks_) {
      throw std::invalid_argument("env_id " + std::to_string(id) + " is repeated");
    }
    if (status_[env] == Status::kIdle) continue;
    if (const char* objection = Objection(status_[env], purpose)) {
      throw std::runtime_error("environment " + std::to_string(id) + objection);
    }
  }
}

void Ledger::CheckCanReceive(std::size_t needed) const {
  if (in_flight_ >= needed) return;
  throw std::runtime_error("recv() would wait forever: it needs " + std::to_string(needed) +
                           " requests in flight and there are " + std::to_string(in_flight_) +
                           "; send() or async_reset() first");
}

void Ledger::CheckCanReceive(std::size_t needed, std::size_t count) const {
  if (in_flight_ + count >= needed || count == 0) return;
  throw std::runtime_error("a batch needs " + std::to_string(needed) +
                           " requests in flight, and with these " + std::to_string(count) +
                           " there would be " + std::to_string(in_flight_ + count) +
                           ": use send() or async_reset(), and recv() later");
}

std::vector<std::int32_t> Ledger::OthersThan(std::span<const std::int32_t> env_ids) const {
  std::vector<bool> is_given(status_.size());
  for (const std::int32_t id : env_ids) is_given[static_cast<std::size_t>(id)] = true;
  std::vector<std::int32_t> others;
  for (const std::int32_t id : all_ids_) {
    if (!is_given[static_cast<std::size_t>(id)]) others.push_back(id);
  }
  return others;
}

void Ledger::Set(std::int32_t env, Status status) {
  Status& now = status_[static_cast<std::size_t>(env)];
  unsteppable_ -= IsUnsteppable(now);
  unsteppable_ += IsUnsteppable(status);
  now = status;
}

void Ledger::Begin(std::span<const std::int32_t> env_ids) {
  in_flight_ += env_ids.size();
  if (unsteppable_ == 0) return SetEach(env_ids, Status::kInFlight);
  for (const std::int32_t id : env_ids) Set(id, Status::kInFlight);
}

void Ledger::Finish(std::span<const std::int32_t> env_ids) {
  in_flight_ -= env_ids.size();
  SetEach(env_ids, Status::kIdle);
}

// None of them is repeated, so that as many as there are environments are all.
void Ledger::SetEach(std::span<const std::int32_t> env_ids, Status status) {
  if (env_ids.size() == status_.size()) {
    std::ranges::fill(status_, status);
  } else {
    for (const std::int32_t id : env_ids) status_[static_cast<std::size_t>(id)] = status;
  }
}

std::vector<std::int32_t> Ledger::ForgetInFlight() {
  in_flight_ = 0;
  std::vector<std::int32_t> forgotten;
  for (const std::int32_t id : all_ids_) {
    if (StatusOf(id) == Status::kInFlight) forgotten.push_back(id);
  }
  return forgotten;
}

}  // namespace envpool
