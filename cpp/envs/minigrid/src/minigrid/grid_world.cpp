#include "minigrid/grid_world.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>

namespace envpool::minigrid {
namespace {

int MaxStepsOf(const Options& options, int own) {
  const auto given = IntOf(options, "max_steps");
  return given == 0 ? own : given;
}

}  // namespace

GridWorld::GridWorld(const Options& options, Size size, int max_steps)
    : grid_(size),
      max_steps_(MaxStepsOf(options, max_steps)),
      observation_(options),
      picture_style_{options.Flag("agent_pov"), options.Flag("highlight")},
      tile_size_(IntOf(options, "tile_size")),
      bonus_(options, size) {}

void GridWorld::Seed(std::uint64_t seed, Random& /*random*/) {
  seed_ = seed;
  resets_ = 0;
}

void GridWorld::Reset(Random& random, const Options&) {
  ++resets_;
  try {
    Begin(random);
  } catch (const std::exception& error) {
    throw std::runtime_error(std::string(name_) + " has no level for reset " +
                             std::to_string(resets_) + " after seed " + std::to_string(seed_) +
                             ": " + error.what());
  }
}

void GridWorld::Begin(Random& random) {
  random_ = &random;
  agent_ = {};
  step_count_ = 0;
  grid_.Clear();
  Generate();
  agent_.carrying = kNone;
  observation_.RequireMission(mission_);
}

void GridWorld::TryOut(const char* name) {
  constexpr int kMostTries = 10;
  name_ = name;
  Random random;
  for (int tries = 1;; ++tries) {
    try {
      Begin(random);
      break;
    } catch (const std::exception& error) {
      const bool may_be_chance = dynamic_cast<const Rejected*>(&error) != nullptr;
      if (may_be_chance && tries < kMostTries) continue;
      throw std::invalid_argument("these options make no level: " + std::string(error.what()));
    }
  }
  agent_ = {};
}

StepResult GridWorld::Step(const Action& action, Random& random) {
  random_ = &random;
  const auto move = static_cast<Move>(action.Value<std::int32_t>());
  StepResult result = Act(move);
  result.reward += bonus_.After(move, agent_);
  return result;
}

StepResult GridWorld::Act(Move move) {
  ++step_count_;
  StepResult result{.truncated = step_count_ >= max_steps_};
  const Point front = agent_.Front();
  const Handle ahead = grid_.At(front);
  switch (move) {
    case Move::kLeft: agent_.direction = (agent_.direction + 3) % 4; break;
    case Move::kRight: agent_.direction = (agent_.direction + 1) % 4; break;
    case Move::kForward:
      if (ahead == kNone || grid_[ahead].CanOverlap()) agent_.position = front;
      if (grid_[ahead].type == Type::kGoal) End(result, Reward());
      if (grid_[ahead].type == Type::kLava) result.terminated = true;
      break;
    case Move::kPickup:
      if (grid_[ahead].CanPickup() && agent_.carrying == kNone) {
        agent_.carrying = ahead;
        Carried().MoveTo(kNowhere);
        grid_.Set(front, kNone);
      }
      break;
    case Move::kDrop:
      if (ahead == kNone && agent_.carrying != kNone) {
        grid_.Put(front, agent_.carrying);
        agent_.carrying = kNone;
      }
      break;
    case Move::kToggle: Toggle(front, ahead); break;
    case Move::kDone: break;
  }
  return result;
}

void GridWorld::Toggle(Point at, Handle handle) {
  Object& object = grid_[handle];
  if (object.type == Type::kBox) {
    grid_.Set(at, object.contains);  // which does not learn where it is
  } else if (object.type == Type::kDoor) {
    const Object& key = Carried();
    const bool fits = key.type == Type::kKey && key.color == object.color;
    if (object.state == DoorState::kLocked && !fits) return;
    object.state = object.state == DoorState::kOpen ? DoorState::kClosed : DoorState::kOpen;
  }
}

void GridWorld::Observe(const Row& row) const { ObserveAs(grid_, agent_, row); }

void GridWorld::ObserveAs(const Grid& grid, const Pose& agent, const Row& row) const {
  observation_.Write(grid, agent, mission_, row);
  const auto position = row.Info<std::int32_t>(0);
  position[0] = agent.position.x;
  position[1] = agent.position.y;
  row.Info<std::int32_t>(1)[0] = mission_id_;
}

void GridWorld::Render(const Frame& frame) {
  DrawFrame(grid_, agent_, observation_.AgentsView(), picture_style_, tile_size_, frame);
}

// A state that somebody made up may have any mission.
void GridWorld::RequireMissionOf(const Archive& archive) const {
  try {
    observation_.RequireMission(mission_);
  } catch (const std::runtime_error& error) {
    archive.Require(false, error.what());
  }
}

void GridWorld::Serialize(Archive& archive) {
  archive(grid_);
  agent_.position.Serialize(archive, grid_.InCells());
  archive.Range(agent_.direction, -1, 3);
  archive.Require(!HasBegun() || grid_.Contains(agent_.position), "an agent that is nowhere");
  archive.Index(agent_.carrying, grid_.Objects());
  archive.Count(step_count_, resets_);
  archive.Any(seed_);
  archive.Range(mission_id_, -1, kMostMissions);
  archive(mission_, bonus_);
  if (archive.IsReader()) RequireMissionOf(archive);
  SerializeLevel(archive);
}

std::optional<Point> GridWorld::TryPlaceObj(Handle object, Area area, const Rejects& rejects,
                                            int max_tries) {
  const Point top = {std::max(area.top.x, 0), std::max(area.top.y, 0)};
  const int right = std::min(top.x + area.size.width, grid_.Width());
  const int bottom = std::min(top.y + area.size.height, grid_.Height());
  for (int tries = 0; tries <= max_tries; ++tries) {
    const Point at = RandPos(top.x, right, top.y, bottom);
    if (!grid_.IsEmpty(at) || at == agent_.position || (rejects && rejects(at))) continue;
    if (object == kNone) return at;
    grid_.Put(at, object);
    return at;
  }
  return std::nullopt;
}

Point GridWorld::PlaceObj(Handle object, Area area, const Rejects& rejects, int max_tries) {
  const std::optional<Point> at = TryPlaceObj(object, area, rejects, max_tries);
  if (!at) {
    throw Rejected("the level has no cell left for another object: " +
                   std::to_string(max_tries + 1) + " random cells were tried");
  }
  return *at;
}

void GridWorld::PlaceAgent(Area area, int max_tries) {
  agent_.position = kNowhere;
  agent_.position = PlaceObj(kNone, area, nullptr, max_tries);
  agent_.direction = RandInt(0, 4);
}

void GridWorld::PlaceAgentAt(std::optional<Point> at, int direction) {
  if (!at) {
    PlaceAgent();
    return;
  }
  agent_.position = *at;
  agent_.direction = direction;
}

bool GridWorld::IsBeside(Point at) const {
  const Point way = agent_.position - at;
  return std::abs(way.x) + std::abs(way.y) == 1;
}

}  // namespace envpool::minigrid
