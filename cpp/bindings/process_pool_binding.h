// ProcessPoolBinding: a ProcessPool that speaks Python objects.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/front_binding.h"
#include "bindings/interpreter.h"
#include "workers/process_pool.h"

namespace envpool {

// The configuration that both sides are given: see _core.pyi.
SharedConfig ReadSharedConfig(const py::dict& description);

class ProcessPoolBinding final : public FrontBinding {
 public:
  // `description` is what the pool was configured by; `write_choice` see _core.pyi.
  ProcessPoolBinding(std::unique_ptr<ProcessPool> pool, py::dict description, const py::dict& plans,
                     py::object write_choice);
  ~ProcessPoolBinding() override;

  py::dict Description() const { return description_; }
  std::vector<int> Files() const { return pool_->Files(); }
  void SetStation(py::object station);

  // What Python calls to have a method of the pool called, without the GIL.
  template <class Result, class... Arguments>
  static auto Call(Result (ProcessPool::*method)(Arguments...)) {
    return [method](ProcessPoolBinding& binding, Arguments... arguments) {
      return WithoutGil(
          [&] { return ((*binding.pool_).*method)(std::forward<Arguments>(arguments)...); });
    };
  }
  // The same for one whose first argument are ids of environments.
  template <class Result, class... Arguments>
  static auto CallWithIds(Result (ProcessPool::*method)(std::span<const std::int32_t>,
                                                        Arguments...)) {
    return [method](ProcessPoolBinding& binding, py::handle env_id, Arguments... arguments) {
      const EnvIds ids = binding.ReadEnvIds(env_id);
      return WithoutGil([&] {
        return ((*binding.pool_).*method)(ids.values, std::forward<Arguments>(arguments)...);
      });
    };
  }

  // A reset as a recording notes it: seeds, options as JSON, and why these are lost.
  using ResetNotes =
      std::tuple<std::vector<std::optional<std::uint64_t>>, std::string, std::string>;
  // All results are parcels of _core.pyi.
  py::object Reset(py::handle env_id, const std::vector<std::string>& letters, bool observe_others,
                   const ResetNotes& notes);
  void SendReset(py::handle env_id, const std::vector<std::string>& letters, bool observe_others,
                 const ResetNotes& notes);

  void Close();
  // After that: waits for so many seconds at most until what is recorded is written.
  void AwaitRecording(std::optional<double> timeout);

 private:
  py::object Finish(const Parcel& parcel, bool is_reset) override;
  // A tuple of a seed, options and None; the other way round, the letter.
  Choice ReadChoice(std::int32_t env, py::handle choice) const override;
  py::object WriteChoice(const Choice& choice) const override;

  const py::dict description_;
  const py::object write_choice_;
  py::object station_;
  std::unique_ptr<ProcessPool> pool_;
};

}  // namespace envpool
