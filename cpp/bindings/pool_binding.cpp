#include "bindings/pool_binding.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "bindings/interpreter.h"
#include "bindings/numpy_bridge.h"
#include "bindings/spec_bridge.h"
#include "threads/threads.h"

namespace envpool {

namespace {

// Under the GIL. Not weak references, whose callbacks are Python code: Ctrl-C would be noticed
// there, and lost.
std::unordered_set<PoolBinding*> living;

// Ends a pool whose environments still run, perhaps for ever, on a thread of its own.
void LeaveBehind(std::shared_ptr<Pool> pool) {
  auto* left = new std::shared_ptr<Pool>(std::move(pool));
  try {
    StartThread([left] { delete left; }).detach();
  } catch (const std::exception&) {
    // No thread is to be had: its own threads end all the same, and only its memory is lost.
  }
}

void IssueWarnings(const std::vector<EnvWarning>& warnings) {
  for (const EnvWarning& warning : warnings) {
    Warn(PyExc_RuntimeWarning,
         "environment " + std::to_string(warning.env_id) + ": " + warning.message);
  }
}

// Throws if the type does not have such options of resets.
std::shared_ptr<const Options> ReadResetOptionsOf(const EnvType& type, const py::dict& options) {
  auto read = std::make_shared<const Options>(ReadOptions(type.reset_options, options));
  if (type.check_reset_options != nullptr) type.check_reset_options(*read);
  return read;
}

}  // namespace

PoolBinding::PoolBinding(std::shared_ptr<Pool> pool, const py::dict& plans)
    : FrontBinding(*pool, pool->GetSpec().action, ActionsOf::kNative, pool->Config().record, plans),
      pool_(std::move(pool)) {
  living.insert(this);
}

PoolBinding::~PoolBinding() {
  living.erase(this);
  port_.reset();
  if (pool_->IsForked()) {
    // The threads don't exist and locks may be held for ever: leave it all be.
    static_cast<void>(new std::shared_ptr<Pool>(std::move(pool_)));
  } else if (CloseSoon()) {
    const py::gil_scoped_release release;
    pool_.reset();
  } else {
    LeaveBehind(std::move(pool_));
  }
}

std::string PoolBinding::NoteOf(const Options& options) const {
  if (pool_->Config().record.empty()) return {};
  return py::cast<std::string>(py::module_::import("json").attr("dumps")(ToPython(options)));
}

PoolBinding::ResetOptions PoolBinding::ReadResetOptions(const py::dict& options) const {
  ResetOptions of_kinds;
  if (options.empty()) return of_kinds;
  for (const Kind& kind : pool_->Config().kinds) {
    std::shared_ptr<const Options> read = ReadResetOptionsOf(*kind.type, options);
    of_kinds.noted.push_back(NoteOf(*read));
    of_kinds.values.push_back(std::move(read));
  }
  return of_kinds;
}

void PoolBinding::IssueWarningsOfPort() const {
  if (port_) IssueWarnings(port_->Get().TakeWarnings());
}

void PoolBinding::WarnOf(const Delivery& delivery) {
  IssueWarningsOfPort();
  FrontBinding::WarnOf(delivery);
  IssueWarnings(delivery.warnings);
}

py::object PoolBinding::Finish(const Parcel& parcel, bool is_reset) {
  if (parcel.delivery.errors.empty()) return Build(parcel, is_reset);
  const py::object error = FailureOf(parcel, is_reset);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw py::error_already_set();
}

py::object PoolBinding::FailureOf(const Parcel& parcel, bool is_reset) const {
  py::list described;
  for (const EnvError& error : parcel.delivery.errors) {
    described.append(py::make_tuple(error.env_id, ReadText(error.message)));
  }
  const py::object type = py::module_::import("envpool.errors").attr("EnvironmentFailure");
  return type(described, Build(parcel, is_reset));
}

py::object PoolBinding::Build(const Parcel& parcel, bool is_reset) const {
  py::object results = Builder().Build(parcel, is_reset);
  // dm_env's results have no infos.
  if (!is_reset && !pool_->GetLayout().config.time_step) AddFailures(results, parcel);
  return results;
}

py::object PoolBinding::Reset(py::handle env_id, const Seeds& seeds, const py::dict& options,
                              bool observe_others) {
  const EnvIds ids = ReadEnvIds(env_id);
  const auto [read, noted] = ReadResetOptions(options);
  return FrontBinding::Reset({ids.values, seeds, read, observe_others, {}, noted});
}

void PoolBinding::SendReset(py::handle env_id, const Seeds& seeds, const py::dict& options) {
  const EnvIds ids = ReadEnvIds(env_id);
  const auto [read, noted] = ReadResetOptions(options);
  FrontBinding::SendReset({ids.values, seeds, read, false, {}, noted});
}

std::shared_ptr<Slots> PoolBinding::MakeSlots(std::size_t count, std::size_t blocks) const {
  return std::make_shared<Slots>(pool_->GetLayout().bytes, count, blocks);
}

void PoolBinding::CheckSlots(const Slots& slots) const {
  if (slots.BlockBytes() == pool_->GetLayout().bytes) return;
  throw std::invalid_argument("the slots were made by a pool with other results");
}

// Fills the slot that the delivery is in, unless an environment has failed or a warning is an
// exception: a caller who gets no results has none of that step.
std::size_t PoolBinding::Keep(Delivery&& delivery, Slots& slots, bool is_reset) {
  if (!delivery.errors.empty()) HandOut(Parcel(std::move(delivery)), is_reset);
  WarnOf(delivery);
  return slots.Fill();
}

std::size_t PoolBinding::ResetInto(Slots& slots, const Seeds& seeds, const py::dict& options) {
  CheckSlots(slots);
  const auto [read, noted] = ReadResetOptions(options);
  const ResetRequest request{pool_->AllIds(), seeds, read, false, {}, noted, {}, &slots};
  return Keep(FrontBinding::ResetInto(request), slots, true);
}

std::size_t PoolBinding::StepInto(Slots& slots, py::handle action) {
  CheckSlots(slots);
  return Keep(FrontBinding::StepInto(&slots, pool_->AllIds(), action), slots, false);
}

Choice PoolBinding::ReadChoice(std::int32_t env, py::handle choice) const {
  const auto [seed, options, state] =
      py::cast<std::tuple<std::optional<std::uint64_t>, std::optional<py::dict>,
                          std::optional<std::string>>>(choice);
  Choice read{.seed = seed, .state = state};
  if (options && !options->empty()) {
    read.options =
        ReadResetOptionsOf(*pool_->Config().KindOf(static_cast<std::size_t>(env)).type, *options);
  }
  if (pool_->Config().record.empty()) return read;
  read.noted = "[" + (seed ? std::to_string(*seed) : "null") + ", " +
               (read.options ? NoteOf(*read.options) : "null") + "]";
  if (state) read.noted += "\n" + *state;
  return read;
}

py::object PoolBinding::WriteChoice(const Choice& choice) const {
  const py::object options = choice.options ? py::object(ToPython(*choice.options)) : py::none();
  return py::make_tuple(choice.seed, options, choice.state.has_value());
}

void PoolBinding::SetAll(std::int32_t env, const py::list& choices) {
  std::vector<Choice> read;
  for (const py::handle& choice : choices) read.push_back(ReadChoice(env, choice));
  pool_->GetChoices(env).SetAll(std::move(read));
}

py::list PoolBinding::GetState(py::handle env_id) {
  const EnvIds ids = ReadEnvIds(env_id);
  const auto states =
      WithoutGil([&] { return pool_->Loans().GetState(ids.values, CheckInterrupt); });
  py::list result;
  for (const std::string& state : states) result.append(py::bytes(state));
  return result;
}

void PoolBinding::SetState(const py::list& states, py::handle env_id) {
  const EnvIds ids = ReadEnvIds(env_id);
  std::vector<py::bytes> owners;
  std::vector<std::string_view> views;
  for (const py::handle& state : states) {
    PyObject* const bytes = PyBytes_FromObject(state.ptr());  // itself, if these are bytes
    if (bytes == nullptr) {
      PyErr_Clear();
      throw py::type_error("states[" + std::to_string(owners.size()) + "] is " +
                           std::string(py::repr(py::type::handle_of(state))) +
                           ", expected bytes from get_state()");
    }
    views.emplace_back(owners.emplace_back(py::reinterpret_steal<py::bytes>(bytes)));
  }
  WithoutGil([&] { pool_->Loans().SetState(ids.values, views, CheckInterrupt); });
}

py::list PoolBinding::GetOptions(py::handle env_id) {
  const EnvIds ids = ReadEnvIds(env_id);
  py::list result;
  const auto all_options = WithoutGil([&] { return pool_->Loans().GetOptions(ids.values); });
  for (const Options& options : all_options) result.append(ToPython(options));
  return result;
}

void PoolBinding::SetOptions(const py::list& options, py::handle env_id) {
  const EnvIds ids = ReadEnvIds(env_id);
  pool_->Loans().CheckIds(ids.values);
  if (options.size() != ids.values.size()) throw py::value_error("options: expected one per id");
  std::vector<Options> read;
  std::vector<std::string> noted;
  for (const std::int32_t id : ids.values) {
    const EnvType& type = *pool_->Config().KindOf(static_cast<std::size_t>(id)).type;
    const auto given = py::reinterpret_borrow<py::dict>(options[read.size()]);
    read.push_back(ReadOptions(type.options, given));
    noted.push_back(NoteOf(read.back()));
  }
  WithoutGil(
      [&] { pool_->Loans().SetOptions(ids.values, std::move(read), CheckInterrupt, noted); });
}

std::vector<Random*> PoolBinding::GetRandom() {
  return WithoutGil([&] { return pool_->Loans().GetRandom(); });
}

std::vector<std::int32_t> PoolBinding::GetElapsedSteps() {
  return WithoutGil([&] { return pool_->Loans().GetElapsedSteps(); });
}

py::object PoolBinding::Render(py::handle env_id, int width, int height, int camera) {
  const EnvIds ids = ReadEnvIds(env_id);
  auto pictures = WithoutGil(
      [&] { return pool_->Loans().Render(ids.values, {width, height}, camera, CheckInterrupt); });
  return MakePixels(std::move(pictures), ids.values.size());
}

py::list PoolBinding::Describe(py::handle env_id) {
  const EnvIds ids = ReadEnvIds(env_id);
  const auto scenes =
      WithoutGil([&] { return pool_->Loans().Describe(ids.values, CheckInterrupt); });
  py::list result;
  for (const Scene& scene : scenes) {
    py::dict described;
    for (const auto& [name, values] : scene) {
      described[name.c_str()] = MakeCopy(DType::kFloat64, {static_cast<int>(values.size())},
                                         reinterpret_cast<const std::byte*>(values.data()));
    }
    result.append(described);
  }
  return result;
}

void PoolBinding::Assume(const std::vector<Scene>& scenes, py::handle env_id) {
  const EnvIds ids = ReadEnvIds(env_id);
  WithoutGil([&] { pool_->Loans().Assume(ids.values, scenes); });
}

py::object PoolBinding::Judge(py::handle env_id, const py::buffer& rewards,
                              const py::buffer& terminated) {
  const EnvIds ids = ReadEnvIds(env_id);
  const py::buffer_info values = rewards.request();
  const py::buffer_info flags = terminated.request();
  const std::vector<double> returns = WithoutGil([&] {
    return pool_->Loans().Judge(
        ids.values, {static_cast<const double*>(values.ptr), static_cast<std::size_t>(values.size)},
        {static_cast<const bool*>(flags.ptr), static_cast<std::size_t>(flags.size)});
  });
  return MakeCopy(DType::kFloat64, {static_cast<int>(returns.size())},
                  reinterpret_cast<const std::byte*>(returns.data()));
}

py::dict PoolBinding::Columns() const {
  py::dict columns;
  for (const NamedColumn& column : pool_->GetLayout().all) {
    columns[column.name.c_str()] = py::make_tuple(
        NameOf(column.dtype), py::tuple(py::cast(column.shape)), column.per_player, column.offset);
  }
  return columns;
}

std::int64_t PoolBinding::OpenPort(std::vector<std::string> step_columns,
                                   std::vector<std::string> reset_columns, int seed_bits) {
  pool_->CheckUsable();
  if (HasChooser()) {
    throw std::runtime_error(
        "xla() is not available for pools that were made with episodes=...: a compiled program "
        "cannot ask for the next episode");
  }
  if (!port_) {
    const xla::Port::Config config{std::move(step_columns), std::move(reset_columns), seed_bits};
    port_ = std::make_shared<xla::PortEntry>(std::make_shared<xla::Port>(pool_, config));
  }
  return port_->Id();
}

py::list PoolBinding::TakeFailuresOfPort() const {
  py::list failures;
  if (!port_) return failures;
  for (xla::Port::Failure& failure : port_->Get().TakeFailures()) {
    failures.append(FailureOf(Parcel(std::move(failure.delivery)), failure.is_reset));
  }
  return failures;
}

void PoolBinding::Close() {
  if (IsExiting()) return;
  const std::shared_ptr<xla::PortEntry> port = std::exchange(port_, nullptr);
  WithoutGil([&] {
    const auto close = [this] { pool_->Close(CheckInterrupt); };
    if (port) {
      port->RetireAndClose(close);
    } else {
      close();
    }
  });
  if (port) IssueWarnings(port->Get().TakeWarnings());
  WarnOfEndedRecording();
}

py::list PoolBinding::Living() {
  py::list pools;
  for (PoolBinding* pool : living) pools.append(py::cast(pool));
  return pools;
}

void PoolBinding::End(double seconds) {
  const auto duration =
      std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
  if (port_) port_->Retire();
  const py::gil_scoped_release release;
  pool_->Close(CheckSignals, Clock::now() + duration);
}

void PoolBinding::WarnOfRecording() const {
  if (pool_->IsForked()) return;  // it is the parent's
  WarnOfEndedRecording();
  if (pool_->IsWritingRecording()) WarnOfUnwrittenRecording();
}

}  // namespace envpool
