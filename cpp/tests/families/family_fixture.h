// Calls of a pool that the tests of several families share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/executor/pool_fixture.h"

namespace envpool {

// Gives the family of this library some of its settings, and the others their defaults.
inline void Configure(const std::string& library, const Options& given) {
  const Family& family = LoadFamily(library);
  Options settings(family.settings);
  for (const auto& [name, value] : given.Entries()) settings.Set(name, value);
  family.configure(settings);
}

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

// Pools of one and of four threads give the same. `make` makes a pool of so many threads, and
// `step` steps it for the so-manieth time and returns what is observed.
template <class Make, class Step>
void ExpectThreadsDontMatter(Make make, Step step, int steps) {
  Pool one = make(1);
  Pool four = make(4);
  ResetAll(one);
  ResetAll(four);
  for (int i = 0; i < steps; ++i) ASSERT_EQ(step(one, i), step(four, i)) << "step " << i;
}

// Another pool goes on from the states that a pool has after some steps.
template <class Make, class Step>
void ExpectSnapshotsGoOn(Make make, Step step, int steps) {
  Pool pool = make(2);
  Pool other = make(2);
  ResetAll(pool);
  for (int i = 0; i < steps; ++i) step(pool, i);
  const std::vector<std::string> states = pool.Loans().GetState(pool.AllIds());
  other.Loans().SetState(other.AllIds(),
                         std::vector<std::string_view>(states.begin(), states.end()));
  EXPECT_EQ(other.Loans().GetState(other.AllIds()), states);
  for (int i = 0; i < steps; ++i) ASSERT_EQ(step(pool, i), step(other, i)) << "step " << i;
}

}  // namespace envpool
