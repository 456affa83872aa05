// PythonEnv: an environment written in Python, as the executor knows environments.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workers/station.h"

namespace envpool {

namespace py = pybind11;

// Functions of Python: see _core.pyi.
struct PythonFunctions {
  py::object assemble_action;  // makes an action of a tuple of arrays; None: one array is one
  py::object read_letter;      // bytes to the arguments of a reset, or an action
  py::object write_letter;
  bool always_write;
  py::object write_error;
  py::object own_results;  // copies of an observation and an info, as a tuple
  bool casts;              // observations; see CopyInto
  py::object end_child;    // ends the process because of an exception
  py::object describe;     // an exception in words
};

// The keys that lead to an array in an observation, to look up one after the other.
using KeyPath = std::vector<py::object>;

// Returns this part of an observation. Throws what tells how the observation lacks it.
py::object PartOf(const py::object& observation, const KeyPath& path);

// What a worker's environments have in common.
struct PythonInterface {
  const Station& station;
  std::vector<KeyPath> paths;  // of an observation's arrays
  PythonFunctions functions;
  // In the caller's own thread: Ctrl-C came in an environment. The caller learns of it when the
  // request is done: a row that is begun gets written.
  mutable py::object interruption = {};
};

// All of it under the GIL. What Python raises is kept, and the executor is told that there was
// something.
class PythonEnv : public ServedEnv {
 public:
  // `seed` is that of the first reset, unless that one is given another; None if it has none.
  PythonEnv(const PythonInterface& interface, std::int32_t id, py::object environment,
            py::object seed);

  // Another state was given to the environment, so many steps after the beginning of an episode.
  virtual void NoteState(std::int32_t /*elapsed_step*/) {}

  void Prepare(Task task, std::optional<std::string> letter) override;
  std::string TakeLetter(bool& failed, const std::string& error) override;

  void Reset(Random& random, const Options& options) override;
  StepResult Step(const Action& action, Random& random) override;
  void Observe(const Row& row) const override;

 protected:
  const PythonInterface& Interface() const { return interface_; }
  const Spec& GetSpec() const { return interface_.station.Config().spec; }
  std::size_t Id() const { return static_cast<std::size_t>(id_); }
  const py::object& Environment() const { return environment_; }
  // The last observation and info of an episode, which stay as they are whatever comes after.
  virtual py::tuple CopyLast() const;
  // Writes what was observed last to a row.
  virtual void WriteTo(const Row& row) const;
  void NoteStepped() { has_stepped_ = true; }
  // Returns the seed and the options of the reset that is under way, by the options of Reset.
  py::dict ReadResetArguments(const Options& options);
  py::object ReadAction(std::size_t player = 0) const;
  void SetInfo(py::object info) { outcome_.info = std::move(info); }
  // True after it has raised something in this request, or its worker has ended in it; a reset may
  // have followed.
  bool HasFailed() const { return has_lost_worker_ || static_cast<bool>(exception_); }

  // Whatever it raises, Ctrl-C and the end of the interpreter included, is this environment's
  // failure.
  template <class Result, class Function>
  Result Guard(Function function) const {
    try {
      return function();
    } catch (...) {
      KeepException();
    }
  }

 private:
  // What the last request came to. The final ones are null unless an episode ended and the next
  // one began.
  struct Outcome {
    py::object observation;
    py::object info;
    py::object final_observation;
    py::object final_info;
  };

  std::string WriteError(const py::object& exception) const;
  void TakeInfo(py::handle info, const char* method);
  [[noreturn]] void KeepException() const;

  const PythonInterface& interface_;
  const std::int32_t id_;
  const py::object environment_;
  py::object seed_;
  bool is_asked_to_reset_ = false;
  bool has_lost_worker_ = false;  // in this request
  bool has_stepped_ = false;      // in this request
  bool was_reset_ = false;        // after a failure in this request
  std::optional<std::string> letter_;
  Outcome outcome_;
  mutable py::object exception_;  // what it raised; null if nothing
};

}  // namespace envpool
