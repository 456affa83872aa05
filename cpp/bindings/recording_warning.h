// What pools say of recordings that lack something.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

namespace envpool {

// These throw if a filter makes an exception of the warning.

// Does nothing if there is no problem.
inline void WarnOfEndedRecording(const std::string& problem) {
  if (problem.empty()) return;
  const std::string text = "the recording has ended, and the pool goes on: " + problem;
  if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 2) < 0) {
    throw pybind11::error_already_set();
  }
}

inline void WarnOfUnwrittenRecording(const std::string& path) {
  const std::string text = "the recording may lack its end, which was not written in time: " + path;
  if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1) < 0) {
    throw pybind11::error_already_set();
  }
}

}  // namespace envpool
