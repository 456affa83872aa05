#include "bindings/python_station.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <utility>

#include "bindings/interpreter.h"
#include "bindings/python_players.h"

namespace envpool {

namespace {

// It is woken for everything that matters; this is only so that signals are noticed.
constexpr Duration kIdlePeriod = std::chrono::seconds(1);

std::vector<std::vector<py::object>> ReadPaths(const py::list& paths) {
  std::vector<std::vector<py::object>> read;
  for (const py::handle& path : paths) {
    std::vector<py::object>& keys = read.emplace_back();
    for (const py::handle& key : path) keys.push_back(py::reinterpret_borrow<py::object>(key));
  }
  return read;
}

}  // namespace

PythonStation::PythonStation(SharedConfig config, int worker, Files files,
                             const py::list& environments, const py::list& seeds,
                             const py::list& paths, Functions functions)
    : Station(std::move(config), worker, files),
      functions_(std::move(functions)),
      interface_{Config(), Shared(), ReadPaths(paths), functions_.assemble_action,
                 functions_.read_letter} {
  if (environments.size() != seeds.size())
    throw py::value_error("seeds: expected one per environment");
  std::size_t next = 0;
  for (std::size_t env = 0; env < Config().workers.size(); ++env) {
    if (Config().workers[env] != worker) continue;
    if (next == environments.size()) throw py::value_error("environments: there are too few");
    const auto id = static_cast<std::int32_t>(env);
    Put(id, MakeEnv(id, environments[next], seeds[next]));
    ++next;
  }
}

PythonStation::~PythonStation() = default;

std::unique_ptr<PythonEnv> PythonStation::MakeEnv(std::int32_t env, py::object environment,
                                                  py::object seed) const {
  if (Config().HasPlayers()) {
    return std::make_unique<PythonPlayers>(interface_, env, std::move(environment),
                                           std::move(seed));
  }
  return std::make_unique<PythonEnv>(interface_, env, std::move(environment), std::move(seed));
}

bool PythonStation::Serve() {
  const bool takes_control = std::this_thread::get_id() == first_thread_;
  while (!IsClosed()) {
    if (takes_control && TakeControl()) return true;
    if (!RunNext()) {
      const py::gil_scoped_release release;
      Await(kIdlePeriod, takes_control);
    }
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
  return false;
}

bool PythonStation::ServeCaller() {
  const bool has_run = RunNext();
  if (std::exchange(interface_.is_interrupted, false)) PyErr_SetInterrupt();
  return has_run;
}

void PythonStation::Replace(std::int32_t env, py::object environment) {
  if (env < 0 || env >= Config().pool.num_envs || &At(env) == nullptr) {
    throw py::index_error("environment " + std::to_string(env) + " is not of this worker");
  }
  Put(env, MakeEnv(env, std::move(environment), py::none()));
}

py::tuple PythonStation::GetEpisode(std::int32_t env) const {
  const EpisodeState state = StateOf(env);
  return py::make_tuple(state.elapsed_step, state.episode_return, state.episode_over);
}

void PythonStation::SetEpisode(std::int32_t env, std::int32_t elapsed_step, double episode_return,
                               bool is_over) {
  SetState(env, {elapsed_step, episode_return, is_over});
  EnvAt(env).NoteState(elapsed_step);
}

void PythonStation::EndWith(int descriptor) {
  std::thread([descriptor] {
    pollfd watched = {descriptor, POLLRDHUP, 0};
    while (poll(&watched, 1, -1) < 0 && errno == EINTR) {
    }
    kill(getpid(), SIGKILL);
  }).detach();
}

void PythonStation::Prepare(std::int32_t env, Task task, std::optional<std::string> letter) {
  EnvAt(env).Prepare(task, std::move(letter));
}

template <class Function>
py::object PythonStation::CallThrough(const Function& function) const {
  while (true) {
    try {
      return function();
    } catch (const py::error_already_set& raised) {
      if (!Config().in_process || !raised.matches(PyExc_KeyboardInterrupt)) throw;
      interface_.is_interrupted = true;
    }
  }
}

std::string PythonStation::WriteError(std::int32_t env, const py::object& exception) const {
  return py::cast<std::string>(CallThrough([&] { return functions_.write_error(env, exception); }));
}

std::string PythonStation::LetterOf(std::int32_t env, bool& failed, const std::string& error) {
  const PythonEnv& environment = EnvAt(env);
  if (failed) {
    py::object exception = environment.TakeException();
    if (!exception) exception = py::handle(PyExc_RuntimeError)(error);
    return WriteError(env, exception);
  }
  const auto& [observation, info, final_observation, final_info] = environment.Last();
  const auto is_empty = [](const py::object& dict) {
    return !dict || PyDict_GET_SIZE(dict.ptr()) == 0;
  };
  if (is_empty(info) && !final_observation && !functions_.always_write) return {};
  const auto or_none = [](const py::object& object) -> py::object {
    return object ? object : py::none();
  };
  try {
    const py::object letter = CallThrough([&] {
      return functions_.write_letter(env, or_none(observation), info, or_none(final_observation),
                                     or_none(final_info));
    });
    return letter.is_none() ? std::string() : py::cast<std::string>(letter);
  } catch (const py::error_already_set& raised) {
    failed = true;
    return WriteError(env, raised.value());
  }
}

}  // namespace envpool
