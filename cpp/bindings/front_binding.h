// FrontBinding: a pool's front that speaks Python objects, whatever its workers are.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/result_builder.h"
#include "executor/front.h"

namespace envpool {

// Who writes a pool's environments decides how Python passes their actions.
enum class ActionsOf {
  kNative,  // an array per field: one alone, or a tuple of several
  kPython,  // a tuple of the arrays, or a list of letters
};

// Exceptions and environments may say anything, in any bytes.
py::object ReadText(std::string_view text);

// Has Python warn. Throws what a filter makes of the warning.
void Warn(PyObject* category, const std::string& text, int stack_level = 2);

class FrontBinding {
 public:
  FrontBinding(const FrontBinding&) = delete;
  FrontBinding& operator=(const FrontBinding&) = delete;
  virtual ~FrontBinding() = default;

  py::object Step(py::handle action, py::handle env_id);
  void Send(py::handle action, py::handle env_id);
  py::object Receive(bool is_reset, std::optional<double> timeout);
  // Throws unless the second has the ids of the first, once for each player.
  void CheckPlayers(py::handle env_id, py::handle players_env_id);
  void Discard();
  // True if an earlier call's results were not received: in synchronous pools only.
  bool HasOpen();
  // The ids as a list. Throws if one of these environments runs, is borrowed or, unless it is
  // `mended`, has failed.
  std::vector<std::int32_t> IdleIds(py::handle env_id, bool mended = true);
  // Chooses the next episodes of environments: `choices` are what ReadChoice takes.
  void SetNext(const py::list& choices, py::handle env_id);
  // Before a call steps or resets environments that have no chosen next episode, `choose` is called
  // with a list of them, and of how many episodes of each have begun. The reference is weak, so
  // that Python can collect a cycle through it.
  void ChooseBy(const py::object& choose) { choose_ = py::weakref(choose); }
  // For each of these environments, how many episodes have begun, and what was chosen of the last
  // one; None if nothing was.
  py::list Episodes(py::handle env_id);
  // The fields of envpool.stats.PoolStats.
  py::dict Stats(bool restart);
  // How many failures were survived, and how many may be.
  auto SurvivedFailures() { return front_.GetFailures().Counts(); }

  // Gives a class the methods that are the same for all pools.
  template <class Binding>
  static void Define(py::class_<Binding>& bound) {
    bound.def("step", &Binding::Step)
        .def("send", &Binding::Send)
        .def("recv", &Binding::Receive)
        .def("check_players", &Binding::CheckPlayers)
        .def("discard", &Binding::Discard)
        .def("has_open", &Binding::HasOpen)
        .def("idle_ids", &Binding::IdleIds, py::arg("env_id"), py::arg("mended") = true)
        .def("set_next", &Binding::SetNext)
        .def("choose_by", &Binding::ChooseBy)
        .def("episodes", &Binding::Episodes)
        .def("stats", &Binding::Stats)
        .def("survived_failures", &Binding::SurvivedFailures);
  }

 protected:
  // The front and the fields of actions are the derived class's. What results look like: see
  // ResultBuilder. `record` is the file of a recording, if any.
  FrontBinding(Front& front, std::span<const Field> actions, ActionsOf kind,
               const std::string& record, const py::dict& plans);

  // The ids of a request, and their memory if it is not the pool's own list of all ids.
  struct EnvIds {
    std::vector<std::int32_t> memory;
    std::span<const std::int32_t> values;
  };
  EnvIds ReadEnvIds(py::handle env_id) const;

  bool HasChooser() const { return static_cast<bool>(choose_); }
  py::object Reset(const ResetRequest& request);
  // Reset and Step without objects for Python, into slots if there are any.
  Delivery ResetInto(const ResetRequest& request);
  Delivery StepInto(Slots* slots, std::span<const std::int32_t> env_ids, py::handle action);
  void SendReset(const ResetRequest& request);

  const ResultBuilder& Builder() const { return builder_; }
  // The rows whose episodes a failure has cut off, each with why.
  static py::list CutOff(const Parcel& parcel);
  // Adds them to the infos of a step's results.
  static void AddFailures(const py::object& results, const Parcel& parcel);
  // Closes a pool that nobody needs any more, unless that takes longer than one may wait.
  bool CloseSoon();

  // Warns of what a delivery tells besides results, and returns what a caller gets of it.
  py::object HandOut(const Parcel& parcel, bool is_reset);
  // If a filter makes an exception of one of these warnings, the results are lost.
  virtual void WarnOf(const Delivery& delivery);
  void WarnOfEndedRecording() const;
  void WarnOfUnwrittenRecording() const;

 private:
  // What steps bring along, and what keeps its memory alive.
  struct Luggage {
    std::vector<py::object> owners = {};
    std::vector<ArrayView> actions = {};
    std::vector<std::string> letters = {};
  };
  Luggage ReadAction(py::handle action, std::size_t num_ids);
  // Here, so that a step without a chooser makes no call for it.
  void Choose(std::span<const std::int32_t> env_ids) {
    if (choose_) [[unlikely]]
      AskChooser(env_ids);
  }
  void AskChooser(std::span<const std::int32_t> env_ids);
  void DropExcessRows(ArrayView& view, const Field& field, std::size_t num_ids);
  // What Python says of an episode of an environment, and the other way round.
  virtual Choice ReadChoice(std::int32_t env, py::handle choice) const = 0;
  virtual py::object WriteChoice(const Choice& choice) const = 0;
  void WarnOfSurvived(const Delivery& delivery);  // once per pool
  // Returns a parcel's results, or raises what stands for them.
  virtual py::object Finish(const Parcel& parcel, bool is_reset) = 0;

  Front& front_;
  const std::span<const Field> actions_;
  const ActionsOf kind_;
  const std::string record_;
  ResultBuilder builder_;
  py::object choose_;  // a weak reference; null if there is none
  bool warned_of_survived_ = false;
  bool warned_of_rows_ = false;
};

}  // namespace envpool
