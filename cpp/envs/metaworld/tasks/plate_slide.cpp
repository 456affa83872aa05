// PlateSlide: slide a plate into a cabinet or out of it, in front of the robot or beside it.
//
// Follows sawyer_plate_slide_v3.py, sawyer_plate_slide_side_v3.py, sawyer_plate_slide_back_v3.py
// and sawyer_plate_slide_back_side_v3.py.
#include <array>

#include "metaworld/sawyer_env.h"

namespace envpool::metaworld {

namespace {

class PlateEnv : public SawyerEnv {
 public:
  using SawyerEnv::SawyerEnv;

 protected:
  void SetPlate(Random& random, double x, double y) {
    const Drawn drawn = Draw(random);
    object_start_ = drawn.first;
    target_ = drawn.last;
    SetCabinet();
    SetState(9, std::array{x, y}, 9, 0);
    World().MoveSite("goal", target_);
  }
  // Where the cabinet is, unless it is always in the same place.
  virtual void SetCabinet() {}

  struct Slide {
    double to_object;
    double to_target;
    double grasped;
    double in_place;
  };

  // Rewards fall off over the way at the start, less this.
  Slide Look(const Glance& glance, double less) const {
    const Vector object = glance.Object();
    const double to_target = Distance(object, target_);
    const double to_object = Distance(Tcp(), object);
    return {to_object, to_target,
            Tolerance(to_object, {0.0, 0.05}, Distance(tcp_start_, object_start_) - less),
            Tolerance(to_target, {0.0, 0.05}, Distance(object_start_, target_) - less)};
  }

  static Outcome Tell(const Slide& slide, double reward) {
    return {.reward = slide.to_target < 0.05 ? 10.0 : reward,
            .success = slide.to_target <= 0.07,
            .near_object = slide.to_object <= 0.03,
            .grasp_success = 0.0,
            .grasp_reward = slide.grasped,
            .in_place_reward = slide.in_place,
            .obj_to_target = slide.to_target};
  }

  Outcome Judge(const Glance& glance) override {
    const Slide slide = Look(glance, 0.05);
    const bool is_near = Tcp()[2] <= 0.03 && slide.to_object < 0.07;
    return Tell(slide, is_near ? 2.0 + 7.0 * slide.in_place : 1.5 * slide.grasped);
  }
};

class PlateSlide final : public PlateEnv {
 public:
  using PlateEnv::PlateEnv;

 private:
  void Place(Random& random) override { SetPlate(random, 0.0, 0.0); }
  void SetCabinet() override { World().MoveBody("puck_goal", target_); }

  Outcome Judge(const Glance& glance) override {
    const Slide slide = Look(glance, 0.0);
    return Tell(slide, 8.0 * HamacherProduct(slide.grasped, slide.in_place));
  }
};

class PlateSlideSide final : public PlateEnv {
 public:
  using PlateEnv::PlateEnv;

 private:
  void Place(Random& random) override { SetPlate(random, 0.0, 0.0); }
};

class PlateSlideBack final : public PlateEnv {
 public:
  using PlateEnv::PlateEnv;

 private:
  void Place(Random& random) override { SetPlate(random, 0.0, 0.15); }
};

class PlateSlideBackSide final : public PlateEnv {
 public:
  using PlateEnv::PlateEnv;

 private:
  void Place(Random& random) override { SetPlate(random, -0.15, 0.0); }
  void SetCabinet() override { World().MoveBody("puck_goal", object_start_); }
};

}  // namespace

SawyerTasks PlateSlideTasks() {
  const Vector hand = Float32(0.0F, 0.6F, 0.2F);
  const Object puck = {Geom("puck"), Turn::kMatrix, Geom("puck")};
  return {Task<PlateSlide>({.id = 31,
                            .name = "plate-slide-v3",
                            .model = "sawyer_plate_slide.xml",
                            .objects = {puck},
                            .goal_low = {-0.1, 0.85, 0.0},
                            .goal_high = {0.1, 0.9, 0.0},
                            .hand = hand,
                            .moves_bodies = true}),
          Task<PlateSlideSide>({.id = 32,
                                .name = "plate-slide-side-v3",
                                .model = "sawyer_plate_slide_sideway.xml",
                                .objects = {puck},
                                .goal_low = {-0.3, 0.54, 0.0},
                                .goal_high = {-0.25, 0.66, 0.0},
                                .hand = hand}),
          Task<PlateSlideBack>({.id = 33,
                                .name = "plate-slide-back-v3",
                                .model = "sawyer_plate_slide.xml",
                                .objects = {puck},
                                .goal_low = {-0.1, 0.6, 0.015},
                                .goal_high = {0.1, 0.6, 0.015},
                                .hand = hand}),
          Task<PlateSlideBackSide>({.id = 34,
                                    .name = "plate-slide-back-side-v3",
                                    .model = "sawyer_plate_slide_sideway.xml",
                                    .objects = {puck},
                                    .goal_low = {-0.05, 0.6, 0.015},
                                    .goal_high = {0.15, 0.6, 0.015},
                                    .hand = hand,
                                    .moves_bodies = true})};
}

}  // namespace envpool::metaworld
