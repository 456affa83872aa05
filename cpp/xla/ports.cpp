#include "xla/ports.h"

#include <atomic>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "threads/fork_mark.h"
#include "threads/guarded.h"

namespace envpool::xla {

namespace {

using Entries = std::unordered_map<std::int64_t, std::shared_ptr<Port>>;

struct Table {
  const ForkMark fork_mark;
  Guarded<Entries> entries;
};

// The process's own, like a ForkLocal, but without its system call. It is never destroyed: programs
// may still run while the process ends.
Table& CurrentTable() {
  static std::atomic<Table*> current = new Table;
  Table* table = current.load();
  while (table->fork_mark.IsForked()) {
    auto made = std::make_unique<Table>();
    if (current.compare_exchange_strong(table, made.get())) table = made.release();
  }
  return *table;
}

std::atomic<int> refused = 0;

std::int64_t NewId() {
  static std::atomic<std::int64_t> last = 0;  // a forked child goes on from here
  return last.fetch_add(1) + 1;
}

}  // namespace

PortEntry::PortEntry(std::shared_ptr<Port> port) : id_(NewId()), port_(std::move(port)) {
  CurrentTable().entries.Lock()->emplace(id_, port_);
}

PortEntry::~PortEntry() { Retire(); }

void PortEntry::Retire() { CurrentTable().entries.Lock()->erase(id_); }

void PortEntry::RetireAndClose(const std::function<void()>& close) {
  Retire();
  bool was_being_called = true;
  while (was_being_called) {
    was_being_called = IsBeingCalled();  // and may have ended before `close` has
    close();
  }
}

std::shared_ptr<Port> FindPort(std::int64_t id) {
  const auto entries = CurrentTable().entries.Lock();
  const auto found = entries->find(id);
  if (found != entries->end()) return found->second;
  refused.fetch_add(1);
  throw std::runtime_error(
      "the pool was closed or deleted, or is another process's: call xla() of a living one, and "
      "compile what uses its functions");
}

int CountRefused() { return refused.load(); }

}  // namespace envpool::xla
