#include "numerics/loops.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <stdexcept>

namespace envpool::numerics {

namespace {

// PyUFuncGenericFunction.
using Function = void(char** arguments, const std::intptr_t* count, const std::intptr_t* steps,
                      void* data);

struct Loop {
  std::atomic<Function*> function = nullptr;
  std::atomic<void*> data = nullptr;
};

enum Name : std::size_t {
  kExp,
  kLog,
  kLog1p,
  kArcsinh,
  kTanh,
  kArctan2,
  kArccos,
  kMatmul,
  kSin,
  kCos,
  kTan,
  kArcsin,
  kArctan,
  kPower,
  kCount
};

std::array<Loop, kCount> loops;

// Calls the loop for one element.
template <class... Arguments>
double Call(Name name, double (*libm)(Arguments...), Arguments... values) {
  const Loop& loop = loops[name];
  Function* const function = loop.function.load(std::memory_order_acquire);
  if (function == nullptr) return libm(values...);
  double result = 0.0;
  char* arguments[] = {reinterpret_cast<char*>(&values)..., reinterpret_cast<char*>(&result)};
  const std::intptr_t count = 1;
  constexpr std::intptr_t kStep = sizeof(double);
  const std::intptr_t steps[] = {kStep, kStep, kStep};
  function(arguments, &count, steps, loop.data.load(std::memory_order_relaxed));
  return result;
}

}  // namespace

double Exp(double x) { return Call<double>(kExp, std::exp, x); }
double Log(double x) { return Call<double>(kLog, std::log, x); }
double Log1p(double x) { return Call<double>(kLog1p, std::log1p, x); }
double Arcsinh(double x) { return Call<double>(kArcsinh, std::asinh, x); }
double Tanh(double x) { return Call<double>(kTanh, std::tanh, x); }
double Arctan2(double y, double x) { return Call<double, double>(kArctan2, std::atan2, y, x); }
double Arccos(double x) { return Call<double>(kArccos, std::acos, x); }
double Sin(double x) { return Call<double>(kSin, std::sin, x); }
double Cos(double x) { return Call<double>(kCos, std::cos, x); }
double Tan(double x) { return Call<double>(kTan, std::tan, x); }
double Arcsin(double x) { return Call<double>(kArcsin, std::asin, x); }
double Arctan(double x) { return Call<double>(kArctan, std::atan, x); }

double Power(double x, double y) {
  const Loop& loop = loops[kPower];
  Function* const function = loop.function.load(std::memory_order_acquire);
  if (function == nullptr) return std::pow(x, y);
  double result = 0.0;
  char* arguments[] = {reinterpret_cast<char*>(&x), reinterpret_cast<char*>(&y),
                       reinterpret_cast<char*>(&result)};
  const std::intptr_t count = 1;
  // An exponent that does not move is one that all numbers share: the loop knows some of these.
  const std::intptr_t steps[] = {sizeof(double), 0, sizeof(double)};
  function(arguments, &count, steps, loop.data.load(std::memory_order_relaxed));
  return result;
}

void MatrixTimesVector(std::span<const double> matrix, std::span<const double> vector,
                       std::span<double> result) {
  const Loop& loop = loops[kMatmul];
  Function* const function = loop.function.load(std::memory_order_acquire);
  if (function == nullptr) {
    for (std::size_t row = 0; row < result.size(); ++row) {
      const auto start = matrix.begin() + static_cast<std::ptrdiff_t>(row * vector.size());
      result[row] = std::inner_product(vector.begin(), vector.end(), start, 0.0);
    }
    return;
  }
  char* arguments[] = {const_cast<char*>(reinterpret_cast<const char*>(matrix.data())),
                       const_cast<char*>(reinterpret_cast<const char*>(vector.data())),
                       reinterpret_cast<char*>(result.data())};
  // One product; then the sizes of (m, n) @ (n, p).
  const auto rows = static_cast<std::intptr_t>(result.size());
  const auto columns = static_cast<std::intptr_t>(vector.size());
  const std::intptr_t sizes[] = {1, rows, columns, 1};
  // From one product to the next; then along each axis of the three matrices.
  constexpr std::intptr_t kStep = sizeof(double);
  const std::intptr_t steps[] = {0, 0, 0, columns * kStep, kStep, kStep, kStep, kStep, kStep};
  function(arguments, sizes, steps, loop.data.load(std::memory_order_relaxed));
}

const std::vector<std::string>& LoopNames() {
  static const std::vector<std::string> names = {"exp",     "log",    "log1p",  "arcsinh", "tanh",
                                                 "arctan2", "arccos", "matmul", "sin",     "cos",
                                                 "tan",     "arcsin", "arctan", "power"};
  return names;
}

void SetLoop(const std::string& name, const std::vector<std::int64_t>& addresses) {
  const auto found = std::ranges::find(LoopNames(), name);
  if (found == LoopNames().end()) throw std::invalid_argument("there is no loop '" + name + "'");
  if (addresses.size() != 0 && addresses.size() != 2) {
    throw std::invalid_argument("numpy_" + name + " has " + std::to_string(addresses.size()) +
                                " addresses, expected two or none");
  }
  Loop& loop = loops[static_cast<std::size_t>(found - LoopNames().begin())];
  if (addresses.empty()) {
    loop.function.store(nullptr);
    return;
  }
  loop.data.store(reinterpret_cast<void*>(addresses[1]));
  loop.function.store(reinterpret_cast<Function*>(addresses[0]), std::memory_order_release);
}

}  // namespace envpool::numerics
