// PythonStation: a worker's station as Python sees it, with environments that are written in
// Python.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <thread>
#include <tuple>
#include <vector>

#include "bindings/python_env.h"
#include "bindings/python_group.h"
#include "workers/station.h"

namespace envpool {

// An environment's id, itself, and the seed of its first reset or None.
using EnvTuple = std::tuple<std::int32_t, py::object, py::object>;

class PythonStation {
 public:
  PythonStation(SharedConfig config, int worker, Station::Files files,
                const std::vector<EnvTuple>& environments, std::vector<KeyPath> paths,
                PythonFunctions functions, py::object group);

  // Runs requests; returns true when the worker is to look at its other channel, false when the
  // pool is closed. Only the thread that made the station is told the former.
  bool Serve();
  // Says whether the worker is busy with that channel, or closes its environments.
  void SetAnswering(bool answers) { station_.SetAnswering(answers); }
  // Runs a request in the caller's own thread, if there is one. Ctrl-C waits until it is done.
  bool ServeCaller();

  void Replace(std::int32_t env, py::object environment);

  EpisodeState GetEpisode(std::int32_t env) const { return station_.StateOf(env); }
  void SetEpisode(std::int32_t env, const EpisodeState& episode);

  // From now on the process is killed as soon as the other end of this pipe is closed, also if it
  // is stopped, and whatever environments do to its files.
  static void EndWith(int lifeline);

 private:
  void Put(std::int32_t env, py::object environment, py::object seed);

  const std::unique_ptr<PythonGroup> group_;  // of all environments; null if each is on its own
  Station station_;
  const PythonInterface interface_;
  const std::thread::id first_thread_ = std::this_thread::get_id();
};

}  // namespace envpool
