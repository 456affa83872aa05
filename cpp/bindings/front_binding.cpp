#include "bindings/front_binding.h"

#include <pybind11/stl.h>

#include <chrono>
#include <utility>

#include "bindings/config_bridge.h"
#include "bindings/interpreter.h"
#include "bindings/numpy_bridge.h"

namespace envpool {

namespace {

// For how long a pool that nobody needs any more may keep the thread that noticed it.
constexpr auto kPatience = std::chrono::milliseconds(200);

void WarnOfRecording(const std::string& text, int stack_level) {
  if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), stack_level) < 0) {
    throw py::error_already_set();
  }
}

}  // namespace

FrontBinding::FrontBinding(Front& front, const std::string& record, const py::dict& plans)
    : front_(front), record_(record), builder_(front.GetLayout(), plans) {}

FrontBinding::EnvIds FrontBinding::ReadEnvIds(py::handle env_id) const {
  EnvIds ids;
  if (env_id.is_none()) {
    ids.values = front_.AllIds();
  } else {
    ids.memory = ReadIds(env_id, "env_id");
    ids.values = ids.memory;
  }
  return ids;
}

py::object FrontBinding::Step(py::handle action, py::handle env_id) {
  const EnvIds ids = ReadEnvIds(env_id);
  const Luggage luggage = ReadAction(action, ids.values.size());
  const StepRequest request{ids.values, luggage.actions, luggage.letters};
  return Finish(Parcel(WithoutGil([&] { return front_.Step(request, CheckInterrupt); })), false);
}

void FrontBinding::Send(py::handle action, py::handle env_id) {
  const EnvIds ids = ReadEnvIds(env_id);
  const Luggage luggage = ReadAction(action, ids.values.size());
  const StepRequest request{ids.values, luggage.actions, luggage.letters};
  WithoutGil([&] { front_.Send(request); });
}

py::object FrontBinding::Reset(const ResetRequest& request) {
  return Finish(Parcel(WithoutGil([&] { return front_.Reset(request, CheckInterrupt); })), true);
}

void FrontBinding::SendReset(const ResetRequest& request) {
  WithoutGil([&] { front_.SendReset(request); });
}

py::object FrontBinding::Receive(bool is_reset, std::optional<double> timeout) {
  std::optional<Delivery> delivery =
      WithoutGil([&] { return front_.Receive(ReadTimeout(timeout), CheckInterrupt); });
  if (!delivery) {
    PyErr_SetString(PyExc_TimeoutError, "recv(): no batch was ready in time");
    throw py::error_already_set();
  }
  return Finish(Parcel(std::move(*delivery)), is_reset);
}

bool FrontBinding::HasOpen() {
  return WithoutGil([&] { return front_.HasOpen(); });
}

void FrontBinding::CheckPlayers(py::handle env_id, py::handle players_env_id) {
  const EnvIds ids = ReadEnvIds(env_id);
  const std::vector<std::int32_t> owners = ReadIds(players_env_id, "players.env_id");
  WithoutGil([&] { front_.CheckPlayers(ids.values, owners); });
}

void FrontBinding::Discard() {
  WithoutGil([&] { front_.Discard(CheckInterrupt); });
}

py::dict FrontBinding::Stats(bool restart) {
  const PoolStats stats = WithoutGil([&] { return front_.Stats(restart); });
  const auto of_workers = [&stats](std::int64_t WorkerTotals::* number) {
    std::vector<std::int64_t> numbers;
    for (const WorkerTotals& worker : stats.workers) numbers.push_back(worker.*number);
    return numbers;
  };
  py::dict result;
  result["elapsed_ns"] = stats.elapsed_ns;
  result["steps"] = stats.Steps();
  result["episodes"] = stats.Episodes();
  result["failures"] = stats.failures;
  result["batches"] = stats.batches;
  result["batch_age_ns"] = stats.batch_age_ns;
  result["receive_wait_ns"] = stats.caller.idle_ns;
  result["caller_busy_ns"] = stats.caller.busy_ns;
  result["busy_ns"] = of_workers(&WorkerTotals::busy_ns);
  result["copy_ns"] = of_workers(&WorkerTotals::copy_ns);
  result["idle_ns"] = of_workers(&WorkerTotals::idle_ns);
  return result;
}

bool FrontBinding::CloseSoon() {
  const auto patience = IsExiting() ? std::chrono::milliseconds(0) : kPatience;
  const py::gil_scoped_release release;
  return front_.Close(DontInterrupt, Clock::now() + patience);
}

void FrontBinding::WarnOfSurvived(const Parcel& parcel) {
  if (warned_of_survived_ || parcel.delivery.survived.empty()) return;
  warned_of_survived_ = true;
  const EnvError& first = parcel.delivery.survived[0];
  const std::string text =
      "environment " + std::to_string(first.env_id) +
      " failed, its episode ended as truncated, and it was reset: " + first.message +
      " (stats().failures counts all of them)";
  if (PyErr_WarnFormat(PyExc_RuntimeWarning, 2, "%s", text.c_str()) < 0)
    throw py::error_already_set();
}

void FrontBinding::WarnOfEndedRecording() const {
  const std::string problem = front_.TakeRecordingProblem();
  if (problem.empty()) return;
  WarnOfRecording("the recording has ended, and the pool goes on: " + problem, 2);
}

void FrontBinding::WarnOfUnwrittenRecording() const {
  WarnOfRecording("the recording may lack its end, which was not written in time: " + record_, 1);
}

}  // namespace envpool
