#include "bindings/spec_bridge.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <variant>

#include "bindings/interpreter.h"
#include "loading/spec_check.h"
#include "results/own_columns.h"
#include "threads/visits.h"

namespace envpool {

namespace {

// What a message calls a value of each type that an option can have.
constexpr const char* kExpected[] = {"None",
                                     "a bool",
                                     "an integer",
                                     "a number",
                                     "a string",
                                     "a list of integers",
                                     "a list of numbers",
                                     "a list of strings"};
static_assert(std::size(kExpected) == std::variant_size_v<OptionValue>);

// What a message shows of a value.
std::string Shown(py::handle value) {
  return py::str(py::module_::import("envpool.errors").attr("shown")(value));
}

// The value as a T. NumPy's scalars count as the Python types they stand for.
template <class T>
OptionValue ReadAs(const std::string& name, py::handle value) {
  const auto refuse = [&] {
    return py::type_error("option " + name + " is " + Shown(value) + ", expected " +
                          kExpected[OptionValue(T()).index()]);
  };
  py::object plain = py::reinterpret_borrow<py::object>(value);
  if (!py::isinstance<py::list>(value) && py::hasattr(value, "tolist")) {
    plain = value.attr("tolist")();
  }
  const bool is_bool = py::isinstance<py::bool_>(plain);
  if (is_bool != std::is_same_v<T, bool>) throw refuse();
  try {
    return plain.cast<T>();
  } catch (const py::cast_error&) {
    if (std::is_arithmetic_v<T> && py::isinstance<py::int_>(plain)) {  // a very large one
      throw py::value_error(
          "option " + name + " is " + Shown(value) + ", expected " +
          (std::is_same_v<T, double> ? "a finite number" : "an integer of 64 bits"));
    }
    throw refuse();
  }
}

OptionValue ReadOption(const OptionSpec& spec, py::handle value) {
  OptionValue read = std::visit(
      [&]<class T>(const T&) -> OptionValue {
        if constexpr (std::is_same_v<T, std::monostate>) {
          if (value.is_none()) return std::monostate();
          return ReadAs<double>(spec.name, value);
        } else {
          return ReadAs<T>(spec.name, value);
        }
      },
      spec.default_value);
  const auto* text = std::get_if<std::string>(&read);
  if (text != nullptr && text->find('\0') != std::string::npos) {  // messages would end there
    throw py::value_error(spec.name + " has a null character: " + Shown(value));
  }
  if (spec.Allows(read)) return read;
  throw py::value_error("option " + spec.name + " is " + Shown(value) + ", expected " +
                        spec.Expected());
}

py::object ToPython(const OptionValue& value) {
  return std::visit(
      []<class T>(const T& held) -> py::object {
        if constexpr (std::is_same_v<T, std::monostate>) {
          return py::none();
        } else {
          return py::cast(held);
        }
      },
      value);
}

const char* NameOf(Space space) {
  constexpr const char* kNames[] = {"box", "discrete", "multi_discrete", "multi_binary"};
  return kNames[static_cast<std::size_t>(space)];
}

const char* NameOf(Structure structure) {
  constexpr const char* kNames[] = {"single", "dict", "tuple"};
  return kNames[static_cast<std::size_t>(structure)];
}

const char* NameOf(AutoresetMode mode) {
  constexpr const char* kNames[] = {"NextStep", "SameStep", "Disabled"};
  return kNames[static_cast<std::size_t>(mode)];
}

py::dict DescribeField(const Field& field) {
  py::dict entry;
  entry["name"] = field.name;
  entry["dtype"] = NameOf(field.dtype);
  entry["shape"] = py::tuple(py::cast(field.shape));
  entry["low"] = field.low;
  entry["high"] = field.high;
  entry["space"] = NameOf(field.space);
  entry["per_player"] = field.per_player;
  return entry;
}

py::list DescribeFields(const std::vector<Field>& fields) {
  py::list described;
  for (const Field& field : fields) described.append(DescribeField(field));
  return described;
}

// The value that `text` names; `last` is the last one of its type.
template <class Enum>
Enum Named(py::handle text, Enum last) {
  const auto name = py::cast<std::string>(text);
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    if (name == NameOf(static_cast<Enum>(i))) return static_cast<Enum>(i);
  }
  throw py::value_error("there is no '" + name + "'");
}

DType ReadDType(py::handle name) { return Named(name, DType::kFloat64); }

Bounds ReadBounds(py::handle bounds) {
  if (py::isinstance<py::list>(bounds)) return py::cast<Bounds>(bounds);
  return {py::cast<double>(bounds)};
}

// What a function of a type says of options. It may have to read files.
template <class Result>
Result Aside(const std::function<Result(const Options&)>& function, const Options& options) {
  const Unlocked unlocked;
  return RunAside<Result>([&function, options] { return function(options); }, CheckInterrupt);
}

// Beyond a century the clock's arithmetic would overflow.
constexpr double kMostSeconds = 3e9;

}  // namespace

TypedOptions::TypedOptions(const EnvType& type, const py::dict& given)
    : type_(&type), values_(ReadOptions(type.options, given)) {}

std::size_t TypedOptions::Memory() const {
  return type_->memory == nullptr ? 0 : type_->memory(values_);
}

FrameSize TypedOptions::GetFrameSize() const {
  return type_->frame_size == nullptr ? FrameSize() : Aside(type_->frame_size, values_);
}

std::optional<double> TypedOptions::RenderFps() const {
  if (type_->render_fps == nullptr) return std::nullopt;
  return Aside(type_->render_fps, values_);
}

const Spec& TypedOptions::GetSpec() {
  if (!spec_) {
    Spec made = Aside(type_->spec, values_);
    RequireSound(type_->name, made);
    spec_ = std::move(made);
  }
  return *spec_;
}

Options ReadOptions(const std::vector<OptionSpec>& specs, const py::dict& given) {
  Options options(specs);
  for (const auto& [key, value] : given) {
    const std::string name = py::cast<std::string>(key);
    const OptionSpec* spec = nullptr;
    for (const OptionSpec& candidate : specs) {
      if (candidate.name == name) spec = &candidate;
    }
    if (spec == nullptr) throw py::key_error("there is no option " + name);
    options.Set(name, ReadOption(*spec, value));
  }
  return options;
}

py::dict ToPython(const Options& options) {
  py::dict result;
  for (const auto& [name, value] : options.Entries()) result[name.c_str()] = ToPython(value);
  return result;
}

py::dict DescribeOptions(const std::vector<OptionSpec>& specs) {
  py::dict described;
  for (const OptionSpec& spec : specs) {
    py::dict entry;
    entry["default"] = ToPython(spec.default_value);
    entry["description"] = spec.description;
    entry["limits"] = py::make_tuple(spec.limits.least, spec.limits.most);
    entry["choices"] = spec.choices;
    entry["expected"] = spec.Expected();
    described[spec.name.c_str()] = entry;
  }
  return described;
}

py::dict DescribeSpec(const Spec& spec) {
  py::dict described;
  described["observation_structure"] = NameOf(spec.observation_structure);
  described["observation"] = DescribeFields(spec.observation);
  described["action_structure"] = NameOf(spec.action_structure);
  described["action"] = DescribeFields(spec.action);
  described["info"] = DescribeFields(spec.info);
  described["max_num_players"] = spec.max_num_players;
  return described;
}

py::list DescribeOwnColumns() {
  py::list described;
  for (const OwnColumn& own : OwnColumnTable()) described.append(DescribeField(own.field));
  return described;
}

std::vector<Field> ReadFields(py::handle described) {
  std::vector<Field> fields;
  for (const py::handle& item : described) {
    const auto entry = py::reinterpret_borrow<py::dict>(item);
    Field field;
    field.name = py::cast<std::string>(entry["name"]);
    field.dtype = ReadDType(entry["dtype"]);
    field.shape = py::cast<std::vector<int>>(entry["shape"]);
    if (entry.contains("low")) field.low = ReadBounds(entry["low"]);
    if (entry.contains("high")) field.high = ReadBounds(entry["high"]);
    if (entry.contains("space")) field.space = Named(entry["space"], Space::kMultiBinary);
    if (entry.contains("per_player")) field.per_player = py::cast<bool>(entry["per_player"]);
    fields.push_back(std::move(field));
  }
  return fields;
}

PoolConfig ReadPoolConfig(const std::vector<KindTuple>& kinds, const std::vector<int>& kind_of,
                          const std::vector<const TypedOptions*>& environments,
                          const std::vector<std::uint64_t>& seeds, const py::dict& options) {
  PoolConfig config;
  config.num_envs = static_cast<int>(seeds.size());
  config.seeds = seeds;
  for (const auto& [name, first, max_episode_steps] : kinds) {
    config.kinds.push_back({name, &first->Type(), max_episode_steps, first->GetSpec()});
  }
  config.kind_of = kind_of;
  for (const TypedOptions* environment : environments) {
    config.options.push_back(environment->Values());
  }
  ReadRun(options, config);
  config.num_threads = py::cast<int>(options["num_threads"]);
  config.thread_affinity_offset = py::cast<int>(options["thread_affinity_offset"]);
  config.layout.tasks = py::cast<bool>(options["tasks"]);
  return config;
}

void ReadRun(const py::dict& options, PoolConfig& config) {
  config.batch_size = py::cast<int>(options["batch_size"]);
  config.record = py::cast<std::string>(options["record"]);
  config.most_failures = py::cast<std::int64_t>(options["failures"]);
  config.autoreset_mode = Named(options["autoreset_mode"], AutoresetMode::kDisabled);
  config.layout.reward = ReadDType(options["reward_dtype"]);
  config.layout.time_step = py::cast<bool>(options["time_step"]);
  config.layout.episode_statistics = py::cast<bool>(options["record_episode_statistics"]);
  config.layout.final_rows = config.autoreset_mode == AutoresetMode::kSameStep;
}

std::optional<Duration> ReadTimeout(std::optional<double> seconds) {
  if (!seconds) return std::nullopt;
  const std::chrono::duration<double> clamped(std::clamp(*seconds, 0.0, kMostSeconds));
  return std::chrono::duration_cast<Duration>(clamped);
}

}  // namespace envpool
