// PythonPlayers: an environment of several players written in Python, as the executor knows them.
#pragma once

#include <vector>

#include "bindings/python_env.h"

namespace envpool {

// The environment is a ParallelEnvironment of envpool.workers.worker_side.parallel, which sees to
// it that what its methods return has the form that is read here.
class PythonPlayers final : public PythonEnv {
 public:
  using PythonEnv::PythonEnv;

  void NoteState(std::int32_t elapsed_step) override;
  int NumActing() const override;

  void Reset(Random& random, const Options& options) override;
  StepResult Step(const Action& action, Random& random) override;
  void Observe(const Row& row) const override;
  int NumPlayers() const override { return static_cast<int>(players_.size()); }
  double PlayerReward(int player) const override {
    return players_[static_cast<std::size_t>(player)].reward;
  }

 private:
  // One of those who took part in the last step, or who begin an episode.
  struct Player {
    std::int32_t id;
    py::object observation;
    double reward;
    bool terminated;
    bool truncated;

    bool IsGone() const { return terminated || truncated; }
  };

  py::list ReadActions() const;
  void ReadPlayers(const py::list& rows);
  void CopyObservation(const Player& player, std::size_t field, std::byte* memory) const;

  std::vector<Player> players_;  // empty if nobody knows, after another state was given
  std::int32_t elapsed_step_ = 0;
};

}  // namespace envpool
