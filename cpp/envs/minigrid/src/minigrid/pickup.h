// Pickup: rooms with an object that is to be picked up.
#pragma once

#include "minigrid/room_grid.h"

namespace envpool::minigrid {

class Pickup : public RoomGrid {
 protected:
  using RoomGrid::RoomGrid;

  // The mission is to pick up this object, and no other of its kind.
  void AskFor(Handle object) {
    object_ = object;
    mission_ = "pick up the " + grid_[object].Kind().Name();
  }

  StepResult Act(Move move) override {
    StepResult result = RoomGrid::Act(move);
    const bool has_object = agent_.carrying != kNone && agent_.carrying == object_;
    if (move == Move::kPickup && has_object) End(result, Reward());
    return result;
  }

 private:
  void SerializeLevel(Archive& archive) override { archive.Index(object_, grid_.Objects()); }

  Handle object_ = kNone;
};

}  // namespace envpool::minigrid
