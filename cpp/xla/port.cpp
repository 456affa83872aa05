#include "xla/port.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "threads/gate.h"
#include "xla/transfer.h"

namespace envpool::xla {

namespace {

constexpr std::size_t kMostWarnings = 100;  // kept until somebody takes them
constexpr std::size_t kMostFailures = 8;    // likewise, of batches
constexpr std::size_t kMostErrors = 8;      // of which a message tells

std::vector<std::size_t> IndicesOf(const Layout& layout, const std::vector<std::string>& names) {
  std::vector<std::size_t> indices;
  for (const std::string& name : names) indices.push_back(layout.IndexOf(name));
  return indices;
}

std::string Describe(const std::vector<EnvError>& errors) {
  std::string text;
  for (std::size_t i = 0; i < std::min(errors.size(), kMostErrors); ++i) {
    text += (i == 0 ? "" : "; ");
    text += "environment " + std::to_string(errors[i].env_id) + ": " + errors[i].message;
  }
  if (errors.size() > kMostErrors) {
    text += "; and " + std::to_string(errors.size() - kMostErrors) + " more";
  }
  return text + " (reset it before its next step; xla_failures() has the results of the others)";
}

using Entries = std::unordered_map<std::int64_t, std::shared_ptr<Port>>;

// Never destroyed: programs may still run while the process ends.
Guarded<Entries>& Table() {
  static auto& entries = *new Guarded<Entries>;
  return entries;
}

std::atomic<int> refused = 0;

std::int64_t NewId() {
  static std::atomic<std::int64_t> last = 0;  // a forked child goes on from here
  return last.fetch_add(1) + 1;
}

}  // namespace

Port::Port(std::shared_ptr<Pool> pool, const Config& config)
    : pool_(std::move(pool)),
      layout_(pool_->GetLayout()),
      seed_bits_(config.seed_bits),
      step_columns_(IndicesOf(layout_, config.step_columns)),
      reset_columns_(IndicesOf(layout_, config.reset_columns)) {}

Port::Request Port::ReadRequest(Inputs inputs) const {
  const std::vector<Field>& fields = pool_->GetSpec().action;
  if (inputs.size() != fields.size() && inputs.size() != fields.size() + 1) {
    throw std::invalid_argument("there are " + std::to_string(inputs.size()) +
                                " arguments, expected " + std::to_string(fields.size()) +
                                " actions, and perhaps ids before them");
  }
  Request request{pool_->AllIds(), {}};
  if (inputs.size() > fields.size()) {
    request.env_ids = ReadIds(*inputs[0]);
    inputs = inputs.subspan(1);
  }
  request.actions.reserve(fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    request.actions.push_back(ReadAction(*inputs[i], fields[i]));
  }
  return request;
}

std::size_t Port::RowsOf(const NamedColumn& column, std::size_t rows) const {
  return column.per_player ? rows * layout_.max_players : rows;
}

void Port::CheckOutputs(Outputs outputs, const std::vector<std::size_t>& columns,
                        std::size_t rows) const {
  if (outputs.size() != columns.size()) {
    throw std::invalid_argument("there are " + std::to_string(outputs.size()) +
                                " results, expected " + std::to_string(columns.size()));
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const NamedColumn& column = layout_.all[columns[i]];
    CheckResult(*outputs[i], column, RowsOf(column, rows));
  }
}

void Port::Fail(Delivery delivery, bool is_reset) {
  const std::string text = Describe(delivery.errors);
  {
    const auto kept = failures_.Lock();
    if (kept->size() == kMostFailures) kept->erase(kept->begin());
    kept->push_back({std::move(delivery), is_reset});
  }
  throw std::runtime_error(text);
}

void Port::Deliver(Delivery delivery, Outputs outputs, bool is_reset) {
  const std::vector<std::size_t>& columns = is_reset ? reset_columns_ : step_columns_;
  if (!delivery.warnings.empty()) {
    const auto kept = warnings_.Lock();
    std::ranges::move(delivery.warnings, std::back_inserter(*kept));
    if (kept->size() > kMostWarnings) kept->resize(kMostWarnings);
  }
  if (!delivery.errors.empty()) Fail(std::move(delivery), is_reset);
  CheckOutputs(outputs, columns, delivery.rows);
  if (delivery.player_rows != delivery.rows * layout_.max_players) {
    throw std::runtime_error("there are " + std::to_string(delivery.player_rows) +
                             " players, expected " + std::to_string(layout_.max_players) +
                             " in each of " + std::to_string(delivery.rows) +
                             " environments: in a compiled program their number is fixed");
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const NamedColumn& column = layout_.all[columns[i]];
    WriteResult(*outputs[i], column, delivery.block.get(), RowsOf(column, delivery.rows));
  }
}

void Port::Step(Inputs inputs, Outputs outputs) {
  const Request request = ReadRequest(inputs);
  const bool is_synchronous = pool_->Config().IsSynchronous();
  CheckOutputs(outputs, step_columns_, is_synchronous ? request.env_ids.size() : BatchSize());
  Deliver(pool_->Step({request.env_ids, request.actions}, DontInterrupt), outputs, false);
}

void Port::Send(Inputs inputs, Outputs) {
  const Request request = ReadRequest(inputs);
  pool_->Send({request.env_ids, request.actions});
}

void Port::Receive(Inputs, Outputs outputs) {
  CheckOutputs(outputs, step_columns_, BatchSize());
  Deliver(*pool_->Receive(std::nullopt, DontInterrupt), outputs, false);
}

void Port::Reset(Inputs inputs, Outputs outputs) {
  if (inputs.empty() || inputs.size() > 2) throw std::invalid_argument("expected a mask and seeds");
  const std::vector<std::int32_t>& all_ids = pool_->AllIds();
  const std::span<const bool> mask = ReadMask(*inputs[0], all_ids.size());
  std::vector<std::int32_t> env_ids;
  for (const std::int32_t id : all_ids) {
    if (mask[static_cast<std::size_t>(id)]) env_ids.push_back(id);
  }
  std::vector<std::optional<std::uint64_t>> seeds;
  if (inputs.size() > 1) {
    seeds = ReadSeeds(*inputs[1], env_ids, all_ids.size(), seed_bits_);
  }
  const bool is_synchronous = pool_->Config().IsSynchronous();
  if (!is_synchronous && env_ids.size() < all_ids.size()) {
    throw std::invalid_argument(
        "mask leaves out environments, expected all: this pool is asynchronous");
  }
  CheckOutputs(outputs, reset_columns_, BatchSize());
  const ResetRequest request{env_ids, seeds, {}, is_synchronous};
  Deliver(pool_->Reset(request, DontInterrupt), outputs, true);
}

std::vector<EnvWarning> Port::TakeWarnings() { return std::exchange(*warnings_.Lock(), {}); }

std::vector<Port::Failure> Port::TakeFailures() { return std::exchange(*failures_.Lock(), {}); }

PortEntry::PortEntry(std::shared_ptr<Port> port) : id_(NewId()), port_(std::move(port)) {
  Table().Lock()->emplace(id_, port_);
}

PortEntry::~PortEntry() { Retire(); }

void PortEntry::Retire() { Table().Lock()->erase(id_); }

void PortEntry::RetireAndClose(const std::function<void()>& close) {
  Retire();
  bool was_being_called = true;
  while (was_being_called) {
    was_being_called = IsBeingCalled();  // and may have ended before `close` has
    close();
  }
}

std::shared_ptr<Port> FindPort(std::int64_t id) {
  const auto entries = Table().Lock();
  const auto found = entries->find(id);
  if (found != entries->end()) return found->second;
  refused.fetch_add(1);
  throw std::runtime_error(
      "the pool was closed or deleted, or is another process's: call xla() of a living one, and "
      "compile what uses its functions");
}

int CountRefused() { return refused.load(); }

}  // namespace envpool::xla
