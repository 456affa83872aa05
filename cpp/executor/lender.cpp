#include "executor/lender.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "threads/gate.h"

namespace envpool {

// Environments that belong to a call until all that it does with them has ended. Without a status,
// they are only named, not borrowed, and whoever closes the pool waits for the call.
class Lender::Loan {
 public:
  Loan(Lender& lender, std::span<const std::int32_t> env_ids, Purpose purpose,
       std::optional<Status> status)
      : lender_(lender), env_ids_(env_ids.begin(), env_ids.end()), borrows_(status.has_value()) {
    const DeskAccess desk = lender_.office_.OpenDesk();
    if (status) {
      desk->ledger.Check(env_ids, purpose);
      if (status == Status::kRendering) CheckHaveEpisodes();
      for (const std::int32_t id : env_ids_) desk->ledger.Set(id, *status);
    }
    lender_.office_.attendance.Enter();
  }
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;
  ~Loan() {
    if (lender_.office_.IsForked()) return;  // another thread of the parent may have held the desk
    const auto desk = lender_.office_.desk.Lock();
    for (const std::int32_t id : env_ids_) {
      if (borrows_) desk->ledger.Set(id, lender_.environments_.RestStatus(id));
    }
    // With the desk held, because a closer that needs it next may be about to destroy the pool.
    lender_.office_.attendance.Leave();
  }

  const std::vector<std::int32_t>& Ids() const { return env_ids_; }

 private:
  void CheckHaveEpisodes() const {
    for (const std::int32_t id : env_ids_) {
      if (!lender_.environments_.AwaitsReset(id)) continue;
      throw std::runtime_error("environment " + std::to_string(id) +
                               " has no episode to render: reset it first");
    }
  }

  Lender& lender_;
  const std::vector<std::int32_t> env_ids_;
  const bool borrows_;
};

// This thread is in a call that has borrowed some, for as long as it lives.
class Lender::Visitor {
 public:
  explicit Visitor(const Office& office) : outer_(std::exchange(Office::visited, &office)) {}
  Visitor(const Visitor&) = delete;
  Visitor& operator=(const Visitor&) = delete;
  ~Visitor() { Office::visited = outer_; }

 private:
  const Office* const outer_;
};

Lender::Lender(Office& office, const PoolConfig& config, std::span<const Field> actions,
               const Layout& layout, Environments& environments, Scheduler& scheduler)
    : office_(office), config_(config), environments_(environments), scheduler_(scheduler) {
  office_.Record(config, actions, layout, *this);
  const DeskAccess desk = office_.desk.Lock();
  for (const std::int32_t id : office_.all_ids) desk->ledger.Set(id, environments.RestStatus(id));
}

std::shared_ptr<const Lender::Loan> Lender::Borrow(std::span<const std::int32_t> env_ids,
                                                   Purpose purpose, std::optional<Status> status) {
  return std::make_shared<const Loan>(*this, env_ids, purpose, status);
}

// Calls `visit` for each environment, and keeps the loan until the last visit has ended. `size` is
// what the time of a visit may depend on: see Pace.
void Lender::Visit(std::shared_ptr<const Loan> loan, VisitEnv visit, Pace& pace,
                   const std::string& call, Interrupt interrupt, std::size_t size) {
  const Visits::Config config{.count = loan->Ids().size(),
                              .most_threads = static_cast<std::size_t>(config_.num_threads),
                              .alone = pace.Alone(size)};
  const auto visit_lent = [loan = std::move(loan), visit = std::move(visit)](std::size_t index) {
    visit(index, loan->Ids()[index]);
  };
  Visits visits(config, visit_lent, office_.closing);
  const Visitor visitor(office_);
  const bool is_complete = visits.Run(interrupt);
  pace.Record(visits.Longest(), size);
  if (!is_complete) throw std::runtime_error("the pool was closed during " + call);
}

std::vector<std::string> Lender::GetState(std::span<const std::int32_t> env_ids,
                                          Interrupt interrupt) {
  const auto states = std::make_shared<std::vector<std::string>>(env_ids.size());
  const auto save = [this, states](std::size_t index, std::int32_t id) {
    (*states)[index] = environments_.Save(id);
  };
  Visit(Borrow(env_ids, Purpose::kState, Status::kSaving), save, paces_.saving, "get_state()",
        interrupt);
  return std::move(*states);
}

void Lender::SetState(std::span<const std::int32_t> env_ids,
                      std::span<const std::string_view> states, Interrupt interrupt) {
  // A whole new state mends what has failed.
  const auto loan = Borrow(env_ids, Purpose::kReset, Status::kChanging);
  if (states.size() != env_ids.size()) {
    throw std::invalid_argument("states has " + std::to_string(states.size()) +
                                " entries, expected " + std::to_string(env_ids.size()) +
                                ", one per environment");
  }
  const auto opened = std::make_shared<std::vector<std::string>>();
  std::size_t longest = 0;
  InterruptTimer timer(interrupt);
  for (std::size_t i = 0; i < states.size(); ++i) {
    opened->push_back(
        environments_.Open(env_ids[i], states[i], "states[" + std::to_string(i) + "]"));
    longest = std::max(longest, opened->back().size());
    timer.Check();
  }
  if (const DeskAccess desk = office_.desk.Lock(); desk->journal != nullptr) {
    for (const std::int32_t id : env_ids) desk->journal->NotePut(id);
  }
  const auto load = [this, opened](std::size_t index, std::int32_t id) {
    environments_.Load(id, (*opened)[index]);
  };
  Visit(loan, load, paces_.loading, "set_state()", interrupt, longest);
}

void Lender::SetOptions(std::span<const std::int32_t> env_ids, std::vector<Options> options,
                        Interrupt interrupt, std::span<const std::string> noted) {
  const auto wanted = std::make_shared<const std::vector<Options>>(std::move(options));
  // What was replaced ends without the desk.
  const auto replacements = std::make_shared<std::vector<Environments::Made>>(env_ids.size());
  const auto make = [this, wanted, replacements](std::size_t index, std::int32_t id) {
    (*replacements)[index] = environments_.Make(id, (*wanted)[index]);
  };
  const auto copy = [this, replacements](std::size_t index, std::int32_t id) {
    environments_.CopyState(id, *(*replacements)[index].env);
  };
  Pace making, copying;  // nothing is known: this is rare enough for threads of its own each time
  Visit(Borrow(env_ids, Purpose::kState, std::nullopt), make, making, "set_attr()", interrupt);
  const auto loan = Borrow(env_ids, Purpose::kState, Status::kChanging);
  Visit(loan, copy, copying, "set_attr()", interrupt);
  const auto desk = office_.desk.Lock();
  for (std::size_t i = 0; i < env_ids.size(); ++i) {
    environments_.Exchange(env_ids[i], (*replacements)[i]);
    if (desk->journal != nullptr) desk->journal->NoteOptions(env_ids[i], noted[i]);
    scheduler_.ForgetCost(static_cast<std::size_t>(env_ids[i]));
  }
}

std::shared_ptr<Pictures> Lender::Render(std::span<const std::int32_t> env_ids, FrameSize size,
                                         int camera, Interrupt interrupt) {
  const auto pictures = std::make_shared<Pictures>(size, env_ids.size());
  const auto draw = [this, pictures, camera](std::size_t index, std::int32_t id) {
    const FrameSize each = pictures->Size();
    const Frame frame{each.width, each.height, camera, pictures->At(index)};
    LookAt(id, [&] { environments_.At(id).Render(frame); });
  };
  Visit(Borrow(env_ids, Purpose::kState, Status::kRendering), draw, paces_.drawing, "render()",
        interrupt);
  return pictures;
}

std::vector<Scene> Lender::Describe(std::span<const std::int32_t> env_ids, Interrupt interrupt) {
  const auto scenes = std::make_shared<std::vector<Scene>>(env_ids.size());
  const auto describe = [this, scenes](std::size_t index, std::int32_t id) {
    LookAt(id, [&] { (*scenes)[index] = environments_.At(id).Describe(); });
  };
  Visit(Borrow(env_ids, Purpose::kState, Status::kRendering), describe, paces_.describing,
        "render()", interrupt);
  return std::move(*scenes);
}

void Lender::Assume(std::span<const std::int32_t> env_ids, std::span<const Scene> scenes) {
  if (scenes.size() != env_ids.size()) throw std::invalid_argument("scenes: expected one per id");
  const DeskAccess desk = office_.OpenDesk();
  desk->ledger.Check(env_ids, Purpose::kState);
  for (std::size_t i = 0; i < env_ids.size(); ++i) {
    if (environments_.AwaitsReset(env_ids[i])) {
      throw std::runtime_error("environment " + std::to_string(env_ids[i]) +
                               " has no episode: reset it first");
    }
    if (desk->journal != nullptr) desk->journal->NotePut(env_ids[i]);
    environments_.At(env_ids[i]).Assume(scenes[i]);
  }
}

std::vector<double> Lender::Judge(std::span<const std::int32_t> env_ids,
                                  std::span<const double> rewards,
                                  std::span<const bool> terminated) {
  if (rewards.size() != env_ids.size() || terminated.size() != env_ids.size()) {
    throw std::invalid_argument("rewards and terminated: expected one per id");
  }
  const DeskAccess desk = office_.OpenDesk();
  desk->ledger.Check(env_ids, Purpose::kReset);
  std::vector<double> returns;
  for (std::size_t i = 0; i < env_ids.size(); ++i) {
    const std::int32_t id = env_ids[i];
    const bool ends = terminated[i] && !environments_.IsOver(id);
    returns.push_back(environments_.Judge(id, rewards[i], terminated[i]));
    if (desk->journal != nullptr) desk->journal->NoteJudged(id, environments_.IsOver(id));
    if (!ends) continue;
    desk->ledger.Set(id, environments_.RestStatus(id));
    desk->statistics.CountJudged();
  }
  return returns;
}

std::vector<Options> Lender::GetOptions(std::span<const std::int32_t> env_ids) {
  office_.CheckUsable();
  CheckIds(env_ids);
  const auto desk = office_.desk.Lock();
  std::vector<Options> options;
  for (const std::int32_t id : env_ids) options.push_back(environments_.OptionsOf(id));
  return options;
}

void Lender::CheckIds(std::span<const std::int32_t> env_ids) const {
  for (const std::int32_t id : env_ids) {
    if (id >= 0 && id < config_.num_envs) continue;
    throw std::out_of_range("there is no environment " + std::to_string(id));
  }
}

std::vector<Random*> Lender::GetRandom() {
  const DeskAccess desk = office_.OpenDesk();
  desk->ledger.Check(office_.all_ids, Purpose::kReset);
  return environments_.RandomGenerators();
}

std::vector<std::int32_t> Lender::GetElapsedSteps() {
  const DeskAccess desk = office_.OpenDesk();
  desk->ledger.Check(office_.all_ids, Purpose::kReset);
  return environments_.ElapsedSteps();
}

}  // namespace envpool
