#include "minigrid/babyai/room_grid_level.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace envpool::minigrid::babyai {
namespace {

// A level that can be made at all is made within some hundred attempts.
constexpr int kMostAttempts = 10'000;

}  // namespace

void RoomGridLevel::Generate() {
  for (int attempts = 1;; ++attempts) {
    try {
      RoomGrid::Generate();
      GenerateMission();
      Validate();
      break;
    } catch (const Rejected& why) {
      if (attempts < kMostAttempts) continue;
      throw std::runtime_error("none of " + std::to_string(kMostAttempts) +
                               " drawn levels has a mission; of the last one: " + why.what());
    }
  }
  mission_ = instruction_.Text();
  mission_id_ = -1;
  if (!has_fixed_limit_) max_steps_ = LimitOfEpisode();
}

void RoomGridLevel::Validate() {
  std::vector<Color> locked;
  for (const Handle door : Doors()) {
    if (grid_[door].state == DoorState::kLocked) locked.push_back(grid_[door].color);
  }
  const auto is_needed = [&locked](const Description& description) {
    return description.OfType() == Type::kKey && description.OfColor() &&
           std::ranges::find(locked, *description.OfColor()) != locked.end();
  };
  const Room& room = RoomFromPos(agent_.position);
  instruction_.ForEach([&](Clause& clause) {
    clause.Find(grid_, agent_, room);
    if (clause.IsPutNext()) {
      if (clause.Object().SharesOneWith(clause.Fixed())) {
        throw Rejected("an object could be put next to itself");
      }
      if (clause.Object().IsBesideAnyOf(clause.Fixed(), grid_)) {
        throw Rejected("an object is already next to the other");
      }
    }
    if (protects_keys_ && (is_needed(clause.Object()) || is_needed(clause.Fixed()))) {
      throw Rejected("a key to be moved opens a locked door");
    }
  });
}

int RoomGridLevel::LimitOfEpisode() {
  int ways = 0;
  instruction_.ForEach([&ways](const Clause& clause) { ways += clause.IsPutNext() ? 2 : 1; });
  return StepsFor(layout_, ways * layout_.rows * layout_.columns);
}

StepResult RoomGridLevel::Act(Move move) {
  StepResult result = RoomGrid::Act(move);
  if (move == Move::kDrop) {
    instruction_.ForEach([this](Clause& clause) { clause.Follow(grid_); });
  }
  const Outcome outcome = instruction_.Verify(grid_, agent_, move);
  if (outcome != Outcome::kContinue) End(result, outcome == Outcome::kSuccess ? Reward() : 0.0);
  return result;
}

void RoomGridLevel::SerializeLevel(Archive& archive) {
  archive.Count(max_steps_);
  archive(instruction_);
  instruction_.ForEach([&](const Clause& clause) {
    archive.Require(clause.KnowsOnly(grid_.Objects()),
                    "an instruction with an object that there is not");
  });
}

void RoomGridLevel::PlaceAgentOutside(const Room* room) {
  do {
    PlaceAgentInRoom();
  } while (&RoomFromPos(agent_.position) == room);
}

bool RoomGridLevel::AreObjectsReachable() {
  const int width = grid_.Width();
  const auto index_of = [width](Point at) { return static_cast<std::size_t>(at.y * width + at.x); };
  std::vector<bool> reached(static_cast<std::size_t>(width * grid_.Height()));
  std::vector<Point> stack = {agent_.position};
  while (!stack.empty()) {
    const Point at = stack.back();
    stack.pop_back();
    if (!grid_.Contains(at) || reached[index_of(at)]) continue;
    reached[index_of(at)] = true;
    const Handle handle = grid_.At(at);
    if (handle != kNone && grid_[handle].type != Type::kDoor) continue;
    for (const Point way : kDirections) stack.push_back(at + way);
  }
  const auto cells = grid_.Cells();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i] != kNone && cells[i] != kWall && !reached[i]) return false;
  }
  return true;
}

void RoomGridLevel::CheckObjectsReachable() {
  if (!AreObjectsReachable()) throw Rejected("objects bar the agent's way to an object");
}

std::vector<Handle> RoomGridLevel::Doors() {
  std::vector<Handle> doors;
  for (int i = 0; i < layout_.columns; ++i) {
    for (int j = 0; j < layout_.rows; ++j) {
      for (const Handle door : GetRoom(i, j).doors) {
        if (door != kNone && door != kRemoved) doors.push_back(door);
      }
    }
  }
  return doors;
}

}  // namespace envpool::minigrid::babyai
