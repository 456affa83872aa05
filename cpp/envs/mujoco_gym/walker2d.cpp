// Walker2d: walk on two legs, in a plane.
#include "mujoco_gym/planar_walker.h"

namespace envpool::mujoco {
namespace {

[[maybe_unused]] const bool registered = RegisterMujoco<PlanarWalker>({
    .name = "GymWalker2d",
    .xml_file = "walker2d_v5.xml",
    .frame_skip = 4,
    .camera = {"trackbodyid=2", "distance=4", "lookat=0,0,1.15", "elevation=-20"},
    .options = PlanarWalker::WalkerOptions({0.8, 2.0}, {-1.0, 1.0}),
});

}  // namespace
}  // namespace envpool::mujoco
