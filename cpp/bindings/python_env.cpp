#include "bindings/python_env.h"

#include <stdexcept>
#include <utility>

#include "bindings/numpy_bridge.h"

namespace envpool {

namespace {

// The items of what a method returned.
py::object Items(const py::object& returned, Py_ssize_t count, const char* method,
                 const char* expected) {
  auto items = py::reinterpret_steal<py::object>(PySequence_Fast(returned.ptr(), "not a sequence"));
  if (!items) {
    PyErr_Clear();
    throw py::type_error(std::string(method) + "() returned " +
                         std::string(py::repr(py::type::handle_of(returned))) + ", expected " +
                         expected);
  }
  const Py_ssize_t size = PySequence_Fast_GET_SIZE(items.ptr());
  if (size != count) {
    throw py::value_error(std::string(method) + "() returned " + std::to_string(size) +
                          " values, expected " + std::to_string(count) + ": " + expected);
  }
  return items;
}

py::object Item(const py::object& items, Py_ssize_t index) {
  return py::reinterpret_borrow<py::object>(PySequence_Fast_GET_ITEM(items.ptr(), index));
}

std::string Returned(const char* what, const py::object& object) {
  return std::string("step() returned as ") + what + " " +
         std::string(py::repr(py::type::handle_of(object)));
}

bool IsTrue(const char* what, const py::object& object) {
  const int result = PyObject_IsTrue(object.ptr());
  if (result >= 0) return result != 0;
  if (PyErr_ExceptionMatches(PyExc_ValueError) == 0) throw py::error_already_set();
  PyErr_Clear();  // of an array of several elements
  throw py::type_error(Returned(what, object) + ", expected a bool");
}

double AsReward(const py::object& object) {
  const double value = PyFloat_AsDouble(object.ptr());
  if (value != -1.0 || PyErr_Occurred() == nullptr) return value;
  if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw py::error_already_set();
  PyErr_Clear();
  throw py::type_error(Returned("reward", object) + ", expected a number");
}

// A call that Python made fails as Python sees it.
py::object ExceptionOf(const std::exception& error) {
  PyObject* type = PyExc_RuntimeError;
  if (dynamic_cast<const py::value_error*>(&error) != nullptr) type = PyExc_ValueError;
  if (dynamic_cast<const py::type_error*>(&error) != nullptr) type = PyExc_TypeError;
  return py::handle(type)(error.what());
}

}  // namespace

py::object PartOf(const py::object& observation, const KeyPath& path) {
  py::object part = observation;
  for (const py::object& key : path) {
    PyObject* next = PyObject_GetItem(part.ptr(), key.ptr());
    if (next == nullptr) {
      const bool lacks_part = PyErr_ExceptionMatches(PyExc_LookupError) != 0 ||
                              PyErr_ExceptionMatches(PyExc_TypeError) != 0;
      if (!lacks_part) throw py::error_already_set();
      PyErr_Clear();
      // This looks the part up once more, and says what is wrong.
      const py::object part_of = py::module_::import("envpool.workers.spaces").attr("part_of");
      py::tuple keys(path.size());
      for (std::size_t i = 0; i < path.size(); ++i) keys[i] = path[i];
      return part_of(observation, keys);
    }
    part = py::reinterpret_steal<py::object>(next);
  }
  return part;
}

PythonEnv::PythonEnv(const PythonInterface& interface, std::int32_t id, py::object environment,
                     py::object seed)
    : interface_(interface),
      id_(id),
      environment_(std::move(environment)),
      seed_(std::move(seed)) {}

void PythonEnv::Prepare(Task task, std::optional<std::string> letter) {
  is_asked_to_reset_ = task == Task::kReset;
  has_lost_worker_ = task == Task::kSurvive;
  has_stepped_ = was_reset_ = false;
  exception_ = py::object();
  letter_ = std::move(letter);
  outcome_.final_observation = outcome_.final_info = py::object();
  if (task == Task::kObserve) outcome_.info = py::dict();
}

// The one that is being handled.
void PythonEnv::KeepException() const {
  try {
    throw;
  } catch (py::error_already_set& error) {
    if (error.matches(PyExc_KeyboardInterrupt)) interface_.interruption = error.value();
    if (error.trace()) PyException_SetTraceback(error.value().ptr(), error.trace().ptr());
    exception_ = error.value();
  } catch (const std::exception& error) {
    exception_ = ExceptionOf(error);
  }
  // A worker's child ends like a program. In the caller's own process the caller is told.
  if (interface_.station.IsForked() && !interface_.station.Config().in_process) {
    interface_.functions.end_child(exception_);
  }
  throw std::runtime_error(py::cast<std::string>(interface_.functions.describe(exception_)));
}

py::dict PythonEnv::ReadResetArguments(const Options& options) {
  py::dict arguments;
  if (options.Has(kLetter)) {
    arguments = interface_.functions.read_letter(py::bytes(options.Text(kLetter)));
  } else if (is_asked_to_reset_) {
    arguments["seed"] = py::none();
    arguments["options"] = py::none();
  }
  const py::object seed = std::exchange(seed_, py::none());
  const bool has_seed = arguments.contains("seed") && !arguments["seed"].is_none();
  if (!has_seed && !seed.is_none()) arguments["seed"] = seed;
  return arguments;
}

void PythonEnv::TakeInfo(py::handle info, const char* method) {
  if (!py::isinstance<py::dict>(info)) {
    throw py::type_error(std::string(method) + "() returned as info " +
                         std::string(py::repr(py::type::handle_of(info))) + ", expected a dict");
  }
  outcome_.info = py::reinterpret_borrow<py::object>(info);
}

py::tuple PythonEnv::CopyLast() const {  // the reset may write to the same memory
  return interface_.functions.own_results(outcome_.observation, outcome_.info);
}

void PythonEnv::Reset(Random&, const Options& options) {
  Guard<void>([&] {
    const bool follows_failure = HasFailed() && !was_reset_;
    if (has_stepped_ && !follows_failure) {
      const py::tuple copies = CopyLast();
      outcome_.final_observation = copies[0];
      outcome_.final_info = copies[1];
    }
    static const char* const kExpected = "(observation, info)";
    const py::object returned = environment_.attr("reset")(**ReadResetArguments(options));
    const py::object items = Items(returned, 2, "reset", kExpected);
    outcome_.observation = Item(items, 0);
    TakeInfo(Item(items, 1), "reset");
    if (follows_failure) was_reset_ = has_stepped_ = true;
  });
  is_asked_to_reset_ = false;
}

py::object PythonEnv::ReadAction(std::size_t player) const {
  if (letter_) return interface_.functions.read_letter(py::bytes(*letter_));
  const std::vector<Field>& fields = GetSpec().action;
  if (fields.empty()) throw std::runtime_error("its action, which is no array, did not come along");
  const ActionStore& actions = interface_.station.Actions();
  const auto read = [&](std::size_t field) {
    const std::byte* memory = actions.Numbers(Id(), field) + player * fields[field].Bytes();
    return MakeCopy(actions.TypeOf(Id(), field), fields[field].shape, memory);
  };
  if (interface_.functions.assemble_action.is_none()) return read(0);
  py::tuple arrays(fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) arrays[i] = read(i);
  return interface_.functions.assemble_action(arrays);
}

StepResult PythonEnv::Step(const Action&, Random&) {
  return Guard<StepResult>([this] {
    static PyObject* const kStep = PyUnicode_InternFromString("step");
    static const char* const kExpected = "(observation, reward, terminated, truncated, info)";
    const py::object action = ReadAction();
    PyObject* result = PyObject_CallMethodOneArg(environment_.ptr(), kStep, action.ptr());
    if (result == nullptr) throw py::error_already_set();
    const auto returned = py::reinterpret_steal<py::object>(result);
    const py::object items = Items(returned, 5, "step", kExpected);
    outcome_.observation = Item(items, 0);
    TakeInfo(Item(items, 4), "step");
    has_stepped_ = true;
    return StepResult{.reward = AsReward(Item(items, 1)),
                      .terminated = IsTrue("terminated", Item(items, 2)),
                      .truncated = IsTrue("truncated", Item(items, 3))};
  });
}

void PythonEnv::Observe(const Row& row) const {
  Guard<void>([&] {
    if (!outcome_.observation)
      throw std::runtime_error("it was never reset: there is no observation");
    WriteTo(row);
  });
}

void PythonEnv::WriteTo(const Row& row) const {
  const std::vector<Field>& fields = GetSpec().observation;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const py::object value = PartOf(outcome_.observation, interface_.paths[i]);
    VisitDType(fields[i].dtype, [&]<class T>() {
      T* memory = row.Observation<T>(i).data();
      CopyInto(value, fields[i], reinterpret_cast<std::byte*>(memory), interface_.functions.casts);
    });
  }
}

std::string PythonEnv::WriteError(const py::object& exception) const {
  return py::cast<std::string>(interface_.functions.write_error(id_, exception));
}

std::string PythonEnv::TakeLetter(bool& failed, const std::string& error) {
  if (failed) {
    py::object exception = std::move(exception_);
    if (!exception) exception = py::handle(PyExc_RuntimeError)(error);
    return WriteError(exception);
  }
  const auto& [observation, info, final_observation, final_info] = outcome_;
  const auto is_empty = [](const py::object& dict) {
    return !dict || PyDict_GET_SIZE(dict.ptr()) == 0;
  };
  exception_ = py::object();
  if (is_empty(info) && !final_observation && !interface_.functions.always_write) return {};
  const auto or_none = [](const py::object& object) -> py::object {
    return object ? object : py::none();
  };
  try {
    const py::object letter = interface_.functions.write_letter(
        id_, or_none(observation), info, or_none(final_observation), or_none(final_info));
    return letter.is_none() ? std::string() : py::cast<std::string>(letter);
  } catch (const py::error_already_set& raised) {
    failed = true;
    if (raised.matches(PyExc_KeyboardInterrupt)) interface_.interruption = raised.value();
    return WriteError(raised.value());
  }
}

}  // namespace envpool
