#include "bindings/front_binding.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "bindings/interpreter.h"
#include "bindings/numpy_bridge.h"
#include "bindings/spec_bridge.h"

namespace envpool {

namespace {

// For how long a pool that nobody needs any more may keep the thread that noticed it.
constexpr auto kPatience = std::chrono::milliseconds(200);

}  // namespace

py::object ReadText(std::string_view text) {
  const auto size = static_cast<Py_ssize_t>(text.size());
  auto read = py::reinterpret_steal<py::object>(PyUnicode_DecodeUTF8(text.data(), size, "replace"));
  if (!read) throw py::error_already_set();
  return read;
}

void Warn(PyObject* category, const std::string& text, int stack_level) {
  if (PyErr_WarnFormat(category, stack_level, "%s", text.c_str()) < 0) {
    throw py::error_already_set();
  }
}

FrontBinding::FrontBinding(Front& front, std::span<const Field> actions, ActionsOf kind,
                           const std::string& record, const py::dict& plans)
    : front_(front),
      actions_(actions),
      kind_(kind),
      record_(record),
      builder_(front.GetLayout(), plans) {}

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

FrontBinding::Luggage FrontBinding::ReadAction(py::handle action, std::size_t num_ids) {
  Luggage luggage;
  if (kind_ == ActionsOf::kPython && py::isinstance<py::list>(action)) {
    luggage.letters = py::cast<std::vector<std::string>>(action);
    return luggage;
  }
  const auto add = [&](py::handle object, const Field& field) {
    ActionArray array = ReadActions(object, field);
    if (kind_ == ActionsOf::kNative) DropExcessRows(array.view, field, num_ids);
    luggage.owners.push_back(std::move(array.owner));
    luggage.actions.push_back(array.view);
  };
  if (kind_ == ActionsOf::kNative && actions_.size() == 1) {
    add(action, actions_[0]);
    return luggage;
  }
  if (!py::isinstance<py::tuple>(action) || py::len(action) != actions_.size()) {
    throw py::type_error("action: expected " + std::to_string(actions_.size()) + " arrays");
  }
  for (std::size_t i = 0; i < actions_.size(); ++i) {
    add(py::reinterpret_borrow<py::tuple>(action)[i], actions_[i]);
  }
  return luggage;
}

// EnvPool's clients send the whole pool's actions for a few environments: the first rows count.
void FrontBinding::DropExcessRows(ArrayView& view, const Field& field, std::size_t num_ids) {
  if (field.per_player || view.rows <= num_ids || view.rows != front_.AllIds().size()) return;
  view.rows = num_ids;
  if (!warned_of_rows_) {
    Warn(PyExc_UserWarning, "there are more actions than env_ids: the first rows are taken");
  }
  warned_of_rows_ = true;
}

void FrontBinding::AskChooser(std::span<const std::int32_t> env_ids) {
  const auto lacking = WithoutGil([&] { return front_.WithoutNext(env_ids); });
  if (const py::object choose = choose_(); !lacking.empty() && !choose.is_none()) choose(lacking);
}

py::object FrontBinding::Step(py::handle action, py::handle env_id) {
  const EnvIds ids = ReadEnvIds(env_id);
  return HandOut(Parcel(StepInto(nullptr, ids.values, action)), false);
}

Delivery FrontBinding::StepInto(Slots* slots, std::span<const std::int32_t> env_ids,
                                py::handle action) {
  Choose(env_ids);
  const Luggage luggage = ReadAction(action, env_ids.size());
  const StepRequest request{env_ids, luggage.actions, luggage.letters, slots};
  return WithoutGil([&] { return front_.Step(request, CheckInterrupt); });
}

void FrontBinding::Send(py::handle action, py::handle env_id) {
  const EnvIds ids = ReadEnvIds(env_id);
  Choose(ids.values);
  const Luggage luggage = ReadAction(action, ids.values.size());
  const StepRequest request{ids.values, luggage.actions, luggage.letters};
  WithoutGil([&] { front_.Send(request); });
}

Delivery FrontBinding::ResetInto(const ResetRequest& request) {
  Choose(request.env_ids);
  return WithoutGil([&] { return front_.Reset(request, CheckInterrupt); });
}

py::object FrontBinding::Reset(const ResetRequest& request) {
  return HandOut(Parcel(ResetInto(request)), true);
}

void FrontBinding::SendReset(const ResetRequest& request) {
  Choose(request.env_ids);
  WithoutGil([&] { front_.SendReset(request); });
}

std::vector<std::int32_t> FrontBinding::IdleIds(py::handle env_id, bool mended) {
  const EnvIds ids = ReadEnvIds(env_id);
  WithoutGil([&] { front_.CheckIdle(ids.values, mended); });
  return {ids.values.begin(), ids.values.end()};
}

void FrontBinding::SetNext(const py::list& choices, py::handle env_id) {
  const std::vector<std::int32_t> ids = IdleIds(env_id);
  if (choices.size() != ids.size()) throw std::invalid_argument("choices: expected one per env_id");
  std::vector<Choice> next;
  for (std::size_t i = 0; i < ids.size(); ++i) next.push_back(ReadChoice(ids[i], choices[i]));
  WithoutGil([&] { front_.SetNext(ids, std::move(next)); });
}

py::list FrontBinding::Episodes(py::handle env_id) {
  const EnvIds ids = ReadEnvIds(env_id);
  py::list episodes;
  for (const auto& [count, begun] : WithoutGil([&] { return front_.Episodes(ids.values); })) {
    episodes.append(py::make_tuple(count, begun ? WriteChoice(*begun) : py::none()));
  }
  return episodes;
}

py::object FrontBinding::Receive(bool is_reset, std::optional<double> timeout) {
  std::optional<Delivery> delivery =
      WithoutGil([&] { return front_.Receive(ReadTimeout(timeout), CheckInterrupt); });
  if (!delivery) {
    PyErr_SetString(PyExc_TimeoutError, "recv(): no batch was ready in time");
    throw py::error_already_set();
  }
  return HandOut(Parcel(std::move(*delivery)), is_reset);
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
  const auto seconds = [](std::int64_t ns) { return static_cast<double>(ns) * 1e-9; };
  std::vector<double> busy, idle, inside, copying;
  for (const WorkerTotals& worker : stats.workers) {
    busy.push_back(seconds(worker.busy_ns));
    idle.push_back(seconds(worker.idle_ns));
    inside.push_back(seconds(worker.busy_ns - worker.copy_ns));
    copying.push_back(seconds(worker.copy_ns));
  }
  const auto batches = static_cast<double>(std::max<std::int64_t>(stats.batches, 1));
  py::dict result;
  result["elapsed"] = seconds(stats.elapsed_ns);
  result["steps"] = stats.Steps();
  result["episodes"] = stats.Episodes();
  result["failures"] = stats.failures;
  result["batches"] = stats.batches;
  result["worker_busy"] = py::tuple(py::cast(busy));
  result["worker_idle"] = py::tuple(py::cast(idle));
  result["caller_busy"] = seconds(stats.caller.busy_ns);
  result["recv_wait"] = seconds(stats.caller.idle_ns);
  result["batch_age"] = seconds(stats.batch_age_ns) / batches;
  result["worker_env"] = py::tuple(py::cast(inside));
  result["worker_copy"] = py::tuple(py::cast(copying));
  return result;
}

bool FrontBinding::CloseSoon() {
  const auto patience = IsExiting() ? std::chrono::milliseconds(0) : kPatience;
  const py::gil_scoped_release release;
  return front_.Close(DontInterrupt, Clock::now() + patience);
}

py::object FrontBinding::HandOut(const Parcel& parcel, bool is_reset) {
  WarnOf(parcel.delivery);
  return Finish(parcel, is_reset);
}

py::list FrontBinding::CutOff(const Parcel& parcel) {
  py::list rows;
  for (const EnvError& error : parcel.delivery.survived) {
    rows.append(py::make_tuple(error.row, ReadText(error.message)));
  }
  return rows;
}

void FrontBinding::AddFailures(const py::object& results, const Parcel& parcel) {
  if (parcel.delivery.survived.empty()) return;
  const py::object add = py::module_::import("envpool.flavours.final_rows").attr("add_failures");
  constexpr int kInfo = 4;
  add(results.attr("__getitem__")(kInfo), CutOff(parcel), parcel.delivery.rows);
}

void FrontBinding::WarnOf(const Delivery& delivery) {
  WarnOfEndedRecording();
  WarnOfSurvived(delivery);
}

void FrontBinding::WarnOfSurvived(const Delivery& delivery) {
  if (warned_of_survived_ || delivery.survived.empty()) return;
  warned_of_survived_ = true;
  const EnvError& first = delivery.survived[0];
  Warn(PyExc_RuntimeWarning, "environment " + std::to_string(first.env_id) +
                                 " failed, its episode ended as truncated, and it was reset: " +
                                 first.message + " (stats().failures counts all of them)");
}

void FrontBinding::WarnOfEndedRecording() const {
  const std::string problem = front_.TakeRecordingProblem();
  if (problem.empty()) return;
  Warn(PyExc_RuntimeWarning, "the recording has ended, and the pool goes on: " + problem);
}

void FrontBinding::WarnOfUnwrittenRecording() const {
  Warn(PyExc_RuntimeWarning,
       "the recording may lack its end, which was not written in time: " + record_, 1);
}

}  // namespace envpool
