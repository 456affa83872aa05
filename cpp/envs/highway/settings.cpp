// How NumPy computes in the process that loads this library.
#include "numerics/settings.h"

#include <stdexcept>
#include <string>

#include "highway/numbers.h"

namespace envpool::highway {
namespace {

Way WayOf(const Options& settings, const std::string& name) {
  const std::string& way = settings.Text(name);
  if (way == "rounded") return Way::kRounded;
  if (way == "fused") return Way::kFused;
  if (way == "backwards") return Way::kBackwards;
  throw std::invalid_argument(name + " is '" + way +
                              "', expected 'rounded', 'fused' or 'backwards'");
}

[[maybe_unused]] const bool registered = numerics::Register(
    {{"pair_dot", "rounded", "how NumPy adds two products: see numbers.h"},
     {"pair_gemv", "rounded", "the same of a matrix times a vector"},
     {"pair_gemm", "rounded", "the same of a matrix times a matrix"},
     {"sums_floats_exactly", false, "does Python's sum() keep what rounding loses?"}},
    [](const Options& settings) {
      kernels = {.dot = WayOf(settings, "pair_dot"),
                 .gemv = WayOf(settings, "pair_gemv"),
                 .gemm = WayOf(settings, "pair_gemm"),
                 .sums_floats_exactly = settings.Flag("sums_floats_exactly")};
    });

}  // namespace
}  // namespace envpool::highway
