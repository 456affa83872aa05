#include "vizdoom/names.h"

#include <algorithm>
#include <charconv>
#include <ranges>

namespace envpool::vizdoom {

namespace {

// In the order of their numbers.
constexpr std::string_view kButtons =
    "ATTACK USE JUMP CROUCH TURN180 ALTATTACK RELOAD ZOOM SPEED STRAFE MOVE_RIGHT MOVE_LEFT "
    "MOVE_BACKWARD MOVE_FORWARD TURN_RIGHT TURN_LEFT LOOK_UP LOOK_DOWN MOVE_UP MOVE_DOWN LAND "
    "SELECT_WEAPON1 SELECT_WEAPON2 SELECT_WEAPON3 SELECT_WEAPON4 SELECT_WEAPON5 SELECT_WEAPON6 "
    "SELECT_WEAPON7 SELECT_WEAPON8 SELECT_WEAPON9 SELECT_WEAPON0 SELECT_NEXT_WEAPON "
    "SELECT_PREV_WEAPON DROP_SELECTED_WEAPON ACTIVATE_SELECTED_ITEM SELECT_NEXT_ITEM "
    "SELECT_PREV_ITEM DROP_SELECTED_ITEM LOOK_UP_DOWN_DELTA TURN_LEFT_RIGHT_DELTA "
    "MOVE_FORWARD_BACKWARD_DELTA MOVE_LEFT_RIGHT_DELTA MOVE_UP_DOWN_DELTA";

constexpr std::string_view kVariables =
    "KILLCOUNT ITEMCOUNT SECRETCOUNT FRAGCOUNT DEATHCOUNT HITCOUNT HITS_TAKEN DAMAGECOUNT "
    "DAMAGE_TAKEN HEALTH ARMOR DEAD ON_GROUND ATTACK_READY ALTATTACK_READY SELECTED_WEAPON "
    "SELECTED_WEAPON_AMMO AMMO0 AMMO1 AMMO2 AMMO3 AMMO4 AMMO5 AMMO6 AMMO7 AMMO8 AMMO9 WEAPON0 "
    "WEAPON1 WEAPON2 WEAPON3 WEAPON4 WEAPON5 WEAPON6 WEAPON7 WEAPON8 WEAPON9 POSITION_X "
    "POSITION_Y POSITION_Z ANGLE PITCH ROLL VIEW_HEIGHT VELOCITY_X VELOCITY_Y VELOCITY_Z "
    "CAMERA_POSITION_X CAMERA_POSITION_Y CAMERA_POSITION_Z CAMERA_ANGLE CAMERA_PITCH "
    "CAMERA_ROLL CAMERA_FOV PLAYER_NUMBER PLAYER_COUNT";

// Returns which of the words the name is.
std::optional<int> Find(std::string_view words, std::string_view name) {
  int place = 0;
  for (const auto word : std::views::split(words, ' ')) {
    if (std::ranges::equal(word, name)) return place;
    ++place;
  }
  return std::nullopt;
}

// Returns the number behind `begin` and before `end`, from 1 to `most`.
std::optional<int> Number(std::string_view name, std::string_view begin, std::string_view end,
                          int most) {
  if (!name.starts_with(begin) || !name.ends_with(end)) return std::nullopt;
  if (name.size() <= begin.size() + end.size()) return std::nullopt;
  name = name.substr(begin.size(), name.size() - begin.size() - end.size());
  int number = 0;
  const char* const last = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data(), last, number);
  if (error != std::errc() || stop != last || number < 1 || number > most) return std::nullopt;
  return number;
}

}  // namespace

std::optional<Button> FindButton(std::string_view name) {
  const std::optional<int> found = Find(kButtons, name);
  return found ? std::optional(static_cast<Button>(*found)) : std::nullopt;
}

std::optional<Variable> FindVariable(std::string_view name) {
  constexpr int kPlayers = 16;
  constexpr int kUsers = 60;
  constexpr int kFirst = static_cast<int>(1 + std::ranges::count(kVariables, ' '));
  std::optional<int> found = Find(kVariables, name);
  if (const auto player = Number(name, "PLAYER", "_FRAGCOUNT", kPlayers)) {
    found = kFirst + *player - 1;
  }
  if (const auto user = Number(name, "USER", "", kUsers)) found = kFirst + kPlayers + *user - 1;
  return found ? std::optional(static_cast<Variable>(*found)) : std::nullopt;
}

}  // namespace envpool::vizdoom
