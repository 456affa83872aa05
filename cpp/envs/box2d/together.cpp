#include "box2d/together.h"

#include <exception>

namespace envpool::box2d {

namespace {

// A step cannot be stopped in its middle, where its world needs the iterations. But there it can
// step the next environment, inside of its own step: once the last of them has come so far, the
// iterations of all are run, and then one step after the other goes on to its end.
class Nest final : private b2VelocitySolver {
 public:
  explicit Nest(std::span<Turn> turns) : turns_(turns) {}

  void Run() { Begin(0); }

 private:
  void Begin(std::size_t index);
  void Solve(b2Joint** joints, int32 joint_count, b2ContactSolver& contacts,
             const b2SolverData& data) override;

  const std::span<Turn> turns_;
  std::size_t begun_ = 0;  // the last one that was begun
  std::array<Island, kLanes> waiting_;
  std::size_t num_waiting_ = 0;
};

// Steps this environment and those after it.
void Nest::Begin(std::size_t index) {
  begun_ = index;
  if (index == turns_.size()) {
    Iterate(std::span(waiting_).first(num_waiting_));
    return;
  }
  Turn& turn = turns_[index];
  World& world = static_cast<WorldEnv&>(turn.env).GetWorld();
  world->SetVelocitySolver(this);
  try {
    turn.result = turn.env.Step(turn.action, turn.random);
  } catch (...) {
    turn.failure = std::current_exception();
  }
  world->SetVelocitySolver(nullptr);
  // Its world may have had nothing to iterate, such as one that sleeps.
  if (begun_ == index) Begin(index + 1);
}

void Nest::Solve(b2Joint** joints, int32 joint_count, b2ContactSolver& contacts,
                 const b2SolverData& data) {
  const Island island = {{joints, static_cast<std::size_t>(joint_count)}, &contacts, &data};
  // Once all have begun, this is a second island of a world whose first one has waited.
  if (joint_count == 0 || begun_ == turns_.size()) {
    IterateOne(island);
  } else {
    waiting_[num_waiting_++] = island;
    Begin(begun_ + 1);
  }
}

}  // namespace

void StepTogether(std::span<Turn> turns) { Nest(turns).Run(); }

}  // namespace envpool::box2d
