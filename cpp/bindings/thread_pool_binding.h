// A ThreadPool as Python sees it.
#pragma once

#include <pybind11/pybind11.h>

namespace envpool {

void BindThreadPool(pybind11::module_& module);

}  // namespace envpool
