// What this library cannot find out by itself.
#include "envpool/family.h"
#include "mujoco/model.h"
#include "numerics/products.h"

namespace envpool::mujoco {
namespace {

[[maybe_unused]] const bool registered = RegisterSettings(
    {{"asset_folder", "", "where models are that are named without a folder: Gymnasium's"},
     {"numpy_dot", "rounded", "how NumPy's BLAS adds products: 'rounded', 'fused' or 'pairs'"}},
    [](const Options& settings) {
      SetAssetFolder(settings.Text("asset_folder"));
      numerics::SetProduct("dot", settings.Text("numpy_dot"));
    });

}  // namespace
}  // namespace envpool::mujoco
