#include "metaworld/catalogue.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <stdexcept>

namespace envpool::metaworld {

namespace {

constexpr Vector kHandLow = {-0.525, 0.348, -0.0525};
constexpr Vector kHandHigh = {0.525, 1.025, 0.7};
constexpr std::size_t kObjectNumbers = 14;

Bounds BoundsOf(const Vector& hand, double opened, double object, const Vector& goal) {
  Bounds bounds;
  for (int time = 0; time < 2; ++time) {
    bounds.insert(bounds.end(), hand.begin(), hand.end());
    bounds.push_back(opened);
    bounds.insert(bounds.end(), kObjectNumbers, object);
  }
  bounds.insert(bounds.end(), goal.begin(), goal.end());
  return bounds;
}

Vector GoalBound(const Numbers& own, const Vector& hand, bool hides_goal) {
  if (hides_goal) return {};
  return own.empty() ? hand : numerics::VectorAt(own.data());
}

SawyerTasks MakeTasks() {
  SawyerTasks tasks;
  for (const auto& group :
       {AssemblyTasks, BasketballTasks,    BinPickingTasks, BoxCloseTasks,   ButtonPressTasks,
        CoffeeTasks,   DialTurnTasks,      DoorTasks,       DoorLockTasks,   DrawerTasks,
        FaucetTasks,   HammerTasks,        HandInsertTasks, HandleTasks,     LeverPullTasks,
        PegTasks,      PickOutOfHoleTasks, PickPlaceTasks,  PlateSlideTasks, PushTasks,
        ReachTasks,    ShelfPlaceTasks,    SoccerTasks,     StickTasks,      SweepTasks,
        WindowTasks}) {
    std::ranges::move(group(), std::back_inserter(tasks));
  }
  std::ranges::sort(tasks, {}, &SawyerTask::id);
  return tasks;
}

}  // namespace

ObservationBounds::ObservationBounds(const SawyerTask& task, bool hides_goal)
    : low(BoundsOf(kHandLow, -1.0, -kInfinity,
                   GoalBound(task.goal_low, task.hand_low, hides_goal))),
      high(BoundsOf(kHandHigh, 1.0, kInfinity,
                    GoalBound(task.goal_high, task.hand_high, hides_goal))) {}

const SawyerTasks& AllTasks() {
  static const SawyerTasks tasks = MakeTasks();
  return tasks;
}

const SawyerTask& TaskNamed(const std::string& name) {
  const auto found = std::ranges::find(AllTasks(), name, &SawyerTask::name);
  if (found != AllTasks().end()) return *found;
  throw std::invalid_argument("task_name is '" + name + "', expected a task of Meta-World");
}

}  // namespace envpool::metaworld
