// Calls of a pool that the tests of several families share.
#pragma once

#include <vector>

#include "tests/executor/pool_fixture.h"

namespace envpool {

inline Delivery ResetAll(Pool& pool) {
  return pool.Reset({.env_ids = pool.AllIds()}, DontInterrupt);
}

// Steps all environments; `actions` has one after the other.
template <class T>
Delivery StepAll(Pool& pool, const std::vector<T>& actions) {
  const ArrayView view{reinterpret_cast<const std::byte*>(actions.data()), DTypeOf<T>(),
                       pool.AllIds().size()};
  return pool.Step({pool.AllIds(), {&view, 1}}, DontInterrupt);
}

// Returns the observations, which must consist of one field of this type.
template <class T>
std::vector<T> Observations(const Pool& pool, const Delivery& delivery) {
  const auto values = pool.GetLayout().observation[0].At<T>(delivery.block.get(), 0, delivery.rows);
  return {values.begin(), values.end()};
}

}  // namespace envpool
