// Environments with players, whose workers are threads.
#include <gtest/gtest.h>

#include <numeric>
#include <thread>

#include "workers/process_pool.h"
#include "workers/station.h"

namespace envpool {
namespace {

constexpr int kMostPlayers = 3;
constexpr int kFails = 9;  // an action

// Of environment e, the first episode has e % 3 + 1 players, and each of them observes the action
// that it was given. After each step there is one player less, who has its row nevertheless.
class Shrinking final : public Env {
 public:
  Shrinking(int id, const Exchange& exchange) : id_(id), exchange_(exchange) {}

  void Reset(Random&, const Options&) override {
    players_ = acting_ = id_ % kMostPlayers + 1;
    given_.assign(kMostPlayers, -1);
  }
  StepResult Step(const Action&, Random&) override {
    const auto env = static_cast<std::size_t>(id_);
    players_ = acting_--;
    const auto* actions = reinterpret_cast<const std::int32_t*>(exchange_.Action(env, 0));
    given_.assign(actions, actions + exchange_.Env(env).action_rows);
    if (given_.front() == kFails) throw std::runtime_error("failed on purpose");
    return {.terminated = acting_ == 0};
  }
  void Observe(const Row& row) const override {
    std::ranges::copy_n(given_.begin(), players_, row.Observation<std::int32_t>().begin());
    std::iota(row.Info<std::int32_t>().begin(), row.Info<std::int32_t>().end(), 0);
  }
  int NumPlayers() const override { return players_; }
  double PlayerReward(int player) const override { return 10 * id_ + player; }
  int NumActing() const { return acting_; }

 private:
  const int id_;
  const Exchange& exchange_;
  int players_ = 0;
  int acting_ = 0;
  std::vector<std::int32_t> given_;
};

SharedConfig MakeConfig(int num_envs, int batch_size, int num_workers) {
  SharedConfig config;
  config.spec.observation = {Box("obs", DType::kInt32, {}).PerPlayer()};
  config.spec.action = {Discrete("players.action", 10).PerPlayer()};
  config.spec.info = {Box("players.id", DType::kInt32, {}).PerPlayer()};
  config.spec.max_num_players = kMostPlayers;
  config.pool.num_envs = num_envs;
  config.pool.batch_size = batch_size;
  config.pool.num_threads = num_workers;
  for (int env = 0; env < num_envs; ++env) config.workers.push_back(env * num_workers / num_envs);
  return config;
}

class ShrinkingStation final : public Station {
 public:
  ShrinkingStation(const SharedConfig& config, int worker, const std::vector<int>& files,
                   const Exchange& mapped)
      : Station(config, worker, {files[0], files[1], files[2 + static_cast<std::size_t>(worker)]},
                &mapped) {
    for (std::size_t env = 0; env < config.workers.size(); ++env) {
      if (config.workers[env] != worker) continue;
      const auto id = static_cast<std::int32_t>(env);
      Put(id, std::make_unique<Shrinking>(id, Shared()));
    }
  }

  void Serve() {
    while (!IsClosed()) {
      if (!RunNext()) Await(std::chrono::milliseconds(100), false);
    }
  }

 private:
  int CountActing(std::int32_t env) const override {
    return static_cast<const Shrinking&>(At(env)).NumActing();
  }
};

class Served {
 public:
  explicit Served(SharedConfig config) : pool_(config, [](int) { return std::string("ended"); }) {
    for (int worker = 0; worker < config.pool.num_threads; ++worker) {
      pool_.SetWorker(worker, -1, -1);
      threads_.emplace_back([this, config, worker] {
        ShrinkingStation(config, worker, pool_.Files(), pool_.Shared()).Serve();
      });
    }
  }
  ~Served() {
    pool_.Close();
    for (std::thread& thread : threads_) thread.join();
  }

  ProcessPool* operator->() { return &pool_; }

 private:
  ProcessPool pool_;
  std::vector<std::thread> threads_;
};

using Ids = std::vector<std::int32_t>;

class Actions {
 public:
  explicit Actions(Ids actions)
      : actions_(std::move(actions)),
        view_{reinterpret_cast<const std::byte*>(actions_.data()), DType::kInt32, actions_.size()} {
  }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;

  Contents Get() const { return {.actions = {&view_, 1}}; }

 private:
  const Ids actions_;
  const ArrayView view_;
};

template <class T = std::int32_t>
std::vector<T> ColumnOf(Served& pool, const Parcel& parcel, const std::string& name) {
  const Layout& layout = pool->GetLayout();
  const Column& column = layout.all[layout.IndexOf(name)];
  const Delivery& delivery = parcel.delivery;
  const auto values = column.At<T>(delivery.block.get(), 0,
                                   column.per_player ? delivery.player_rows : delivery.rows);
  return {values.begin(), values.end()};
}

TEST(ProcessPlayers, RowsOfPlayersFollowOneAnother) {
  Served pool(MakeConfig(4, 4, 2));  // of 1, 2, 3 and 1 players
  Parcel parcel = pool->Reset(Ids{3, 1, 2}, {}, false, DontInterrupt);
  EXPECT_EQ(ColumnOf(pool, parcel, "@env_id"), (Ids{3, 1, 2}));
  EXPECT_EQ(ColumnOf(pool, parcel, "@players.env_id"), (Ids{3, 1, 1, 2, 2, 2}));
  EXPECT_EQ(ColumnOf(pool, parcel, "info.players.id"), (Ids{0, 0, 1, 0, 1, 2}));
  const Actions all({1, 2, 3, 4, 5, 6});
  parcel = pool->Step(Ids{2, 3, 1}, all.Get(), DontInterrupt);
  EXPECT_EQ(ColumnOf(pool, parcel, "@players.env_id"), (Ids{2, 2, 2, 3, 1, 1}));
  EXPECT_EQ(ColumnOf(pool, parcel, "obs.obs"), (Ids{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(ColumnOf<float>(pool, parcel, "@reward"), (std::vector<float>{20, 21, 22, 30, 10, 11}));
}

TEST(ProcessPlayers, ActionsAreOfThoseWhoGoOnOrOfAll) {
  Served pool(MakeConfig(3, 3, 1));  // of 1, 2 and 3 players
  const Ids two = {1, 2};
  pool->Reset(two, {}, false, DontInterrupt);
  EXPECT_NO_THROW(pool->CheckPlayers(two, Ids{1, 1, 2, 2, 2}));
  EXPECT_THROW(pool->CheckPlayers(two, Ids{1, 2, 2, 2, 1}), std::invalid_argument);
  EXPECT_THROW(pool->CheckPlayers(two, Ids{1, 1, 2, 2}), std::invalid_argument);
  pool->Step(two, Actions({1, 1, 2, 2, 2}).Get(), DontInterrupt);
  EXPECT_NO_THROW(pool->CheckPlayers(two, Ids{1, 2, 2}));
  EXPECT_THROW(pool->Step(two, Actions({1, 2, 2, 2}).Get(), DontInterrupt), std::invalid_argument);
  Parcel parcel = pool->Step(two, Actions({3, 4, 5}).Get(), DontInterrupt);
  EXPECT_EQ(ColumnOf(pool, parcel, "@players.env_id"), (Ids{1, 2, 2}));
  EXPECT_EQ(ColumnOf(pool, parcel, "obs.obs"), (Ids{3, 4, 5}));
  // Environment 1 is over, and its next step is a reset. Of 2 there are two rows and one player.
  parcel = pool->Step(two, Actions({6, 7, 8}).Get(), DontInterrupt);
  EXPECT_EQ(ColumnOf(pool, parcel, "@players.env_id"), (Ids{1, 1, 2}));
  EXPECT_EQ(ColumnOf(pool, parcel, "obs.obs"), (Ids{-1, -1, 7}));
  parcel = pool->Step(Ids{2}, Actions(Ids{}).Get(), DontInterrupt);
  EXPECT_EQ(ColumnOf(pool, parcel, "@players.env_id"), (Ids{2, 2, 2}));
}

TEST(ProcessPlayers, FailedEnvironmentsLeaveNoGap) {
  for (const int batch_size : {4, 1}) {
    Served pool(MakeConfig(4, batch_size, 2));
    pool->SendReset(pool->AllIds(), {});
    for (int i = 0; i < 4 / batch_size; ++i) pool->Receive(std::nullopt, DontInterrupt);
    pool->Send(pool->AllIds(), Actions({0, kFails, 2, 3, 4, 5, 6}).Get());
    std::size_t rows = 0;
    std::size_t players = 0;
    for (int i = 0; i < 4 / batch_size; ++i) {
      const auto parcel = pool->Receive(std::nullopt, DontInterrupt);
      rows += parcel->delivery.rows;
      players += parcel->delivery.player_rows;
      for (const RowFailure& failure : parcel->failures) EXPECT_EQ(failure.env_id, 1);
      if (batch_size == 4) {
        EXPECT_EQ(ColumnOf(pool, *parcel, "@players.env_id"), (Ids{0, 2, 2, 2, 3}));
        EXPECT_EQ(ColumnOf(pool, *parcel, "obs.obs"), (Ids{0, 3, 4, 5, 6}));
      }
    }
    EXPECT_EQ(rows, 3U);
    EXPECT_EQ(players, 5U);
  }
}

TEST(ProcessPlayers, AnotherStateHasOtherPlayers) {
  Served pool(MakeConfig(2, 2, 1));
  pool->Reset(pool->AllIds(), {}, false, DontInterrupt);
  pool->SetOver(Ids{1}, {false}, std::vector<int>{1});
  EXPECT_NO_THROW(pool->CheckPlayers(Ids{0, 1}, Ids{0, 1}));
  EXPECT_THROW(pool->CheckPlayers(Ids{0, 1}, Ids{0, 1, 1}), std::invalid_argument);
}

TEST(ProcessPlayers, WhatDoesNotGoWithThemIsRefused) {
  const auto check = [](auto change) {
    SharedConfig config = MakeConfig(2, 2, 1);
    change(config);
    config.Check();
  };
  EXPECT_NO_THROW(check([](SharedConfig&) {}));
  EXPECT_THROW(check([](SharedConfig& config) { config.pool.layout.final_rows = true; }),
               std::invalid_argument);
  EXPECT_THROW(check([](SharedConfig& config) { config.check_actions = false; }),
               std::invalid_argument);
  EXPECT_THROW(
      check([](SharedConfig& config) { config.spec.action.push_back(Discrete("of all", 2)); }),
      std::invalid_argument);
}

}  // namespace
}  // namespace envpool
