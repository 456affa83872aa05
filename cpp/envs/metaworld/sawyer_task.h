// SawyerTask: what one of Meta-World's tasks has otherwise than the others.
#pragma once

#include <mujoco/mujoco.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "envpool/env.h"
#include "metaworld/vectors.h"

namespace envpool::metaworld {

// A part of the model that has a place.
struct Part {
  mjtObj type = mjOBJ_BODY;
  const char* name = "";
};
constexpr Part Body(const char* name) { return {mjOBJ_BODY, name}; }
constexpr Part Geom(const char* name) { return {mjOBJ_GEOM, name}; }
constexpr Part Site(const char* name) { return {mjOBJ_SITE, name}; }

// How a rotation is observed: as MuJoCo's quaternion of a body (w, x, y, z), as SciPy's of a matrix
// (x, y, z, w), as no rotation (1, 0, 0, 0), or as zeros.
enum class Turn { kQuaternion, kMatrix, kNone, kZeros };

// An object that is observed.
struct Object {
  Part place;
  Turn turn = Turn::kZeros;
  Part turned = {};                   // whose rotation it is
  std::optional<Vector> offset = {};  // of what is observed from the place, m
};

using Numbers = std::vector<double>;

struct SawyerTask {
  int id;             // EnvPool's
  std::string name;   // upstream's, "reach-v3"
  std::string model;  // a file in sawyer_xyz/
  std::vector<Object> objects;
  std::size_t places = 2;  // that an episode draws, of an object and of a goal, or only one
  Numbers goal_low = {};   // of goals that are observed; nothing: the hand's
  Numbers goal_high = {};
  Vector hand = {0.0, 0.6, 0.2};  // where it begins
  Vector hand_low = {-0.5, 0.4, 0.05};
  Vector hand_high = {0.5, 1.0, 0.5};
  // Where bodies of the model are is drawn. Else all episodes begin with the same movement.
  bool moves_bodies = false;
  std::function<std::unique_ptr<Env>(const Options& options, const SawyerTask& task)> create = {};
};

using SawyerTasks = std::vector<SawyerTask>;

// A place that the original keeps in float32.
constexpr Vector Float32(float x, float y, float z) { return {x, y, z}; }

// A task whose class is T.
template <class T>
SawyerTask Task(SawyerTask task) {
  task.create = [](const Options& options, const SawyerTask& own) -> std::unique_ptr<Env> {
    return std::make_unique<T>(options, own);
  };
  return task;
}

}  // namespace envpool::metaworld
