#include "minigrid/babyai/description.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace envpool::minigrid::babyai {
namespace {

bool IsNextTo(Point a, Point b) { return std::abs(a.x - b.x) + std::abs(a.y - b.y) == 1; }

bool IsOn(Side side, Point way, const Pose& agent) {
  const auto along = [way](Point axis) { return way.x * axis.x + way.y * axis.y; };
  switch (side) {
    case Side::kLeft: return along(agent.Right()) < 0;
    case Side::kRight: return along(agent.Right()) > 0;
    case Side::kFront: return along(agent.Ahead()) > 0;
    case Side::kBehind: return along(agent.Ahead()) < 0;
  }
  return false;
}

const char* TextOf(Side side) {
  switch (side) {
    case Side::kLeft: return " on your left";
    case Side::kRight: return " on your right";
    case Side::kFront: return " in front of you";
    case Side::kBehind: return " behind you";
  }
  return "";
}

}  // namespace

void Description::Find(const Grid& grid, const Pose& agent, const Room& room) {
  found_.clear();
  for (std::size_t i = kWall + 1; i < grid.Objects(); ++i) {
    const auto object = static_cast<Handle>(i);
    const Point place = grid[object].Position();
    if (!Describes(grid[object].Kind()) || grid.At(place) != object) continue;
    if (side_ && !(room.PosInside(place) && IsOn(*side_, place - agent.position, agent))) continue;
    found_.push_back({object, place});
  }
}

void Description::Follow(const Grid& grid) {
  for (Found& found : found_) {
    const Point place = grid[found.object].Position();
    found.place = grid.At(place) == found.object ? place : kNowhere;
  }
}

std::string Description::Text() const {
  if (found_.empty()) throw std::logic_error("an instruction has no object that it could mean");
  std::string text = found_.size() > 1 || DescribesWalls() ? "a " : "the ";
  if (color_) text.append(NameOf(*color_)).append(" ");
  text.append(type_ ? NameOf(*type_) : "object");
  if (side_) text.append(TextOf(*side_));
  return text;
}

bool Description::Means(Handle object) const {
  return std::ranges::find(found_, object, &Found::object) != found_.end();
}

bool Description::SharesOneWith(const Description& other) const {
  return std::ranges::any_of(found_,
                             [&other](const Found& found) { return other.Means(found.object); });
}

bool Description::IsAt(Point at) const {
  return std::ranges::find(found_, at, &Found::place) != found_.end();
}

bool Description::IsBeside(Point at) const {
  return std::ranges::any_of(found_,
                             [at](const Found& found) { return IsNextTo(at, found.place); });
}

bool Description::IsWithin(const Room& room) const {
  return std::ranges::all_of(found_,
                             [&room](const Found& found) { return room.PosInside(found.place); });
}

bool Description::IsBesideAnyOf(const Description& others, const Grid& grid) const {
  return std::ranges::any_of(
      found_, [&](const Found& found) { return others.IsBeside(grid[found.object].Position()); });
}

void Description::Serialize(Archive& archive) { archive(found_); }

bool Description::KnowsOnly(std::size_t objects) const {
  return std::ranges::all_of(found_,
                             [objects](const Found& found) { return found.object < objects; });
}

}  // namespace envpool::minigrid::babyai
