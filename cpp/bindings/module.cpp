// The extension module envpool._core.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "bindings/numpy_bridge.h"
#include "bindings/pool_binding.h"
#include "bindings/spec_bridge.h"
#include "executor/family_library.h"

namespace envpool {
namespace {

py::dict LoadTypes(const std::string& path) {
  py::dict types;
  for (const EnvType& type : LoadFamily(path).types) {
    types[type.name.c_str()] = py::cast(&type, py::return_value_policy::reference);
  }
  return types;
}

template <class T>
T Choose(const char* name, const std::string& value,
         std::initializer_list<std::pair<const char*, T>> choices) {
  for (const auto& [known, choice] : choices) {
    if (value == known) return choice;
  }
  throw py::value_error(std::string(name) + " is '" + value + "'");
}

std::unique_ptr<PoolBinding> MakePool(const EnvType& type, const std::vector<py::dict>& options,
                                      const std::vector<std::uint64_t>& seeds, int batch_size,
                                      int num_threads, int thread_affinity_offset,
                                      int max_episode_steps, bool episode_statistics,
                                      const std::string& autoreset_mode,
                                      const std::string& reward_dtype, bool time_step,
                                      const py::dict& plans) {
  PoolConfig config;
  config.num_envs = static_cast<int>(seeds.size());
  config.batch_size = batch_size;
  config.num_threads = num_threads;
  config.thread_affinity_offset = thread_affinity_offset;
  config.max_episode_steps = max_episode_steps;
  config.seeds = seeds;
  for (const py::dict& given : options) config.options.push_back(ReadOptions(type.options, given));
  config.autoreset_mode = Choose<AutoresetMode>("autoreset_mode", autoreset_mode,
                                                {{"NextStep", AutoresetMode::kNextStep},
                                                 {"SameStep", AutoresetMode::kSameStep},
                                                 {"Disabled", AutoresetMode::kDisabled}});
  config.layout.episode_statistics = episode_statistics;
  config.layout.reward = Choose<DType>(
      "reward_dtype", reward_dtype, {{"float32", DType::kFloat32}, {"float64", DType::kFloat64}});
  config.layout.time_step = time_step;
  config.layout.final_rows = config.autoreset_mode == AutoresetMode::kSameStep;
  return std::make_unique<PoolBinding>(type, std::move(config), plans);
}

// NumPy's default_rng(seed) as environments see it, for the tests that compare the two.
void BindRandom(py::module_& module) {
  py::class_<Random>(module, "Random")
      .def(py::init<std::uint64_t>(), py::arg("seed"))
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

}  // namespace

PYBIND11_MODULE(_core, module) {
  ImportNumpy();
  module.doc() = "The native core of envpool: see envpool's own documentation.";

  py::class_<EnvType>(module, "EnvType")
      .def_readonly("name", &EnvType::name)
      .def_property_readonly("options", [](const EnvType& t) { return DescribeOptions(t.options); })
      .def_property_readonly("reset_options",
                             [](const EnvType& t) { return DescribeOptions(t.reset_options); })
      .def_property_readonly("can_render", [](const EnvType& t) { return t.frame_size != nullptr; })
      .def("frame_size",
           [](const EnvType& t, const py::dict& options) {
             FrameSize size;
             if (t.frame_size != nullptr) size = t.frame_size(ReadOptions(t.options, options));
             return py::make_tuple(size.width, size.height);
           })
      .def("render_fps",
           [](const EnvType& t, const py::dict& options) -> std::optional<double> {
             if (t.render_fps == nullptr) return std::nullopt;
             return t.render_fps(ReadOptions(t.options, options));
           })
      .def("spec", [](const EnvType& t, const py::dict& options) {
        return DescribeSpec(t.spec(ReadOptions(t.options, options)));
      });
  module.def("load_family", &LoadTypes, py::arg("path"),
             "Loads a family's library and returns {name: EnvType}.");

  py::class_<PoolBinding>(module, "Pool")
      .def(py::init(&MakePool), py::arg("type"), py::arg("options"), py::arg("seeds"),
           py::arg("batch_size"), py::arg("num_threads"), py::arg("thread_affinity_offset"),
           py::arg("max_episode_steps"), py::arg("episode_statistics"), py::arg("autoreset_mode"),
           py::arg("reward_dtype"), py::arg("time_step"), py::arg("plans"))
      .def("step", &PoolBinding::Step)
      .def("reset", &PoolBinding::Reset)
      .def("send", &PoolBinding::Send)
      .def("send_reset", &PoolBinding::SendReset)
      .def("recv", &PoolBinding::Receive)
      .def("get_state", &PoolBinding::GetState)
      .def("set_state", &PoolBinding::SetState)
      .def("get_options", &PoolBinding::GetOptions)
      .def("set_options", &PoolBinding::SetOptions)
      .def("get_random_state", &PoolBinding::GetRandomState)
      .def("get_elapsed_steps", &PoolBinding::GetElapsedSteps)
      .def("render", &PoolBinding::Render)
      .def("describe", &PoolBinding::Describe)
      .def("stats", &PoolBinding::Stats)
      .def("discard", &PoolBinding::Discard)
      .def("close", &PoolBinding::Close)
      .def("end", &PoolBinding::End)
      .def_property_readonly("callers", &PoolBinding::Callers);
  BindRandom(module);
}

}  // namespace envpool
