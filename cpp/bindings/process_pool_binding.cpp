#include "bindings/process_pool_binding.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <string>
#include <utility>

#include "bindings/interpreter.h"
#include "bindings/python_station.h"
#include "bindings/spec_bridge.h"

namespace envpool {

namespace {

// Calls `function` without the GIL, also when the interpreter is exiting, which ends pools.
template <class Function>
auto WhileClosing(Function function) {
  if (IsExiting()) {
    const py::gil_scoped_release release;
    return function(Interrupt(CheckSignals));
  }
  const Unlocked unlocked;
  return function(Interrupt(CheckInterrupt));
}

ResetRequest RequestOf(std::span<const std::int32_t> env_ids,
                       const std::vector<std::string>& letters, bool observe_others,
                       const ProcessPoolBinding::ResetNotes& notes) {
  const auto& [seeds, options, lost] = notes;
  ResetRequest request{env_ids, seeds, {}, observe_others, letters};
  if (!options.empty()) request.noted_options = {&options, 1};
  request.lost_options = lost;
  return request;
}

}  // namespace

SharedConfig ReadSharedConfig(const py::dict& description) {
  SharedConfig config;
  const auto get = [&description](const char* name) { return description[name]; };
  config.spec.observation = ReadFields(get("observation"));
  config.spec.action = ReadFields(get("action"));
  config.spec.info = ReadFields(get("info"));
  config.spec.max_num_players = py::cast<int>(get("max_num_players"));
  config.workers = py::cast<std::vector<int>>(get("workers"));
  config.in_process = py::cast<bool>(get("in_process"));
  config.check_actions = py::cast<bool>(get("check_actions"));
  config.step_timeout = ReadTimeout(py::cast<std::optional<double>>(get("step_timeout")));
  PoolConfig& pool = config.pool;
  pool.num_envs = py::cast<int>(get("num_envs"));
  pool.num_threads = config.workers.empty() ? 0 : *std::ranges::max_element(config.workers) + 1;
  pool.max_episode_steps = py::cast<int>(get("max_episode_steps"));
  ReadRun(description, pool);
  return config;
}

ProcessPoolBinding::ProcessPoolBinding(std::unique_ptr<ProcessPool> pool, py::dict description,
                                       const py::dict& plans, py::object write_choice)
    : FrontBinding(*pool, pool->Config().spec.action, ActionsOf::kPython,
                   pool->Config().pool.record, plans),
      description_(std::move(description)),
      write_choice_(std::move(write_choice)),
      pool_(std::move(pool)) {}

ProcessPoolBinding::~ProcessPoolBinding() {
  // In a forked child locks may be held for ever: leave it all be. On a slow disk its recorder
  // writes on, and only memory is lost.
  if (pool_->IsForked() || !CloseSoon()) static_cast<void>(pool_.release());
}

void ProcessPoolBinding::SetStation(py::object station) {
  auto* server = py::cast<PythonStation*>(station);
  station_ = std::move(station);
  pool_->SetServer([server] {
    const py::gil_scoped_acquire gil;
    return server->ServeCaller();
  });
}

py::object ProcessPoolBinding::Finish(const Parcel& parcel, bool is_reset) {
  py::list letters;
  for (const auto& [row, bytes] : parcel.delivery.letters) {
    const auto ids = pool_->GetLayout().env_id.At<std::int32_t>(parcel.block, row, 1);
    letters.append(py::make_tuple(row, ids[0], py::bytes(bytes)));
  }
  py::list failures;
  for (const EnvError& error : parcel.delivery.errors) {
    const bool is_letter = error.kind == EnvError::Kind::kLetter;
    const std::string& text = error.message;
    py::object said = is_letter ? py::object(py::bytes(text)) : py::str(text);
    failures.append(py::make_tuple(error.env_id, said));
  }
  return py::make_tuple(Builder().Build(parcel, is_reset), letters, failures, CutOff(parcel));
}

py::object ProcessPoolBinding::Reset(py::handle env_id, const std::vector<std::string>& letters,
                                     bool observe_others, const ResetNotes& notes) {
  const EnvIds ids = ReadEnvIds(env_id);
  return FrontBinding::Reset(RequestOf(ids.values, letters, observe_others, notes));
}

void ProcessPoolBinding::SendReset(py::handle env_id, const std::vector<std::string>& letters,
                                   bool observe_others, const ResetNotes& notes) {
  const EnvIds ids = ReadEnvIds(env_id);
  FrontBinding::SendReset(RequestOf(ids.values, letters, observe_others, notes));
}

Choice ProcessPoolBinding::ReadChoice(std::int32_t, py::handle choice) const {
  const auto [letter, noted] = py::cast<std::pair<std::string, std::string>>(
      write_choice_(*py::reinterpret_borrow<py::tuple>(choice)));
  Choice read = ByLetter(letter);
  read.seed = py::cast<std::optional<std::uint64_t>>(choice[py::int_(0)]);
  read.noted = noted;
  return read;
}

py::object ProcessPoolBinding::WriteChoice(const Choice& choice) const {
  return py::bytes(choice.options->Text(kLetter));
}

void ProcessPoolBinding::AwaitRecording(std::optional<double> timeout) {
  if (pool_->Config().pool.record.empty()) return;
  const std::optional<Duration> duration = ReadTimeout(timeout);
  const auto deadline = duration ? Clock::now() + *duration : Clock::time_point::max();
  const bool is_written =
      WhileClosing([&](Interrupt interrupt) { return pool_->Close(interrupt, deadline); });
  WarnOfEndedRecording();
  if (!is_written) WarnOfUnwrittenRecording();
}

void ProcessPoolBinding::Close() {
  WhileClosing([&](Interrupt) { pool_->End(); });
}

}  // namespace envpool
