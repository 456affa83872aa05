#include "numerics/settings.h"

#include <cstdint>
#include <string>
#include <utility>

#include "envpool/family.h"
#include "numerics/loops.h"
#include "numerics/products.h"

namespace envpool::numerics {

namespace {

constexpr const char* kKernels[] = {"gemv", "gemm"};

}  // namespace

bool Register(std::vector<OptionSpec> settings, std::function<void(const Options&)> configure) {
  for (const std::string kernel : kKernels) {
    settings.push_back({"numpy_" + kernel, "rounded", "how NumPy's BLAS adds: see products.h"});
  }
  for (const std::string& name : LoopNames()) {
    settings.push_back({"numpy_" + name, std::vector<std::int64_t>(),
                        "addresses of NumPy's loop and its data; empty: libm"});
  }
  return RegisterSettings(std::move(settings),
                          [configure = std::move(configure)](const Options& values) {
                            configure(values);
                            for (const std::string kernel : kKernels)
                              SetProduct(kernel, values.Text("numpy_" + kernel));
                            for (const std::string& name : LoopNames()) {
                              SetLoop(name, values.Get<std::vector<std::int64_t>>("numpy_" + name));
                            }
                          });
}

}  // namespace envpool::numerics
