// PoolBinding: a Pool that speaks Python objects.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings/front_binding.h"
#include "executor/pool.h"
#include "xla/port.h"

namespace envpool {

class PoolBinding final : public FrontBinding {
 public:
  using Seeds = std::vector<std::optional<std::uint64_t>>;

  PoolBinding(std::shared_ptr<Pool> pool, const py::dict& plans);
  ~PoolBinding() override;

  // Seeds are None for environments that go on with their random generator.
  py::object Reset(py::handle env_id, const Seeds& seeds, const py::dict& options,
                   bool observe_others);
  void SendReset(py::handle env_id, const Seeds& seeds, const py::dict& options);

  // Slots for so many batches, with so many blocks; only of synchronous pools.
  std::shared_ptr<Slots> MakeSlots(std::size_t count, std::size_t blocks) const;
  // Reset and Step of all environments, whose results go to the first slot or to the next one.
  // Returns which one that is. Throws what they throw, and as Batches::Open does.
  std::size_t ResetInto(Slots& slots, const Seeds& seeds, const py::dict& options);
  std::size_t StepInto(Slots& slots, py::handle action);

  // Chooses all episodes of an environment; see ReadChoice. The pool is new.
  void SetAll(std::int32_t env, const py::list& choices);

  // Lists of bytes.
  py::list GetState(py::handle env_id);
  void SetState(const py::list& states, py::handle env_id);
  // A dict per environment.
  py::list GetOptions(py::handle env_id);
  void SetOptions(const py::list& options, py::handle env_id);
  std::vector<Random*> GetRandom();
  std::vector<std::int32_t> GetElapsedSteps();
  // uint8 of shape (ids, height, width, 3).
  py::object Render(py::handle env_id, int width, int height, int camera);
  // A dict of float64 arrays per environment.
  py::list Describe(py::handle env_id);
  // Takes what Describe returns.
  void Assume(const std::vector<Scene>& scenes, py::handle env_id);

  // Takes contiguous arrays of float64 and bool, and returns one of float64: see Lender::Judge.
  py::object Judge(py::handle env_id, const py::buffer& rewards, const py::buffer& terminated);

  // Returns the columns of a batch by name: dtype, shape of a row, whether there is one for each
  // player, and where in the batch's memory they begin.
  py::dict Columns() const;
  // The number by which compiled programs know this pool until it is closed. The names are those of
  // columns: what a step returns there, and what a reset.
  std::int64_t OpenPort(std::vector<std::string> step_columns,
                        std::vector<std::string> reset_columns, int seed_bits);

  // EnvironmentFailures that programs have met with since the last call: the latest ones.
  py::list TakeFailuresOfPort() const;

  void Close();
  // Closes the pool because the interpreter is about to exit, unless that takes longer.
  void End(double seconds);
  // The last thing before the process ends: what of a recording is not written by now is lost.
  void WarnOfRecording() const;
  // All that there are.
  static py::list Living();

 private:
  void WarnOf(const Delivery& delivery) override;
  py::object Finish(const Parcel& parcel, bool is_reset) override;
  void CheckSlots(const Slots& slots) const;
  std::size_t Keep(Delivery&& delivery, Slots& slots, bool is_reset);
  // One for each kind of environments, and what a recording notes of it; none if none are given.
  struct ResetOptions {
    std::vector<std::shared_ptr<const Options>> values;
    std::vector<std::string> noted;
  };
  ResetOptions ReadResetOptions(const py::dict& options) const;
  // A tuple of a seed, options and a snapshot, each of which may be None; the other way round, of
  // True for the snapshot.
  Choice ReadChoice(std::int32_t env, py::handle choice) const override;
  py::object WriteChoice(const Choice& choice) const override;
  // The options as JSON; nothing if the pool is not recorded.
  std::string NoteOf(const Options& options) const;
  void IssueWarningsOfPort() const;
  py::object Build(const Parcel& parcel, bool is_reset) const;
  py::object FailureOf(const Parcel& parcel, bool is_reset) const;

  std::shared_ptr<Pool> pool_;            // with the port
  std::shared_ptr<xla::PortEntry> port_;  // null unless it is open
};

}  // namespace envpool
