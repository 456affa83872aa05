// Environments with players, whose workers are threads.
#include <gtest/gtest.h>

#include <numeric>
#include <thread>

#include "tests/workers/pool_fixture.h"

namespace envpool {
namespace {

constexpr int kMostPlayers = 3;
constexpr int kFails = 9;  // an action

// Of environment e, the first episode has e % 3 + 1 players, and each of them observes the action
// that it was given. After each step there is one player less, who has its row nevertheless.
class Shrinking final : public ServedEnv {
 public:
  Shrinking(int id, const Exchange& exchange) : id_(id), exchange_(exchange) {}

  void Reset(Random&, const Options&) override {
    players_ = acting_ = id_ % kMostPlayers + 1;
    given_.assign(kMostPlayers, -1);
  }
  StepResult Step(const Action& action, Random&) override {
    const auto env = static_cast<std::size_t>(id_);
    players_ = acting_--;
    const auto* actions = action.Values<std::int32_t>().data();
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
  int NumActing() const override { return acting_; }

 private:
  const int id_;
  const Exchange& exchange_;
  int players_ = 0;
  int acting_ = 0;
  std::vector<std::int32_t> given_;
};

SharedConfig PlayersConfig(int num_envs, int batch_size, int num_workers) {
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

std::unique_ptr<ServedEnv> MakeShrinking(std::int32_t env, const Station& station) {
  return std::make_unique<Shrinking>(env, station.Shared());
}

using Ids = std::vector<std::int32_t>;

class Given {
 public:
  explicit Given(Ids actions)
      : actions_(std::move(actions)),
        view_{reinterpret_cast<const std::byte*>(actions_.data()), DType::kInt32, actions_.size()} {
  }
  Given(const Given&) = delete;
  Given& operator=(const Given&) = delete;

  std::span<const ArrayView> Get() const { return {&view_, 1}; }

 private:
  const Ids actions_;
  const ArrayView view_;
};

template <class T = std::int32_t>
std::vector<T> ColumnOf(Served& pool, const Delivery& delivery, const std::string& name) {
  const Layout& layout = pool->GetLayout();
  const Column& column = layout.all[layout.IndexOf(name)];
  const auto values = column.At<T>(delivery.block.get(), 0,
                                   column.per_player ? delivery.player_rows : delivery.rows);
  return {values.begin(), values.end()};
}

TEST(ProcessPlayers, RowsOfPlayersFollowOneAnother) {
  Served pool(PlayersConfig(4, 4, 2), MakeShrinking);  // of 1, 2, 3 and 1 players
  Delivery delivery = pool->Reset({.env_ids = Ids{3, 1, 2}}, DontInterrupt);
  EXPECT_EQ(ColumnOf(pool, delivery, "@env_id"), (Ids{3, 1, 2}));
  EXPECT_EQ(ColumnOf(pool, delivery, "@players.env_id"), (Ids{3, 1, 1, 2, 2, 2}));
  EXPECT_EQ(ColumnOf(pool, delivery, "info.players.id"), (Ids{0, 0, 1, 0, 1, 2}));
  const Given all({1, 2, 3, 4, 5, 6});
  delivery = pool->Step({Ids{2, 3, 1}, all.Get()}, DontInterrupt);
  EXPECT_EQ(ColumnOf(pool, delivery, "@players.env_id"), (Ids{2, 2, 2, 3, 1, 1}));
  EXPECT_EQ(ColumnOf(pool, delivery, "obs.obs"), (Ids{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(ColumnOf<float>(pool, delivery, "@reward"),
            (std::vector<float>{20, 21, 22, 30, 10, 11}));
}

TEST(ProcessPlayers, ActionsAreOfThoseWhoGoOnOrOfAll) {
  Served pool(PlayersConfig(3, 3, 1), MakeShrinking);  // of 1, 2 and 3 players
  const Ids two = {1, 2};
  pool->Reset({.env_ids = two}, DontInterrupt);
  EXPECT_NO_THROW(pool->CheckPlayers(two, Ids{1, 1, 2, 2, 2}));
  EXPECT_THROW(pool->CheckPlayers(two, Ids{1, 2, 2, 2, 1}), std::invalid_argument);
  EXPECT_THROW(pool->CheckPlayers(two, Ids{1, 1, 2, 2}), std::invalid_argument);
  pool->Step({two, Given({1, 1, 2, 2, 2}).Get()}, DontInterrupt);
  EXPECT_NO_THROW(pool->CheckPlayers(two, Ids{1, 2, 2}));
  EXPECT_THROW(pool->Step({two, Given({1, 2, 2, 2}).Get()}, DontInterrupt), std::invalid_argument);
  Delivery delivery = pool->Step({two, Given({3, 4, 5}).Get()}, DontInterrupt);
  EXPECT_EQ(ColumnOf(pool, delivery, "@players.env_id"), (Ids{1, 2, 2}));
  EXPECT_EQ(ColumnOf(pool, delivery, "obs.obs"), (Ids{3, 4, 5}));
  // Environment 1 is over, and its next step is a reset. Of 2 there are two rows and one player.
  delivery = pool->Step({two, Given({6, 7, 8}).Get()}, DontInterrupt);
  EXPECT_EQ(ColumnOf(pool, delivery, "@players.env_id"), (Ids{1, 1, 2}));
  EXPECT_EQ(ColumnOf(pool, delivery, "obs.obs"), (Ids{-1, -1, 7}));
  delivery = pool->Step({Ids{2}, Given(Ids{}).Get()}, DontInterrupt);
  EXPECT_EQ(ColumnOf(pool, delivery, "@players.env_id"), (Ids{2, 2, 2}));
}

TEST(ProcessPlayers, FailedEnvironmentsLeaveNoGap) {
  for (const int batch_size : {4, 1}) {
    Served pool(PlayersConfig(4, batch_size, 2), MakeShrinking);
    pool->SendReset({.env_ids = pool->AllIds()});
    for (int i = 0; i < 4 / batch_size; ++i) pool->Receive(std::nullopt, DontInterrupt);
    pool->Send({pool->AllIds(), Given({0, kFails, 2, 3, 4, 5, 6}).Get()});
    std::size_t rows = 0;
    std::size_t players = 0;
    for (int i = 0; i < 4 / batch_size; ++i) {
      const auto delivery = pool->Receive(std::nullopt, DontInterrupt);
      rows += delivery->rows;
      players += delivery->player_rows;
      for (const EnvError& error : delivery->errors) EXPECT_EQ(error.env_id, 1);
      if (batch_size == 4) {
        EXPECT_EQ(ColumnOf(pool, *delivery, "@players.env_id"), (Ids{0, 2, 2, 2, 3}));
        EXPECT_EQ(ColumnOf(pool, *delivery, "obs.obs"), (Ids{0, 3, 4, 5, 6}));
      }
    }
    EXPECT_EQ(rows, 3U);
    EXPECT_EQ(players, 5U);
  }
}

TEST(ProcessPlayers, AnotherStateHasOtherPlayers) {
  Served pool(PlayersConfig(2, 2, 1), MakeShrinking);
  pool->Reset({.env_ids = pool->AllIds()}, DontInterrupt);
  pool->SetOver(Ids{1}, {false}, std::vector<int>{1});
  EXPECT_NO_THROW(pool->CheckPlayers(Ids{0, 1}, Ids{0, 1}));
  EXPECT_THROW(pool->CheckPlayers(Ids{0, 1}, Ids{0, 1, 1}), std::invalid_argument);
}

TEST(ProcessPlayers, WhatDoesNotGoWithThemIsRefused) {
  const auto check = [](auto change) {
    SharedConfig config = PlayersConfig(2, 2, 1);
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
