#include "bindings/python_players.h"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>

#include "bindings/numpy_bridge.h"

namespace envpool {

void PythonPlayers::NoteState(std::int32_t elapsed_step) {
  players_.clear();
  elapsed_step_ = elapsed_step;
}

int PythonPlayers::NumActing() const {
  return static_cast<int>(std::ranges::count_if(players_, std::not_fn(&Player::IsGone)));
}

void PythonPlayers::ReadPlayers(const py::list& rows) {
  players_.clear();
  for (const py::handle& row : rows) {
    const auto entries = py::reinterpret_borrow<py::tuple>(row);
    players_.push_back({py::cast<std::int32_t>(entries[0]), entries[1],
                        py::cast<double>(entries[2]), py::cast<bool>(entries[3]),
                        py::cast<bool>(entries[4])});
  }
}

void PythonPlayers::Reset(Random&, const Options& options) {
  Guard<void>([&] {
    const py::tuple result = Environment().attr("reset")(**ReadResetArguments(options));
    ReadPlayers(result[0]);
    SetInfo(result[1]);
    elapsed_step_ = 0;
    // The row of this reset is the end of the episode in which it failed.
    for (Player& player : players_) player.truncated = HasFailed();
  });
}

// Returns the actions of agents that are still there; agents that are gone may have been given one.
py::list PythonPlayers::ReadActions() const {
  const std::size_t count = Interface().station.Shared().Env(Id()).action_rows;
  const bool has_others = count == players_.size();
  py::list actions;
  for (std::size_t i = 0; i < count; ++i) {
    if (!has_others || !players_[i].IsGone()) actions.append(ReadAction(i));
  }
  return actions;
}

StepResult PythonPlayers::Step(const Action&, Random&) {
  return Guard<StepResult>([this] {
    static PyObject* const kStep = PyUnicode_InternFromString("step");
    const py::list actions = ReadActions();
    PyObject* returned = PyObject_CallMethodOneArg(Environment().ptr(), kStep, actions.ptr());
    if (returned == nullptr) throw py::error_already_set();
    const auto result = py::reinterpret_steal<py::tuple>(returned);
    ReadPlayers(result[0]);
    SetInfo(result[3]);
    if (++elapsed_step_ >= Interface().station.Config().pool.max_episode_steps) {
      for (Player& player : players_) player.truncated |= !player.terminated;
    }
    // The reward is read where there can be one player only.
    return StepResult{.reward = players_.at(0).reward,
                      .terminated = py::cast<bool>(result[1]),
                      .truncated = py::cast<bool>(result[2])};
  });
}

void PythonPlayers::CopyObservation(const Player& player, std::size_t field,
                                    std::byte* memory) const {
  const auto whose = [&](const std::exception& error) {
    const py::object agent = Environment().attr("possible_agents")[py::int_(player.id)];
    return "agent " + std::string(py::repr(agent)) + ": " + error.what();
  };
  try {
    const py::object value = PartOf(player.observation, Interface().paths[field]);
    CopyInto(value, GetSpec().observation[field], memory, false);
  } catch (const py::value_error& error) {
    throw py::value_error(whose(error));
  } catch (const py::type_error& error) {
    throw py::type_error(whose(error));
  }
}

void PythonPlayers::Observe(const Row& row) const {
  Guard<void>([&] {
    if (players_.empty()) throw std::runtime_error("it was never reset: there is no observation");
    const std::vector<Field>& fields = GetSpec().observation;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      VisitDType(fields[i].dtype, [&]<class T>() {
        auto* memory = reinterpret_cast<std::byte*>(row.Observation<T>(i).data());
        for (const Player& player : players_) {
          CopyObservation(player, i, memory);
          memory += fields[i].Bytes();
        }
      });
    }
    // As envpool.workers.spaces.PLAYER_INFOS has them.
    const auto ids = row.Info<std::int32_t>(0);
    const auto terminated = row.Info<bool>(1);
    const auto truncated = row.Info<bool>(2);
    for (std::size_t i = 0; i < players_.size(); ++i) {
      ids[i] = players_[i].id;
      terminated[i] = players_[i].terminated;
      truncated[i] = players_[i].truncated;
    }
  });
}

}  // namespace envpool
