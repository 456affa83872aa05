// Names of ViZDoom's buttons and variables, which options and infos have.
#pragma once

#include <optional>
#include <string_view>

#include "vizdoom/doom_library.h"

namespace envpool::vizdoom {

std::optional<Button> FindButton(std::string_view name);
// True if the button is one of mouse-like movement, which can have any number.
inline bool IsDelta(Button button) { return button >= kFirstDelta; }

std::optional<Variable> FindVariable(std::string_view name);

// The variables that infos have, in their order, which is EnvPool's.
inline constexpr std::string_view kInfos[] = {
    "AMMO2",  "AMMO3",    "AMMO4",       "AMMO5",           "AMMO6",
    "AMMO7",  "ARMOR",    "DAMAGECOUNT", "DEATHCOUNT",      "FRAGCOUNT",
    "HEALTH", "HITCOUNT", "KILLCOUNT",   "SELECTED_WEAPON", "SELECTED_WEAPON_AMMO",
    "USER2"};

}  // namespace envpool::vizdoom
