// PythonStation: a worker's station whose environments are written in Python.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bindings/python_env.h"
#include "workers/station.h"

namespace envpool {

class PythonStation final : public Station {
 public:
  // Of Python: see _core.pyi.
  struct Functions {
    py::object assemble_action;
    py::object read_letter;
    py::object write_letter;
    bool always_write;
    py::object write_error;
  };
  PythonStation(SharedConfig config, int worker, Files files, const py::list& environments,
                const py::list& seeds, const py::list& paths, Functions functions);
  // Under the GIL.
  ~PythonStation() override;

  // Runs requests; returns true when the worker is to look at its other channel, false when the
  // pool is closed. Only the thread that made the station is told the former.
  bool Serve();
  // Runs a request in the caller's own thread, if there is one. Ctrl-C waits until it is done.
  bool ServeCaller();

  void Replace(std::int32_t env, py::object environment);

  py::tuple GetEpisode(std::int32_t env) const;
  void SetEpisode(std::int32_t env, std::int32_t elapsed_step, double episode_return, bool is_over);

  // From now on the process is killed as soon as the other end of this socket is closed.
  static void EndWith(int descriptor);

 private:
  void Prepare(std::int32_t env, Task task, std::optional<std::string> letter) override;
  std::string LetterOf(std::int32_t env, bool& failed, const std::string& error) override;
  std::string WriteError(std::int32_t env, const py::object& exception) const;
  // Calls a function of ours, once more if Ctrl-C has ended it in the caller's own thread.
  template <class Function>
  py::object CallThrough(const Function& function) const;
  int CountActing(std::int32_t env) const override { return EnvAt(env).NumActing(); }
  std::unique_ptr<PythonEnv> MakeEnv(std::int32_t env, py::object environment,
                                     py::object seed) const;
  PythonEnv& EnvAt(std::int32_t env) const { return static_cast<PythonEnv&>(At(env)); }

  const Functions functions_;
  const PythonInterface interface_;
  const std::thread::id first_thread_ = std::this_thread::get_id();
};

}  // namespace envpool
