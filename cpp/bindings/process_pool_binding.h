// ProcessPoolBinding: a ProcessPool that speaks Python objects.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/front_binding.h"
#include "workers/process_pool.h"

namespace envpool {

// The configuration that both sides are given: see _core.pyi.
SharedConfig ReadSharedConfig(const py::dict& description);

class ProcessPoolBinding final : public FrontBinding {
 public:
  ProcessPoolBinding(py::dict description, const py::dict& plans,
                     ProcessPool::DescribeEnd describe_end);
  ~ProcessPoolBinding() override;

  py::dict Description() const { return description_; }
  std::vector<int> Files() const { return pool_->Files(); }
  void SetWorker(int worker, int pid, int sentinel);
  void SetRestart(ProcessPool::Restart restart) { pool_->SetRestart(std::move(restart)); }
  std::vector<int> AwaitingRestart();
  std::vector<int> LateWorkers();
  std::vector<int> LostWorkers(py::handle env_id);
  std::vector<ProcessPool::LostEnv> LostEnvs();
  void SetStation(py::object station);

  // A reset as a recording notes it: seeds, options as JSON, and why these are lost.
  using ResetNotes =
      std::tuple<std::vector<std::optional<std::uint64_t>>, std::string, std::string>;
  // All results are parcels of _core.pyi.
  py::object Reset(py::handle env_id, const std::vector<std::string>& letters, bool observe_others,
                   const ResetNotes& notes);
  void SendReset(py::handle env_id, const std::vector<std::string>& letters, bool observe_others,
                 const ResetNotes& notes);

  void RingForControl(int worker) { pool_->RingForControl(worker); }
  void CheckIdle(py::handle env_id, bool mended);
  void SetOver(py::handle env_id, const std::vector<bool>& over, const std::vector<int>& acting);
  // For a recording; see ProcessPool.
  void NoteLost(py::handle env_id, const std::string& why);
  void Fail(std::int32_t env, const std::string& why);
  void Close();
  // After that: waits for so many seconds at most until what is recorded is written.
  void AwaitRecording(std::optional<double> timeout);

 private:
  ProcessPoolBinding(std::unique_ptr<ProcessPool> pool, py::dict description,
                     const py::dict& plans);

  Luggage ReadAction(py::handle action, std::size_t num_ids) override;
  py::object Finish(const Parcel& parcel, bool is_reset) override;

  const py::dict description_;
  py::object station_;
  std::unique_ptr<ProcessPool> pool_;
};

}  // namespace envpool
