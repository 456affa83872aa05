// SharedPool: a ProcessPool that speaks Python objects.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings/numpy_bridge.h"
#include "bindings/python_station.h"
#include "bindings/result_builder.h"
#include "workers/process_pool.h"

namespace envpool {

// The configuration that both sides are given: see _core.pyi.
SharedConfig ReadSharedConfig(const py::dict& description);

class SharedPool {
 public:
  SharedPool(py::dict description, const py::dict& plans, py::object describe_end);
  ~SharedPool();

  py::dict Description() const { return description_; }
  std::vector<int> Files() const { return pool_->Files(); }
  void SetWorker(int worker, int pid, int sentinel);
  std::vector<int> LostWorkers(py::handle env_id);
  py::list LostEnvs();  // pairs of an id and a text
  void SetStation(py::object station);

  // All results are (results, letters, failures).
  py::tuple Step(py::handle action, py::handle env_id);
  py::tuple Reset(py::handle env_id, const py::list& letters, bool observe_others,
                  py::handle notes);
  void Send(py::handle action, py::handle env_id);
  void SendReset(py::handle env_id, const py::list& letters, py::handle notes);
  py::tuple Receive(bool is_reset, std::optional<double> timeout);
  void Discard();
  void CheckPlayers(py::handle env_id, py::handle players_env_id);

  void RingForControl(int worker) { pool_->RingForControl(worker); }
  void CheckIdle(py::handle env_id, bool mended);
  void SetOver(py::handle env_id, const std::vector<bool>& over, const std::vector<int>& acting);
  // For a recording; see ProcessPool.
  void NoteLost(py::handle env_id, const std::string& why);
  py::dict Stats(bool restart);
  void Close();
  // After that: waits for so many seconds at most until what is recorded is written.
  void AwaitRecording(std::optional<double> timeout);

 private:
  struct EnvIds {
    std::vector<std::int32_t> memory;
    std::span<const std::int32_t> values;
  };
  // What requests bring along, and what keeps its memory alive.
  struct Luggage {
    std::vector<py::object> owners;
    std::vector<ArrayView> views;
    std::vector<std::string> letters;
    std::optional<ResetNotes> notes = std::nullopt;

    Contents Get() const { return {views, letters, notes ? &*notes : nullptr}; }
  };

  EnvIds ReadEnvIds(py::handle env_id) const;
  Luggage ReadAction(py::handle action, std::size_t num_ids) const;
  Luggage ReadLetters(const py::list& letters) const;
  // `notes` are None, or a tuple of what ResetNotes have.
  Luggage ReadResets(const py::list& letters, py::handle notes, std::size_t num_ids) const;
  py::tuple Finish(Parcel parcel, bool is_reset) const;

  const py::dict description_;
  py::object station_;
  std::unique_ptr<ProcessPool> pool_;
  ResultBuilder builder_;
};

}  // namespace envpool
