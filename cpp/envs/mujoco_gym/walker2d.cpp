// Walker2d: walk on two legs, in a plane.
#include "mujoco_gym/planar_walker.h"

namespace envpool::mujoco {
namespace {

[[maybe_unused]] const bool registered = Register({
    .name = "GymWalker2d",
    .options =
        MujocoOptions("walker2d_v5.xml", 4, PlanarWalker::WalkerOptions({0.8, 2.0}, {-1.0, 1.0})),
    .spec = SpecOf<PlanarWalker>,
    .create = Create<PlanarWalker>,
});

}  // namespace
}  // namespace envpool::mujoco
