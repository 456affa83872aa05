// What this library cannot find out by itself.
#include "dm_control/numpy_loops.h"
#include "dm_control/products.h"
#include "dm_control/suite_files.h"
#include "envpool/family.h"

namespace envpool::dm_control {
namespace {

constexpr const char* kKernels[] = {"dot", "gemv", "gemm"};

std::vector<OptionSpec> Settings() {
  std::vector<OptionSpec> settings = {
      {"suite_folder", "", "where the models are: dm_control's folder 'suite'"}};
  for (const std::string kernel : kKernels) {
    settings.push_back({"numpy_" + kernel, "rounded", "how NumPy's BLAS adds: fused or rounded"});
  }
  for (const std::string& name : LoopNames()) {
    settings.push_back({"numpy_" + name, std::vector<std::int64_t>(),
                        "addresses of NumPy's loop and its data; empty: libm"});
  }
  return settings;
}

void Configure(const Options& settings) {
  SetSuiteFolder(settings.Text("suite_folder"));
  for (const std::string kernel : kKernels) SetProduct(kernel, settings.Text("numpy_" + kernel));
  for (const std::string& name : LoopNames()) {
    SetLoop(name, settings.Get<std::vector<std::int64_t>>("numpy_" + name));
  }
}

[[maybe_unused]] const bool registered = RegisterSettings(Settings(), Configure);

}  // namespace
}  // namespace envpool::dm_control
