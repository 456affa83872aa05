// What snapshots hold of mjData.
#pragma once

#include <mujoco/mujoco.h>

#include <span>
#include <string>
#include <vector>

#include "envpool/archive.h"

namespace envpool::mujoco {

// Writes the state of a simulation, or reads it. `model` is for messages. A reader throws
// std::invalid_argument for the state of a model with other parts, or one that is none; and leaves
// `data` in disorder then.
void SerializeState(const mjModel& model, mjData& data, const std::string& name, Archive& archive);

// Poses and what else MuJoCo computed in the last step. After it, they are no longer a function of
// the state, but observations and pictures show them.
void SerializeDerived(const mjModel& model, mjData& data, Archive& archive);

}  // namespace envpool::mujoco
