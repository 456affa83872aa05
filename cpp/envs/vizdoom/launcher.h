// What the launcher of engines is told, after all arguments that are the engine's: this, the number
// of the process whose engine it is, and the engine's path.
#pragma once

namespace envpool::vizdoom {

inline constexpr char kLaunch[] = "-envpool-launch";

}  // namespace envpool::vizdoom
