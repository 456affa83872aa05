#include "bindings/python_station.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <latch>
#include <utility>

#include "bindings/python_players.h"
#include "platform/platform.h"

namespace envpool {

namespace {

// A worker is woken for every request; this period only lets it notice signals.
constexpr Duration kIdlePeriod = std::chrono::seconds(1);

Station::Together TogetherIn(PythonGroup* group) {
  if (group == nullptr) return {};
  return {[group](std::span<Turn> turns) { group->Step(turns); }, [group] { group->Finish(); }};
}

}  // namespace

PythonStation::PythonStation(SharedConfig config, int worker, Station::Files files,
                             const std::vector<EnvTuple>& environments, std::vector<KeyPath> paths,
                             PythonFunctions functions, py::object group)
    : group_(group.is_none() ? nullptr : std::make_unique<PythonGroup>(std::move(group))),
      station_(std::move(config), worker, files, nullptr, TogetherIn(group_.get())),
      interface_{station_, std::move(paths), std::move(functions)} {
  for (const auto& [env, environment, seed] : environments) Put(env, environment, seed);
}

void PythonStation::Put(std::int32_t env, py::object environment, py::object seed) {
  std::unique_ptr<PythonEnv> made;
  if (group_) {
    made = group_->MakeSeat(interface_, env, std::move(environment), std::move(seed));
  } else if (station_.Config().HasPlayers()) {
    made =
        std::make_unique<PythonPlayers>(interface_, env, std::move(environment), std::move(seed));
  } else {
    made = std::make_unique<PythonEnv>(interface_, env, std::move(environment), std::move(seed));
  }
  station_.Put(env, std::move(made));
}

bool PythonStation::Serve() {
  const bool takes_control = std::this_thread::get_id() == first_thread_;
  while (!station_.IsClosed()) {
    station_.CheckNotForked();
    if (takes_control && station_.TakeControl()) return true;
    if (!station_.RunNext()) {
      const py::gil_scoped_release release;
      station_.Await(kIdlePeriod, takes_control);
    }
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
  return false;
}

bool PythonStation::ServeCaller() {
  const bool has_run = station_.RunNext();
  if (const py::object raised = std::exchange(interface_.interruption, {})) {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised.ptr())), raised.ptr());
    throw py::error_already_set();
  }
  return has_run;
}

void PythonStation::Replace(std::int32_t env, py::object environment) {
  Put(env, std::move(environment), py::none());
}

void PythonStation::SetEpisode(std::int32_t env, const EpisodeState& episode) {
  station_.SetState(env, episode);
  static_cast<PythonEnv*>(station_.Find(env))->NoteState(std::get<0>(episode));
}

void PythonStation::EndWith(int lifeline) {
  KillAtHangUp(lifeline);
  std::latch is_watched(1);
  std::thread([lifeline, &is_watched] {
    KeepOnly(static_cast<unsigned>(lifeline));
    is_watched.count_down();
    pollfd watched = {lifeline, POLLIN, 0};
    while (poll(&watched, 1, -1) < 0 && errno == EINTR) {
    }
    kill(getpid(), SIGKILL);
  }).detach();
  is_watched.wait();
}

}  // namespace envpool
