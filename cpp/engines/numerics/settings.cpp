#include "numerics/settings.h"

#include <cstdint>
#include <string>

#include "numerics/loops.h"
#include "numerics/products.h"

namespace envpool::numerics {

namespace {

constexpr const char* kKernels[] = {"dot", "gemv", "gemm"};

}  // namespace

std::vector<OptionSpec> Settings() {
  std::vector<OptionSpec> settings;
  for (const std::string kernel : kKernels) {
    settings.push_back({"numpy_" + kernel, "rounded", "how NumPy's BLAS adds: see products.h"});
  }
  for (const std::string& name : LoopNames()) {
    settings.push_back({"numpy_" + name, std::vector<std::int64_t>(),
                        "addresses of NumPy's loop and its data; empty: libm"});
  }
  return settings;
}

void Configure(const Options& settings) {
  for (const std::string kernel : kKernels) SetProduct(kernel, settings.Text("numpy_" + kernel));
  for (const std::string& name : LoopNames()) {
    SetLoop(name, settings.Get<std::vector<std::int64_t>>("numpy_" + name));
  }
}

}  // namespace envpool::numerics
