// What Python's side of JAX's interface needs of the native one.
#pragma once

#include <pybind11/pybind11.h>

#include "results/layout.h"

namespace envpool {

namespace py = pybind11;

// For each column a tuple: dtype, shape of a row, and whether there is one for each player.
py::dict DescribeColumns(const Layout& layout);

// Capsules of the handlers that JAX registers, "step", "send", "recv" and "reset", for each of its
// platforms: "cpu" and "CUDA".
py::dict XlaHandlers();

}  // namespace envpool
