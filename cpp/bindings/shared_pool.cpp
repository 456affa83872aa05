#include "bindings/shared_pool.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

#include "bindings/config_bridge.h"
#include "bindings/interpreter.h"
#include "bindings/recording_warning.h"
#include "bindings/spec_bridge.h"

namespace envpool {

namespace {

std::unique_ptr<ProcessPool> MakePool(const py::dict& description, py::object describe_end) {
  const auto describe = [describe_end = std::move(describe_end)](int worker) {
    const py::gil_scoped_acquire gil;
    return py::cast<std::string>(describe_end(worker));
  };
  return std::make_unique<ProcessPool>(ReadSharedConfig(description), describe);
}

// How long one that nobody has any more may wait for a disk.
constexpr auto kPatience = std::chrono::milliseconds(200);

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
  pool.batch_size = py::cast<int>(get("batch_size"));
  pool.num_threads = config.workers.empty() ? 0 : *std::ranges::max_element(config.workers) + 1;
  pool.max_episode_steps = py::cast<int>(get("max_episode_steps"));
  pool.autoreset_mode = ReadAutoresetMode(py::cast<std::string>(get("autoreset_mode")));
  pool.record = py::cast<std::string>(get("record"));
  pool.layout.reward = ReadRewardType(py::cast<std::string>(get("reward_dtype")));
  pool.layout.time_step = py::cast<bool>(get("time_step"));
  pool.layout.episode_statistics = py::cast<bool>(get("episode_statistics"));
  pool.layout.final_rows = pool.autoreset_mode == AutoresetMode::kSameStep;
  return config;
}

SharedPool::SharedPool(py::dict description, const py::dict& plans, py::object describe_end)
    : description_(std::move(description)),
      pool_(MakePool(description_, std::move(describe_end))),
      builder_(pool_->GetLayout(), plans) {}

SharedPool::~SharedPool() {
  // In a forked child locks may be held for ever: leave it all be.
  if (pool_->IsForked()) {
    static_cast<void>(pool_.release());
    return;
  }
  bool is_written = false;
  {
    const auto patience = IsExiting() ? std::chrono::milliseconds(0) : kPatience;
    const py::gil_scoped_release release;
    pool_->Close();
    is_written = pool_->AwaitRecording(DontInterrupt, Clock::now() + patience);
  }
  // On a slow disk its recorder writes on, and only memory is lost.
  if (!is_written) static_cast<void>(pool_.release());
}

void SharedPool::SetWorker(int worker, int pid, int sentinel) {
  const Unlocked unlocked;
  pool_->SetWorker(worker, pid, sentinel);
}

std::vector<int> SharedPool::LostWorkers(py::handle env_id) {
  const EnvIds ids = ReadEnvIds(env_id);
  const Unlocked unlocked;
  return pool_->LostWorkers(ids.values);
}

py::list SharedPool::LostEnvs() {
  std::vector<RowFailure> lost;
  {
    const Unlocked unlocked;
    lost = pool_->LostEnvs();
  }
  py::list pairs;
  for (const RowFailure& each : lost) pairs.append(py::make_tuple(each.env_id, each.text));
  return pairs;
}

void SharedPool::SetStation(py::object station) {
  auto* server = py::cast<PythonStation*>(station);
  station_ = std::move(station);
  pool_->SetServer([server] {
    const py::gil_scoped_acquire gil;
    return server->ServeCaller();
  });
}

SharedPool::EnvIds SharedPool::ReadEnvIds(py::handle env_id) const {
  EnvIds ids;
  if (env_id.is_none()) {
    ids.values = pool_->AllIds();
  } else {
    ids.memory = ReadIds(env_id, "env_id");
    ids.values = ids.memory;
  }
  return ids;
}

SharedPool::Luggage SharedPool::ReadAction(py::handle action, std::size_t num_ids) const {
  if (py::isinstance<py::list>(action)) {
    return ReadLetters(py::reinterpret_borrow<py::list>(action));
  }
  Luggage luggage;
  const std::vector<Field>& fields = pool_->Config().spec.action;
  const auto arrays = py::cast<py::tuple>(action);
  if (arrays.size() != fields.size() || fields.empty()) {
    throw py::type_error("action: expected " + std::to_string(fields.size()) + " arrays");
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    ActionArray array = ReadActions(arrays[i], fields[i]);
    if (array.view.rows != num_ids && !fields[i].per_player) {
      throw py::value_error(fields[i].name + " has " + std::to_string(array.view.rows) +
                            " rows, expected " + std::to_string(num_ids) + ", one per env_id");
    }
    luggage.owners.push_back(std::move(array.owner));
    luggage.views.push_back(array.view);
  }
  return luggage;
}

SharedPool::Luggage SharedPool::ReadLetters(const py::list& letters) const {
  Luggage luggage;
  for (const py::handle& letter : letters) {
    luggage.letters.push_back(letter.is_none() ? std::string() : py::cast<std::string>(letter));
  }
  return luggage;
}

SharedPool::Luggage SharedPool::ReadResets(const py::list& letters, py::handle notes,
                                           std::size_t num_ids) const {
  Luggage luggage = ReadLetters(letters);
  if (notes.is_none()) return luggage;
  auto [seeds, options, lost] =
      py::cast<std::tuple<std::vector<std::optional<std::uint64_t>>, std::string, std::string>>(
          notes);
  if (!seeds.empty() && seeds.size() != num_ids) {
    throw py::value_error("seeds: expected one per env_id");
  }
  luggage.notes = ResetNotes{std::move(seeds), std::move(options), std::move(lost)};
  return luggage;
}

py::tuple SharedPool::Finish(Parcel parcel, bool is_reset) const {
  WarnOfEndedRecording(pool_->TakeRecordingProblem());
  py::list letters;
  for (const auto& [row, bytes] : parcel.letters) {
    letters.append(py::make_tuple(row, py::bytes(bytes)));
  }
  py::list failures;
  for (const auto& [env_id, text, is_letter] : parcel.failures) {
    py::object said = is_letter ? py::object(py::bytes(text)) : py::object(py::str(text));
    failures.append(py::make_tuple(env_id, said));
  }
  return py::make_tuple(builder_.Build(std::move(parcel.delivery), is_reset), letters, failures);
}

py::tuple SharedPool::Step(py::handle action, py::handle env_id) {
  const EnvIds ids = ReadEnvIds(env_id);
  const Luggage luggage = ReadAction(action, ids.values.size());
  Parcel parcel;
  {
    const Unlocked unlocked;
    parcel = pool_->Step(ids.values, luggage.Get(), CheckInterrupt);
  }
  return Finish(std::move(parcel), false);
}

py::tuple SharedPool::Reset(py::handle env_id, const py::list& letters, bool observe_others,
                            py::handle notes) {
  const EnvIds ids = ReadEnvIds(env_id);
  const Luggage luggage = ReadResets(letters, notes, ids.values.size());
  Parcel parcel;
  {
    const Unlocked unlocked;
    parcel = pool_->Reset(ids.values, luggage.Get(), observe_others, CheckInterrupt);
  }
  return Finish(std::move(parcel), true);
}

void SharedPool::Send(py::handle action, py::handle env_id) {
  const EnvIds ids = ReadEnvIds(env_id);
  const Luggage luggage = ReadAction(action, ids.values.size());
  const Unlocked unlocked;
  pool_->Send(ids.values, luggage.Get());
}

void SharedPool::SendReset(py::handle env_id, const py::list& letters, py::handle notes) {
  const EnvIds ids = ReadEnvIds(env_id);
  const Luggage luggage = ReadResets(letters, notes, ids.values.size());
  const Unlocked unlocked;
  pool_->SendReset(ids.values, luggage.Get());
}

py::tuple SharedPool::Receive(bool is_reset, std::optional<double> timeout) {
  std::optional<Parcel> parcel;
  {
    const Unlocked unlocked;
    parcel = pool_->Receive(ReadTimeout(timeout), CheckInterrupt);
  }
  if (!parcel) {
    PyErr_SetString(PyExc_TimeoutError, "recv(): no batch was ready in time");
    throw py::error_already_set();
  }
  return Finish(std::move(*parcel), is_reset);
}

void SharedPool::Discard() {
  const Unlocked unlocked;
  pool_->Discard(CheckInterrupt);
}

void SharedPool::CheckIdle(py::handle env_id, bool mended) {
  const EnvIds ids = ReadEnvIds(env_id);
  const Unlocked unlocked;
  pool_->CheckIdle(ids.values, mended);
}

void SharedPool::SetOver(py::handle env_id, const std::vector<bool>& over,
                         const std::vector<int>& acting) {
  const EnvIds ids = ReadEnvIds(env_id);
  if (over.size() != ids.values.size()) throw py::value_error("over: expected one per env_id");
  if (acting.size() != ids.values.size()) throw py::value_error("acting: expected one per env_id");
  const Unlocked unlocked;
  pool_->SetOver(ids.values, over, acting);
}

void SharedPool::CheckPlayers(py::handle env_id, py::handle players_env_id) {
  const EnvIds ids = ReadEnvIds(env_id);
  const std::vector<std::int32_t> owners = ReadIds(players_env_id, "players.env_id");
  const Unlocked unlocked;
  pool_->CheckPlayers(ids.values, owners);
}

void SharedPool::NoteLost(py::handle env_id, const std::string& why) {
  const EnvIds ids = ReadEnvIds(env_id);
  const Unlocked unlocked;
  pool_->NoteLost(ids.values, why);
}

py::dict SharedPool::Stats(bool restart) {
  SharedStats stats;
  {
    const Unlocked unlocked;
    stats = pool_->Stats(restart);
  }
  py::dict result;
  result["elapsed_ns"] = stats.elapsed_ns;
  result["batches"] = stats.batches;
  result["receive_wait_ns"] = stats.receive_wait_ns;
  result["steps"] = stats.steps;
  result["episodes"] = stats.episodes;
  result["env_ns"] = stats.env_ns;
  result["copy_ns"] = stats.copy_ns;
  result["idle_ns"] = stats.idle_ns;
  return result;
}

void SharedPool::AwaitRecording(std::optional<double> timeout) {
  bool is_written = false;
  {
    const std::optional<Duration> duration = ReadTimeout(timeout);
    const auto deadline = duration ? Clock::now() + *duration : Clock::time_point::max();
    is_written = WhileClosing(
        [&](Interrupt interrupt) { return pool_->AwaitRecording(interrupt, deadline); });
  }
  WarnOfEndedRecording(pool_->TakeRecordingProblem());
  if (!is_written) WarnOfUnwrittenRecording(pool_->Config().pool.record);
}

void SharedPool::Close() {
  WhileClosing([&](Interrupt) { pool_->Close(); });
}

}  // namespace envpool
