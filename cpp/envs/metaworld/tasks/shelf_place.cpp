// ShelfPlace: put a block on a shelf.
//
// Follows sawyer_shelf_place_v3.py.
#include "envpool/numpy_math.h"
#include "metaworld/sawyer_env.h"

namespace envpool::metaworld {

namespace {

class ShelfPlace final : public SawyerEnv {
 public:
  using SawyerEnv::SawyerEnv;

 private:
  static constexpr double kDepth = 3.0 * 0.05;  // of the shelf

  void Place(Random& random) override {
    const double height = ObjectPosition()[2];  // where it has come to rest
    const auto [object, goal] = DrawApart(random);
    object_start_ = {object[0], object[1], height};
    World().MoveBody("shelf", goal - Vector{0.0, 0.0, 0.3});
    target_ = World().SiteInModel("goal") + World().BodyInModel("shelf");
    SetObject(object_start_);
  }

  Outcome Judge(const Glance& glance) override {
    const Vector object = glance.Object();
    const double to_target = Distance(object, target_);
    const double to_object = Distance(object, Tcp());
    const double placed = Tolerance(to_target, {0.0, 0.05}, Distance(object_start_, target_));
    const Number grasped =
        Enclosed(glance, object, {.radius = 0.02, .reach = 0.01, .pad = 0.05, .height = 0.01});
    Number reward = HamacherProduct(grasped, placed);
    const Number in_place = LessBelowShelf(placed, object);
    if (to_object < 0.025 && IsHigher(glance, 0.01)) reward += 1.0 + 5.0 * in_place;
    if (to_target < 0.05) reward = 10.0;
    return {.reward = reward,
            .success = to_target <= 0.07,
            .near_object = to_object <= 0.03,
            .grasp_success = Lifts(glance, 0.02),
            .grasp_reward = grasped,
            .in_place_reward = in_place,
            .obj_to_target = to_target};
  }

  // Under the shelf, and in front of it where it is too low, the object does not belong.
  Number LessBelowShelf(double in_place, const Vector& object) const {
    const bool is_low = 0.0 < object[2] && object[2] < 0.24;
    const bool is_beside = !(target_[0] - 0.15 < object[0] && object[0] < target_[0] + 0.15);
    if (!is_low || is_beside) return in_place;
    if (object[1] > target_[1]) return 0.0;
    const double front = target_[1] - kDepth;
    if (!(front < object[1] && object[1] < target_[1])) return in_place;
    const double up = (0.24 - object[2]) / 0.24;
    const double deep = (object[1] - front) / kDepth;
    const double loss = HamacherProduct(deep, up);
    return Number::Float64(numpy::Clip(in_place - loss, 0.0, 1.0));
  }
};

}  // namespace

SawyerTasks ShelfPlaceTasks() {
  return {Task<ShelfPlace>({.id = 45,
                            .name = "shelf-place-v3",
                            .model = "sawyer_shelf_placing.xml",
                            .objects = {{Body("obj"), Turn::kMatrix, Geom("objGeom")}},
                            .goal_low = {-0.1, 0.8, 0.299},
                            .goal_high = {0.1, 0.9, 0.301},
                            .hand = Float32(0.0F, 0.6F, 0.2F),
                            .moves_bodies = true})};
}

}  // namespace envpool::metaworld
