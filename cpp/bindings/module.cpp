// The extension module envpool._core.
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <array>
#include <exception>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "bindings/interpreter.h"
#include "bindings/numpy_bridge.h"
#include "bindings/pool_binding.h"
#include "bindings/process_pool_binding.h"
#include "bindings/python_station.h"
#include "bindings/spec_bridge.h"
#include "envpool/hash.h"
#include "loading/family_library.h"
#include "loading/pool_spec.h"
#include "xla/handlers.h"

namespace envpool {
namespace {

py::dict LoadTypes(const std::string& path, const py::dict& settings) {
  const Family& family = LoadFamily(path);
  // Without any, the library keeps those that it has.
  if (!settings.empty()) family.configure(ReadOptions(family.settings, settings));
  py::dict types;
  for (const EnvType& type : family.types) {
    types[type.name.c_str()] = py::cast(&type, py::return_value_policy::reference);
  }
  return types;
}

// The spec of a pool whose environments are of several types: name and options of each kind.
py::dict DescribeCommonSpec(const std::vector<std::pair<std::string, TypedOptions*>>& kinds) {
  std::vector<NamedSpec> specs;
  for (const auto& [name, options] : kinds) specs.push_back({name, options->GetSpec()});
  return DescribeSpec(CommonSpec(specs));
}

// Returns the capsule that a bit generator has, from which NumPy's Generator draws.
py::capsule CapsuleOf(Random& random) {
  constexpr const char* kName = "BitGenerator";
  const auto destroy = [](PyObject* capsule) {
    delete static_cast<bitgen*>(PyCapsule_GetPointer(capsule, kName));
  };
  return py::capsule(new bitgen(random.Generator()), kName, destroy);
}

py::bytes Packed(Random& random) {
  std::string bytes;
  Archive writer = Archive::Writer(bytes);
  random.Serialize(writer);
  return bytes;
}

void Unpack(Random& random, std::string_view bytes) {
  Archive reader = Archive::Reader(bytes);
  random.Serialize(reader);
}

// NumPy's default_rng(seed) as environments see it. The distributions are for the tests that
// compare the two.
void BindRandom(py::module_& module) {
  py::class_<Random>(module, "Random")
      .def(py::init<std::uint64_t>(), py::arg("seed"))
      .def("capsule", &CapsuleOf)
      .def("pack", &Packed)
      .def("unpack", &Unpack)
      .def("uniform", &Random::Uniform, py::arg("low") = 0.0, py::arg("high") = 1.0)
      .def("random", &Random::Unit)
      .def("normal", &Random::Normal, py::arg("loc") = 0.0, py::arg("scale") = 1.0)
      .def("exponential", &Random::Exponential, py::arg("scale") = 1.0)
      .def("integers", py::overload_cast<std::int64_t, std::int64_t>(&Random::Integers),
           py::arg("low"), py::arg("high"))
      .def("choice", py::overload_cast<std::int64_t>(&Random::Choice), py::arg("n"))
      .def(
          "choice",
          [](Random& random, const std::vector<double>& p) {
            return random.Choice(std::span<const double>(p));
          },
          py::arg("p"))
      .def("choice_without_replacement", &Random::ChoiceWithoutReplacement, py::arg("n"),
           py::arg("size"))
      .def("permutation", &Random::Permutation, py::arg("n"));
}

py::dict CapsulesOf(const std::array<xla::Handler*, 4>& handlers) {
  constexpr const char* kNames[] = {"step", "send", "recv", "reset"};
  py::dict capsules;
  for (std::size_t i = 0; i < handlers.size(); ++i) {
    capsules[kNames[i]] = py::capsule(reinterpret_cast<const void*>(handlers[i]));
  }
  return capsules;
}

// The handlers that JAX registers, for each of its platforms.
py::dict XlaHandlers() {
  py::dict handlers;
  handlers["cpu"] =
      CapsulesOf({xla::HandleStep, xla::HandleSend, xla::HandleReceive, xla::HandleReset});
  handlers["CUDA"] = CapsulesOf(
      {xla::HandleStepOnGpu, xla::HandleSendOnGpu, xla::HandleReceiveOnGpu, xla::HandleResetOnGpu});
  return handlers;
}

PythonFunctions ReadFunctions(const py::dict& functions) {
  return {.assemble_action = functions["assemble_action"],
          .read_letter = functions["read_letter"],
          .write_letter = functions["write_letter"],
          .always_write = py::cast<bool>(functions["always_write"]),
          .write_error = functions["write_error"],
          .own_results = functions["own_results"],
          .casts = py::cast<bool>(functions["casts"]),
          .end_child = functions["end_child"],
          .describe = functions["describe"]};
}

void BindProcesses(py::module_& module) {
  py::class_<PythonStation>(module, "Station")
      .def(py::init([](const py::dict& description, int worker, std::array<int, 3> files,
                       const std::vector<EnvTuple>& environments, std::vector<KeyPath> paths,
                       const py::kwargs& functions) {
             return std::make_unique<PythonStation>(ReadSharedConfig(description), worker,
                                                    Station::Files{files[0], files[1], files[2]},
                                                    environments, std::move(paths),
                                                    ReadFunctions(functions), functions["group"]);
           }),
           py::kw_only(), py::arg("description"), py::arg("worker"), py::arg("files"),
           py::arg("environments"), py::arg("observation_paths"))
      .def("serve", &PythonStation::Serve)
      .def("set_answering", &PythonStation::SetAnswering)
      .def("replace", &PythonStation::Replace)
      .def("get_episode", &PythonStation::GetEpisode)
      .def("set_episode", &PythonStation::SetEpisode)
      .def_static("end_with", &PythonStation::EndWith);

  using Binding = ProcessPoolBinding;
  py::class_<Binding> process_pool(module, "ProcessPool");
  FrontBinding::Define(process_pool);
  process_pool
      .def(py::init([](const py::dict& description, const py::dict& plans,
                       ProcessPool::DescribeEnd describe_end, py::object write_choice) {
             auto pool = std::make_unique<ProcessPool>(ReadSharedConfig(description),
                                                       std::move(describe_end));
             return std::make_unique<Binding>(std::move(pool), description, plans,
                                              std::move(write_choice));
           }),
           py::kw_only(), py::arg("description"), py::arg("plans"), py::arg("describe_end"),
           py::arg("write_choice"))
      .def_property_readonly("description", &Binding::Description)
      .def_property_readonly("files", &Binding::Files)
      .def("set_worker", Binding::Call(&ProcessPool::SetWorker))
      .def("set_restart", Binding::Call(&ProcessPool::SetRestart))
      .def("late_workers", Binding::Call(&ProcessPool::LateWorkers))
      .def("awaiting_restart", Binding::Call(&ProcessPool::AwaitingRestart))
      .def("lost_workers", Binding::CallWithIds(&ProcessPool::LostWorkers))
      .def("lost_envs", Binding::Call(&ProcessPool::LostEnvs))
      .def("set_station", &Binding::SetStation)
      .def("reset", &Binding::Reset)
      .def("send_reset", &Binding::SendReset)
      .def("ring_for_control", Binding::Call(&ProcessPool::RingForControl))
      .def("set_over", Binding::CallWithIds(&ProcessPool::SetOver))
      .def("note_lost", Binding::CallWithIds(&ProcessPool::NoteLost))
      .def("await_recording", &Binding::AwaitRecording)
      .def("close", &Binding::Close);
}

// Messages can quote what a caller or a file has given, of any length and bytes.
py::object Shortened(std::string_view message) {
  return py::module_::import("envpool.errors").attr("shortened")(ReadText(message));
}

// What is wrong with an argument, in a class that callers of EnvPool and of Gymnasium expect.
void RaiseArgumentError(const char* message) {
  const py::object type = py::module_::import("envpool.errors").attr("ArgumentError");
  PyErr_SetObject(type.ptr(), Shortened(message).ptr());
}

void TranslateErrors(std::exception_ptr thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::invalid_argument& error) {
    RaiseArgumentError(error.what());
  } catch (const py::value_error& error) {
    RaiseArgumentError(error.what());
  } catch (const py::builtin_exception&) {
    throw;  // a std::runtime_error too, but of another class in Python
  } catch (const std::runtime_error& error) {
    PyErr_SetObject(PyExc_RuntimeError, Shortened(error.what()).ptr());
  }
}

bool IsInSubinterpreter() { return PyInterpreterState_Get() != PyInterpreterState_Main(); }
constexpr const char* kNoSubinterpreter =
    "envpool's environments cannot be made in a subinterpreter, only in a "
    "process's main "
    "interpreter: use a process instead";

}  // namespace

// What pybind11 defines is not what Python calls, see below.
#define PyInit__core InitCore
PYBIND11_MODULE(_core, module) {
  // Since version 3.13, Python calls PyInit__core in the main interpreter also if another one
  // imports the module, and runs this body in the one that does.
  if (IsInSubinterpreter()) throw py::import_error(kNoSubinterpreter);
  ImportNumpy();
  py::register_local_exception_translator(&TranslateErrors);
  module.doc() = "The native core of envpool: see envpool's own documentation.";

  py::class_<EnvType>(module, "EnvType")
      .def_readonly("name", &EnvType::name)
      .def_property_readonly("options", [](const EnvType& t) { return DescribeOptions(t.options); })
      .def_property_readonly("reset_options",
                             [](const EnvType& t) { return DescribeOptions(t.reset_options); })
      .def("read", [](const EnvType& t, const py::dict& given) { return TypedOptions(t, given); });
  py::class_<TypedOptions>(module, "TypedOptions")
      .def_property_readonly("can_render",
                             [](const TypedOptions& t) { return t.Type().frame_size != nullptr; })
      .def("frame_size",
           [](const TypedOptions& t) {
             const FrameSize size = t.GetFrameSize();
             return py::make_tuple(size.width, size.height);
           })
      .def("memory", &TypedOptions::Memory)
      .def("render_fps", &TypedOptions::RenderFps)
      .def("spec", [](TypedOptions& t) { return DescribeSpec(t.GetSpec()); });
  module.def("load_family", &LoadTypes, py::arg("path"), py::arg("settings"),
             "Loads a family's library, gives it its settings and returns "
             "{name: EnvType}.");
  module.def("common_spec", &DescribeCommonSpec, py::arg("kinds"),
             "What kinds, as (name, TypedOptions), have in common, as "
             "TypedOptions.spec tells it.");
  module.def("numpy_loop", &LoopOf, py::arg("function"),
             "The addresses of a ufunc's loop for float64 and of its data.");
  module.def(
      "hash_of_bytes", [](std::string_view bytes) { return HashOfBytes(bytes); }, py::arg("bytes"),
      "The checksum that recordings and snapshots have.");
  module.attr("own_columns") = DescribeOwnColumns();
  module.attr("sdk_version") = kSdkVersion;
  module.attr("sdk_fingerprint") = DescribeThisAbi();

  py::class_<Slots, std::shared_ptr<Slots>>(module, "Slots")
      .def_property_readonly("memory", &MemoryOf)
      .def("restart", &Slots::Restart, py::call_guard<py::gil_scoped_release>());
  py::class_<PoolBinding> pool(module, "Pool");
  FrontBinding::Define(pool);
  pool.def(py::init([](const std::vector<KindTuple>& kinds, const std::vector<int>& kind_of,
                       const std::vector<const TypedOptions*>& environments,
                       const std::vector<std::uint64_t>& seeds, const py::dict& options,
                       const py::dict& plans) {
             PoolConfig config = ReadPoolConfig(kinds, kind_of, environments, seeds, options);
             // Many environments, or slow ones, take their time.
             const auto make = [&] { return std::make_shared<Pool>(config, CheckInterrupt); };
             return std::make_unique<PoolBinding>(WithoutGil(make), plans);
           }),
           py::kw_only(), py::arg("kinds"), py::arg("kind_of"), py::arg("environments"),
           py::arg("seeds"), py::arg("options"), py::arg("plans"))
      .def("reset", &PoolBinding::Reset)
      .def("send_reset", &PoolBinding::SendReset)
      .def("make_slots", &PoolBinding::MakeSlots)
      .def("reset_into", &PoolBinding::ResetInto)
      .def("step_into", &PoolBinding::StepInto)
      .def("set_all", &PoolBinding::SetAll)
      .def("get_state", &PoolBinding::GetState)
      .def("set_state", &PoolBinding::SetState)
      .def("get_options", &PoolBinding::GetOptions)
      .def("set_options", &PoolBinding::SetOptions)
      .def("get_random", &PoolBinding::GetRandom, py::return_value_policy::reference_internal)
      .def("get_elapsed_steps", &PoolBinding::GetElapsedSteps)
      .def("render", &PoolBinding::Render)
      .def("describe", &PoolBinding::Describe)
      .def("assume", &PoolBinding::Assume)
      .def("judge", &PoolBinding::Judge)
      .def("columns", &PoolBinding::Columns)
      .def("open_port", &PoolBinding::OpenPort, py::arg("step_columns"), py::arg("reset_columns"),
           py::arg("seed_bits"))
      .def("take_failures_of_port", &PoolBinding::TakeFailuresOfPort)
      .def("close", &PoolBinding::Close)
      .def("end", &PoolBinding::End, py::arg("seconds"))
      .def("warn_of_recording", &PoolBinding::WarnOfRecording)
      .def_static("living", &PoolBinding::Living);
  module.def("begin_exit", &BeginExit, "From now on, all calls end and are refused.");
  module.def("count_calls", &Unlocked::Count,
             "How many calls are under way in which the GIL is free.");
  module.def("xla_handlers", &XlaHandlers,
             "Capsules of the functions that XLA calls, by its platforms and "
             "by what they do.");
  module.def("count_refused_programs", &xla::CountRefused,
             "How many calls of compiled programs found no pool.");
  BindProcesses(module);
  BindRandom(module);
}
#undef PyInit__core

// True if this is a Python without the GIL that was told not to take it for modules like this one.
// Pythons that always have the GIL have no such function.
bool RunsWithoutGil() {
  PyObject* const function = PySys_GetObject("_is_gil_enabled");
  if (function == nullptr) return false;
  PyObject* const enabled = PyObject_CallNoArgs(function);
  if (enabled == nullptr) PyErr_Clear();
  Py_XDECREF(enabled);
  return enabled == Py_False;
}

// The module's initialisation. pybind11's own takes the GIL for the main interpreter before
// anything else, and would wait for it for ever in another one.
extern "C" PYBIND11_EXPORT PyObject* PyInit__core() {
  const char* refusal = nullptr;
  if (IsInSubinterpreter()) {
    refusal = kNoSubinterpreter;
  } else if (RunsWithoutGil()) {
    refusal =
        "envpool needs Python's global interpreter lock (GIL): start "
        "python with -X gil=1, or "
        "without PYTHON_GIL=0";
  }
  if (refusal == nullptr) return InitCore();
  PyErr_SetString(PyExc_ImportError, refusal);
  return nullptr;
}

}  // namespace envpool
