// The file of this name that the Arcade Learning Environment's own build generates.
#pragma once

#define ALE_VERSION "0.12.1"
#define ALE_VERSION_GIT_SHA "sdist"
