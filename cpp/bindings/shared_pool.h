// SharedPool: a ProcessPool that speaks Python objects.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings/front_binding.h"
#include "workers/process_pool.h"

namespace envpool {

// The configuration that both sides are given: see _core.pyi.
SharedConfig ReadSharedConfig(const py::dict& description);

class SharedPool final : public FrontBinding {
 public:
  SharedPool(py::dict description, const py::dict& plans, py::object describe_end);
  ~SharedPool() override;

  py::dict Description() const { return description_; }
  std::vector<int> Files() const { return pool_->Files(); }
  void SetWorker(int worker, int pid, int sentinel);
  std::vector<int> LostWorkers(py::handle env_id);
  py::list LostEnvs();  // pairs of an id and a text
  void SetStation(py::object station);

  // All results are (results, letters, failures). `notes` are for a recording: None, or seeds,
  // options as JSON, and why these are lost.
  py::object Reset(py::handle env_id, const py::list& letters, bool observe_others,
                   py::handle notes);
  void SendReset(py::handle env_id, const py::list& letters, py::handle notes);

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
  SharedPool(std::unique_ptr<ProcessPool> pool, py::dict description, const py::dict& plans);

  Luggage ReadAction(py::handle action, std::size_t num_ids) override;
  py::object Finish(Delivery delivery, bool is_reset) const override;

  const py::dict description_;
  py::object station_;
  std::unique_ptr<ProcessPool> pool_;
};

}  // namespace envpool
