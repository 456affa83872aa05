// FrontBinding: a pool's front that speaks Python objects, whatever its workers are.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bindings/result_builder.h"
#include "executor/front.h"

namespace envpool {

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
  // Keeps what calls of the main thread return until the caller has it. That is where handlers of
  // signals raise exceptions, which throw away what a call has just returned. The list that this
  // returns has one entry: True from when a call has results until the caller sets it to False, as
  // the last thing that it does before it returns them. As long as it is True, Receive gives the
  // same results again, and calls that would bring others are refused.
  py::list KeepResults();
  // True if a Receive would have something to give or to wait for: such results, or in synchronous
  // pools those of an earlier call.
  bool Owes();
  py::dict Stats(bool restart);
  void SurviveFailures(std::int64_t most) { front_.SurviveFailures(most); }
  auto SurvivedFailures() { return front_.SurvivedFailures(); }

  // Gives a class the methods that are the same for all pools.
  template <class Binding>
  static void Define(py::class_<Binding>& bound) {
    bound.def("step", &Binding::Step)
        .def("send", &Binding::Send)
        .def("recv", &Binding::Receive)
        .def("check_players", &Binding::CheckPlayers)
        .def("discard", &Binding::Discard)
        .def("keep_results", &Binding::KeepResults)
        .def("owes", &Binding::Owes)
        .def("stats", &Binding::Stats)
        .def("survive_failures", &Binding::SurviveFailures)
        .def("survived_failures", &Binding::SurvivedFailures);
  }

 protected:
  // The front is the derived class's. What results look like: see ResultBuilder. `record` is the
  // file of a recording, if any.
  FrontBinding(Front& front, const std::string& record, const py::dict& plans);

  // The ids of a request, and their memory if it is not the pool's own list of all ids.
  struct EnvIds {
    std::vector<std::int32_t> memory;
    std::span<const std::int32_t> values;
  };
  EnvIds ReadEnvIds(py::handle env_id) const;

  // What steps and resets bring along, and what keeps its memory alive.
  struct Luggage {
    std::vector<py::object> owners = {};
    std::vector<ArrayView> actions = {};
    std::vector<std::string> letters = {};
  };
  py::object Reset(const ResetRequest& request);
  void SendReset(const ResetRequest& request);

  // Drops what is kept.
  void Forget();

  const ResultBuilder& Builder() const { return builder_; }
  // Closes a pool that nobody needs any more, unless that takes longer than one may wait.
  bool CloseSoon();

  // Has warnings issued. If a filter makes an exception of one, results are dropped: its caller
  // wants to know, and may go on. They are kept if a signal's handler raises meanwhile.
  template <class Issue>
  void Warn(const Issue& issue) {
    try {
      issue();
    } catch (const py::error_already_set& error) {
      if (error.matches(PyExc_Warning)) Forget();
      throw;
    }
  }

  // These throw if a filter makes an exception of the warning.
  void WarnOfEndedRecording() const;
  void WarnOfSurvived(const Parcel& parcel);  // warns once per pool
  void WarnOfUnwrittenRecording() const;

 private:
  virtual Luggage ReadAction(py::handle action, std::size_t num_ids) = 0;
  // Returns a parcel's results, or raises what stands for them.
  virtual py::object Finish(Parcel& parcel, bool is_reset) = 0;

  bool IsKept() const;
  void SetKept(bool is_kept);
  // Before a call that brings results: drops those of the last one, and throws if they are kept.
  void BeginCall();
  py::object Give(Delivery&& delivery, bool is_reset);

  Front& front_;
  const std::string record_;
  ResultBuilder builder_;
  const unsigned long main_thread_;
  py::list is_kept_;              // see KeepResults; empty before that
  std::optional<Parcel> parcel_;  // what the main thread has received last
  bool warned_of_survived_ = false;
};

}  // namespace envpool
