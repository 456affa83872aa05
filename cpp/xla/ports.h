// Ports: the pools that compiled programs can call, by number.
//
// A program can outlive the pool that it was made for, and it has no way to keep it alive. So it
// knows it by a number that is never used again, not by an address.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "xla/port.h"

namespace envpool::xla {

// Entered in the table for as long as it lives, as one number.
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
