// Files with the data of Doom's games.
#pragma once

#include <string>
#include <vector>

namespace envpool::vizdoom {

// Throw std::invalid_argument if there is no such file, or if it is neither a WAD nor a PK3, of
// which the engine would only say so on its way to its end; `option` named it.
void RequireFile(const std::string& path, const std::string& option);
void RequireWad(const std::string& path, const std::string& option);

// Throws std::invalid_argument if none of these files has a map of this name. PK3s are not searched
// but taken for files that have it.
void RequireMap(const std::string& map, const std::vector<std::string>& paths);

}  // namespace envpool::vizdoom
