// All tasks of Meta-World.
#pragma once

#include <string>

#include "envpool/field.h"
#include "metaworld/sawyer_task.h"

namespace envpool::metaworld {

// In the order of their numbers.
const SawyerTasks& AllTasks();
const SawyerTask& TaskNamed(const std::string& name);

// What is observed at least and at most: the hand, how far it is open, two objects, all that once
// more as it was a step before, and the goal.
struct ObservationBounds {
  ObservationBounds(const SawyerTask& task, bool hides_goal);

  Bounds low;
  Bounds high;
};

// Groups of tasks, by file in tasks/.
SawyerTasks AssemblyTasks();
SawyerTasks BasketballTasks();
SawyerTasks BinPickingTasks();
SawyerTasks BoxCloseTasks();
SawyerTasks ButtonPressTasks();
SawyerTasks CoffeeTasks();
SawyerTasks DialTurnTasks();
SawyerTasks DoorTasks();
SawyerTasks DoorLockTasks();
SawyerTasks DrawerTasks();
SawyerTasks FaucetTasks();
SawyerTasks HammerTasks();
SawyerTasks HandInsertTasks();
SawyerTasks HandleTasks();
SawyerTasks LeverPullTasks();
SawyerTasks PegTasks();
SawyerTasks PickOutOfHoleTasks();
SawyerTasks PickPlaceTasks();
SawyerTasks PlateSlideTasks();
SawyerTasks PushTasks();
SawyerTasks ReachTasks();
SawyerTasks ShelfPlaceTasks();
SawyerTasks SoccerTasks();
SawyerTasks StickTasks();
SawyerTasks SweepTasks();
SawyerTasks WindowTasks();

}  // namespace envpool::metaworld
