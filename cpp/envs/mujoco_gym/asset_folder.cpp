// The one thing that this library cannot find out by itself.
#include "mujoco/model.h"

// Called by the Python package before it makes environments: where Gymnasium's models are.
extern "C" [[gnu::visibility("default")]] void envpool_mujoco_set_asset_folder(const char* folder) {
  envpool::mujoco::SetAssetFolder(folder);
}
