// Shared by the tests of the pool: pools of the environments in cpp/envs/testing.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "executor/family_library.h"
#include "executor/pool.h"

namespace envpool {

inline void NeverInterrupted() {}

inline const EnvType& FindType(const std::string& library, const std::string& name) {
  for (const EnvType& type : LoadFamily(library).types) {
    if (type.name == name) return type;
  }
  throw std::runtime_error("no environment " + name);
}

inline const EnvType& TestType(const std::string& name) { return FindType(TESTING_LIBRARY, name); }

inline PoolConfig MakeConfig(const EnvType& type, int num_envs, int batch_size, int num_threads) {
  PoolConfig config;
  config.num_envs = num_envs;
  config.batch_size = batch_size;
  config.num_threads = num_threads;
  config.seeds.resize(static_cast<std::size_t>(num_envs));
  std::iota(config.seeds.begin(), config.seeds.end(), 0);
  config.options = {Options(type.options)};
  return config;
}

inline std::unique_ptr<Pool> MakePool(const std::string& name, int num_envs, int batch_size,
                                      int num_threads) {
  const EnvType& type = TestType(name);
  return std::make_unique<Pool>(type, MakeConfig(type, num_envs, batch_size, num_threads));
}

// The same action for each of some environments.
class Actions {
 public:
  Actions(std::size_t count, std::int32_t action) : values_(count, action) {
    view_ = {reinterpret_cast<const std::byte*>(values_.data()), DType::kInt32, count};
  }
  std::span<const ArrayView> View() const { return {&view_, 1}; }

 private:
  std::vector<std::int32_t> values_;
  ArrayView view_;
};

template <class T>
std::vector<T> ColumnOf(const Delivery& delivery, const Column& column) {
  const std::size_t rows = column.per_player ? delivery.player_rows : delivery.rows;
  const auto values = column.At<T>(delivery.block.get(), 0, rows);
  return {values.begin(), values.end()};
}

inline std::vector<std::int32_t> EnvIds(const Pool& pool, const Delivery& delivery) {
  return ColumnOf<std::int32_t>(delivery, pool.GetLayout().env_id);
}

inline Delivery Receive(Pool& pool) {
  auto delivery = pool.Receive(std::nullopt, NeverInterrupted);
  if (!delivery) throw std::runtime_error("Receive without a timeout returned nothing");
  return std::move(*delivery);
}

inline Delivery Step(Pool& pool, std::int32_t action) {
  const Actions actions(pool.AllIds().size(), action);
  return pool.Step(pool.AllIds(), actions.View(), NeverInterrupted);
}

inline Delivery Reset(Pool& pool) {
  return pool.Reset({.env_ids = pool.AllIds()}, NeverInterrupted);
}

}  // namespace envpool
