// Port: a pool as compiled programs call it, with XLA's buffers in place of NumPy's arrays.
//
// A program can outlive the pool that it was made for, and it has no way to keep it alive. So it
// knows it by a number that is never used again, not by an address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "executor/pool.h"
#include "threads/gate.h"
#include "xla/abi.h"

namespace envpool::xla {

using Inputs = std::span<Buffer* const>;
using Outputs = std::span<Buffer* const>;

class Port {
 public:
  struct Config {
    std::vector<std::string> step_columns;   // what a step returns, in this order
    std::vector<std::string> reset_columns;  // what a reset returns
    int seed_bits = 64;                      // how large seeds may be
  };

  // Throws std::invalid_argument if there is no such column.
  Port(std::shared_ptr<Pool> pool, const Config& config);

  // A batch of which environments have failed.
  struct Failure {
    Delivery delivery;  // with the rows of the others
    bool is_reset;
  };

  // All check everything that they are given before they change anything. They throw what the
  // pool throws, and std::runtime_error if environments have failed; their message names them.

  // Inputs are one array per action field; before these, if there is one more, the ids. A send has
  // no outputs, and a receive no inputs.
  void Step(Inputs inputs, Outputs outputs);
  void Send(Inputs inputs, Outputs);
  void Receive(Inputs, Outputs outputs);
  // A mask of the environments to reset, and perhaps seeds. In a synchronous pool the results have
  // a row for every environment, in an asynchronous one all must be reset.
  void Reset(Inputs inputs, Outputs outputs);

  // What environments have warned of, and the latest batches with failures, since the last call. A
  // program has no place for them.
  std::vector<EnvWarning> TakeWarnings();
  std::vector<Failure> TakeFailures();

 private:
  struct Request {
    std::span<const std::int32_t> env_ids;
    std::vector<ArrayView> actions;
  };

  Request ReadRequest(Inputs inputs) const;
  void CheckOutputs(Outputs outputs, const std::vector<std::size_t>& columns,
                    std::size_t rows) const;
  void Deliver(Delivery delivery, Outputs outputs, bool is_reset);
  [[noreturn]] void Fail(Delivery delivery, bool is_reset);
  std::size_t RowsOf(const NamedColumn& column, std::size_t rows) const;
  std::size_t BatchSize() const { return static_cast<std::size_t>(pool_->Config().batch_size); }

  const std::shared_ptr<Pool> pool_;
  const Layout& layout_;
  const int seed_bits_;
  std::vector<std::size_t> step_columns_;  // indices in Layout::all
  std::vector<std::size_t> reset_columns_;
  Guarded<std::vector<EnvWarning>> warnings_;
  Guarded<std::vector<Failure>> failures_;
};

// A port in the table of those that programs can call, for as long as it lives, as one number.
class PortEntry {
 public:
  explicit PortEntry(std::shared_ptr<Port> port);
  PortEntry(const PortEntry&) = delete;
  PortEntry& operator=(const PortEntry&) = delete;
  ~PortEntry();

  std::int64_t Id() const { return id_; }
  Port& Get() const { return *port_; }
  // True while a program calls it.
  bool IsBeingCalled() const { return port_.use_count() > 1; }

  // Calls are refused from now on, but for those that are under way.
  void Retire();

  // Retires, and closes the pool by `close`: again after each call that was under way before, since
  // that may have started the pool anew.
  void RetireAndClose(const std::function<void()>& close);

 private:
  const std::int64_t id_;
  // Besides this one, only calls that are under way and the table have references.
  const std::shared_ptr<Port> port_;
};

// Throws std::runtime_error if there is none of this number in this process any more.
std::shared_ptr<Port> FindPort(std::int64_t id);

// How often it has thrown.
int CountRefused();

}  // namespace envpool::xla
