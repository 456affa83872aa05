#include "minigrid/map.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

namespace envpool::minigrid {
namespace {

constexpr int kLeast = 3;  // as in minigrid
constexpr int kMost = 200;

// A Plain pair of letters stands for a thing that always has the same colour.
struct Plain {
  std::string_view pair;
  Type type;
  Color color = Color::kRed;
};
constexpr std::array<Plain, 6> kPlain = {{{"..", Type::kEmpty},
                                          {"  ", Type::kEmpty},
                                          {"##", Type::kWall, Color::kGrey},
                                          {"WG", Type::kWall, Color::kGrey},
                                          {"GG", Type::kGoal, Color::kGreen},
                                          {"VR", Type::kLava, Color::kRed}}};

// A Colored thing is written as this letter and one for its colour, in the order of Color.
struct Colored {
  char letter;
  Type type;
  DoorState state = DoorState::kOpen;
};
constexpr std::array<Colored, 7> kColored = {{{'D', Type::kDoor, DoorState::kClosed},
                                              {'L', Type::kDoor, DoorState::kLocked},
                                              {'O', Type::kDoor, DoorState::kOpen},
                                              {'K', Type::kKey},
                                              {'A', Type::kBall},
                                              {'B', Type::kBox},
                                              {'F', Type::kFloor}}};
constexpr std::string_view kColorLetters = "RGBPYE";

// An agent looks into these directions, in the order of kDirections.
constexpr std::array<std::string_view, 4> kAgents = {">>", "VV", "<<", "^^"};

constexpr const char* kExpected =
    "expected '##' or 'WG' for a wall, '..' or spaces for nothing, '>>', 'VV', '<<' or '^^' for "
    "the agent, 'GG' for a goal, 'VR' for lava, or a letter for a thing (D a closed door, L a "
    "locked one, O an open one, K a key, A a ball, B a box, F a floor) and one for its colour (R, "
    "G, B, P, Y, or E for grey)";

[[noreturn]] void Refuse(const std::string& what) { throw std::invalid_argument("map " + what); }

std::string PlaceOf(Point at) {
  return "row " + std::to_string(at.y) + ", column " + std::to_string(at.x);
}

bool IsPrintable(char c) { return ' ' <= c && c <= '~'; }

void CheckNumber(std::size_t count, const char* what) {
  if (count < kLeast || count > kMost) {
    Refuse("has " + std::to_string(count) + " " + what + ", expected " + std::to_string(kLeast) +
           " to " + std::to_string(kMost));
  }
}

// Returns the object that a pair of letters stands for; of type kUnseen if there is no such thing.
Object ObjectOf(std::string_view pair) {
  const auto* plain = std::ranges::find(kPlain, pair, &Plain::pair);
  if (plain != kPlain.end()) return {.type = plain->type, .color = plain->color};
  const auto* colored = std::ranges::find(kColored, pair[0], &Colored::letter);
  const std::size_t color = kColorLetters.find(pair[1]);
  if (colored == kColored.end() || color == std::string_view::npos) return {.type = Type::kUnseen};
  return {.type = colored->type, .color = static_cast<Color>(color), .state = colored->state};
}

}  // namespace

Size Map::SizeOf(const std::vector<std::string>& rows) {
  CheckNumber(rows.size(), "rows");
  const std::size_t length = rows[0].size();
  for (std::size_t y = 0; y < rows.size(); ++y) {
    if (!std::ranges::all_of(rows[y], IsPrintable)) {
      Refuse("has a character in row " + std::to_string(y) +
             ", counted from 0, that is no printable ASCII; " + kExpected);
    }
    if (rows[y].size() != length) {
      Refuse("has " + std::to_string(rows[y].size()) + " characters in row " + std::to_string(y) +
             " and " + std::to_string(length) + " in row 0, expected rows of equal length");
    }
  }
  if (length % 2 != 0) {
    Refuse("has rows of " + std::to_string(length) +
           " characters, expected an even number: two to a cell");
  }
  CheckNumber(length / 2, "columns");
  return {static_cast<int>(length / 2), static_cast<int>(rows.size())};
}

Map::Map(const std::vector<std::string>& rows) : size_(SizeOf(rows)) {
  for (int y = 0; y < size_.height; ++y) {
    const std::string_view row = rows[static_cast<std::size_t>(y)];
    for (int x = 0; x < size_.width; ++x) Read({x, y}, row.substr(2 * std::size_t(x), 2));
  }
  if (start_.direction < 0) {
    Refuse("has no agent, expected one cell with '>>', 'VV', '<<' or '^^'");
  }
}

void Map::Read(Point at, std::string_view pair) {
  const auto* agent = std::ranges::find(kAgents, pair);
  if (agent != kAgents.end()) {
    if (start_.direction >= 0) {
      Refuse("has an agent in " + PlaceOf(start_.position) + " and another in " + PlaceOf(at) +
             ", expected one");
    }
    start_ = {.position = at, .direction = static_cast<int>(agent - kAgents.begin())};
    return;
  }
  Object object = ObjectOf(pair);
  if (object.type == Type::kUnseen) {
    Refuse("has '" + std::string(pair) + "' in " + PlaceOf(at) + " (both count from 0), " +
           kExpected);
  }
  if (object.type == Type::kWall) walls_.push_back(at);
  if (object.type == Type::kWall || object.type == Type::kEmpty) return;
  object.MoveTo(at);
  objects_.push_back(object);
}

Pose Map::PlaceIn(Grid& grid) const {
  for (const Point at : walls_) grid.Set(at, kWall);
  for (const Object& object : objects_) {
    grid.Put(object.Position(), grid.Make(object.type, object.color, object.state));
  }
  return start_;
}

}  // namespace envpool::minigrid
