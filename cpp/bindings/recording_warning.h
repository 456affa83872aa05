// What pools say of a recording that has ended early.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

namespace envpool {

// Does nothing if there is no problem. Throws if a filter makes an exception of the warning.
inline void WarnOfRecording(const std::string& problem) {
  if (problem.empty()) return;
  const std::string text = "the recording has ended, and the pool goes on: " + problem;
  if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 2) < 0) throw pybind11::error_already_set();
}

}  // namespace envpool
