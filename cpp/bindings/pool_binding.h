// PoolBinding: a Pool that speaks Python objects.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings/numpy_bridge.h"
#include "bindings/result_builder.h"
#include "executor/pool.h"
#include "xla/ports.h"

namespace envpool {

class PoolBinding {
 public:
  using Seeds = std::vector<std::optional<std::uint64_t>>;

  // What results look like: see ResultBuilder.
  PoolBinding(PoolConfig config, const py::dict& plans);
  ~PoolBinding();

  py::object Step(py::handle action, py::handle env_id);
  // Seeds are None for environments that go on with their random generator.
  py::object Reset(py::handle env_id, const Seeds& seeds, const py::dict& options,
                   bool observe_others);
  void Send(py::handle action, py::handle env_id);
  // Throws unless the second has the ids of the first, once for each player.
  void CheckPlayers(py::handle env_id, py::handle players_env_id);
  void SendReset(py::handle env_id, const Seeds& seeds, const py::dict& options);
  py::object Receive(bool is_reset, std::optional<double> timeout);

  // Lists of bytes.
  py::list GetState(py::handle env_id);
  void SetState(const py::list& states, py::handle env_id);
  // A dict per environment.
  py::list GetOptions(py::handle env_id);
  void SetOptions(const py::list& options, py::handle env_id);
  // What numpy.random.PCG64.state would say, per environment.
  py::list GetRandomState();
  std::vector<std::int32_t> GetElapsedSteps();
  // uint8 of shape (ids, height, width, 3).
  py::object Render(py::handle env_id, int width, int height, int camera);
  // A dict of float64 arrays per environment.
  py::list Describe(py::handle env_id);
  // Takes what Describe returns.
  void Assume(const std::vector<Scene>& scenes, py::handle env_id);
  py::dict Stats(bool restart);

  // Its columns by name: dtype, shape of a row, and whether there is one for each player.
  py::dict Columns() const;
  // The number by which compiled programs know this pool until it is closed. The names are those of
  // columns: what a step returns there, and what a reset.
  std::int64_t OpenPort(std::vector<std::string> step_columns,
                        std::vector<std::string> reset_columns, int seed_bits);

  // EnvironmentFailures that programs have met with since the last call: the latest ones.
  py::list TakeFailuresOfPort() const;

  void Discard();
  void Close();
  // Closes the pool because the interpreter is about to exit, unless that takes longer.
  void End(double seconds);
  // The last thing before the process ends: what of a recording is not written by now is lost.
  void WarnOfRecording() const;
  // All that there are.
  static py::list Living();

 private:
  template <class Result, class... T>
  Result Call(Result (Pool::*method)(T...), T... arguments);

  // The requested actions, converted as far as Python is needed for it.
  struct Actions {
    std::vector<py::object> owners;
    std::vector<ArrayView> views;
  };

  // The ids of a request, and their memory if it is not the pool's own list of all ids.
  struct EnvIds {
    std::vector<std::int32_t> memory;
    std::span<const std::int32_t> values;
  };

  EnvIds ReadEnvIds(py::handle env_id) const;
  Actions ReadAllActions(py::handle action, std::size_t num_ids);
  void DropExcessRows(ArrayView& view, const Field& field, std::size_t num_ids);
  // Those of each kind of environments; none if there are none.
  std::vector<std::shared_ptr<const Options>> ReadResetOptions(const py::dict& options) const;
  static void IssueWarnings(const std::vector<EnvWarning>& warnings);
  void IssueWarningsOfPort() const;
  py::object Finish(Delivery delivery, bool is_reset) const;
  py::object FailureOf(Delivery delivery, bool is_reset) const;

  std::shared_ptr<Pool> pool_;            // with the port
  std::shared_ptr<xla::PortEntry> port_;  // null unless it is open
  ResultBuilder builder_;
  bool warned_of_rows_ = false;
};

}  // namespace envpool
