#include "bindings/python_group.h"

#include <cstring>
#include <utility>

namespace envpool {

namespace {

std::vector<py::buffer_info> ArraysOf(const py::object& group, const char* name) {
  std::vector<py::buffer_info> arrays;
  for (const py::handle& array : group.attr(name)) {
    arrays.push_back(py::cast<py::buffer>(array).request(true));
  }
  return arrays;
}

}  // namespace

class PythonSeat final : public PythonEnv {
 public:
  PythonSeat(PythonGroup& group, const PythonInterface& interface, std::int32_t id,
             py::object environment, py::object seed)
      : PythonEnv(interface, id, std::move(environment), std::move(seed)), group_(group) {}

  void Reset(Random& random, const Options& options) override {
    PythonEnv::Reset(random, options);
    if (!std::exchange(is_asked_, true)) group_.asked_.push_back(this);
  }

  void HasReset(std::exception_ptr raised) {
    is_asked_ = false;
    raised_ = std::move(raised);
  }

  StepResult Step(const Action& action, Random& random) override {
    Turn turn{*this, action, random};
    group_.Step({&turn, 1});
    if (turn.failure) std::rethrow_exception(turn.failure);
    return turn.result;
  }

  // Returns its id.
  std::size_t PassAction() const {
    for (std::size_t i = 0; i < group_.actions_.size(); ++i) {
      const auto [row, size] = RowOf(group_.actions_[i]);
      std::memcpy(row, Interface().station.Actions().Numbers(Id(), i), size);
    }
    return Id();
  }

  StepResult ReadStep(const std::exception_ptr& raised) {
    return Guard<StepResult>([&] {
      if (raised) std::rethrow_exception(raised);
      NoteStepped();
      const PythonGroup::Arrays& outcomes = group_.outcomes_;
      return StepResult{.reward = *reinterpret_cast<const double*>(RowOf(outcomes[0]).first),
                        .terminated = *RowOf(outcomes[1]).first != std::byte{0},
                        .truncated = *RowOf(outcomes[2]).first != std::byte{0}};
    });
  }

 private:
  std::pair<std::byte*, std::size_t> RowOf(const py::buffer_info& array) const {
    const auto size = static_cast<std::size_t>(array.strides[0]);
    return {static_cast<std::byte*>(array.ptr) + Id() * size, size};
  }

  // A reset that follows a failure comes first, here and when its row is read.
  py::tuple CopyLast() const override {
    if (is_asked_) group_.Finish();
    return Environment().attr("copy_last")();
  }

  void WriteTo(const Row& row) const override {
    if (is_asked_) group_.Finish();
    if (raised_) std::rethrow_exception(raised_);
    const auto copy = [this](const py::buffer_info& array, auto memory) {
      std::memcpy(memory.data(), RowOf(array).first, memory.size_bytes());
    };
    const Spec& spec = GetSpec();
    for (std::size_t i = 0; i < spec.observation.size(); ++i) {
      VisitDType(spec.observation[i].dtype,
                 [&]<class T>() { copy(group_.observations_[i], row.Observation<T>(i)); });
    }
    for (std::size_t i = 0; i < spec.info.size(); ++i) {
      VisitDType(spec.info[i].dtype, [&]<class T>() { copy(group_.infos_[i], row.Info<T>(i)); });
    }
  }

  PythonGroup& group_;
  bool is_asked_ = false;      // for a reset that was not done yet
  std::exception_ptr raised_;  // by the call that was to reset it; null if nothing
};

PythonGroup::PythonGroup(py::object group)
    : group_(std::move(group)),
      actions_(ArraysOf(group_, "actions")),
      outcomes_(ArraysOf(group_, "outcomes")),
      observations_(ArraysOf(group_, "observations")),
      infos_(ArraysOf(group_, "infos")) {}

std::unique_ptr<PythonEnv> PythonGroup::MakeSeat(const PythonInterface& interface, std::int32_t id,
                                                 py::object environment, py::object seed) {
  return std::make_unique<PythonSeat>(*this, interface, id, std::move(environment),
                                      std::move(seed));
}

void PythonGroup::Step(std::span<Turn> turns) {
  std::exception_ptr raised;
  try {
    py::list ids;
    for (const Turn& turn : turns) ids.append(static_cast<PythonSeat&>(turn.env).PassAction());
    group_.attr("step")(ids);
  } catch (...) {
    raised = std::current_exception();
  }
  for (Turn& turn : turns) {
    try {
      turn.result = static_cast<PythonSeat&>(turn.env).ReadStep(raised);
    } catch (...) {
      turn.failure = std::current_exception();
    }
  }
}

void PythonGroup::Finish() {
  if (asked_.empty()) return;
  const std::vector<PythonSeat*> seats = std::exchange(asked_, {});
  std::exception_ptr raised;
  try {
    group_.attr("reset")();
  } catch (...) {
    raised = std::current_exception();
  }
  for (PythonSeat* seat : seats) seat->HasReset(raised);
}

}  // namespace envpool
