// Workers that are processes, killed at any moment: nothing is lost, nothing waits for ever.
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <random>
#include <thread>

#include "tests/workers/pool_fixture.h"

namespace envpool {
namespace {

class Processes {
 public:
  explicit Processes(const SharedConfig& config)
      : config_(config),
        pool_(config, [](int worker) { return "worker " + std::to_string(worker) + " ended"; }),
        workers_(static_cast<std::size_t>(config.pool.num_threads)) {
    for (int worker = 0; worker < config.pool.num_threads; ++worker) Start(worker);
  }
  ~Processes() {
    pool_.Close();
    for (std::size_t worker = 0; worker < workers_.size(); ++worker) End(worker);
  }

  ProcessPool* operator->() { return &pool_; }
  ProcessPool& operator*() { return pool_; }

  void Kill(std::size_t worker) { kill(workers_[worker].pid, SIGKILL); }
  void Restart(int worker) {
    End(static_cast<std::size_t>(worker));
    Start(worker);
  }
  // From now on whoever waits restarts them.
  void SurviveKills() {
    pool_.GetFailures().most.store(1'000'000);
    pool_.SetRestart([this](int worker) {
      Restart(worker);
      return std::string();
    });
  }

 private:
  struct Worker {
    pid_t pid = -1;
    int sentinel = -1;
  };

  void Start(int worker) {
    const std::vector<int> files = pool_.Files();
    const pid_t pid = fork();
    if (pid == 0) {
      Server(config_, worker, files, MakesCounting()).Serve();
      _exit(0);
    }
    const int sentinel = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
    workers_[static_cast<std::size_t>(worker)] = {pid, sentinel};
    pool_.SetWorker(worker, pid, sentinel);
  }
  void End(std::size_t worker) {
    kill(workers_[worker].pid, SIGKILL);
    waitpid(workers_[worker].pid, nullptr, 0);
    close(workers_[worker].sentinel);
  }

  const SharedConfig config_;
  ProcessPool pool_;
  std::vector<Worker> workers_;
};

// A model of what each environment must observe, and of who can be stepped.
class Model {
 public:
  static constexpr int kLength = 5;

  explicit Model(int num_envs) : steps_(static_cast<std::size_t>(num_envs), kNone) {}

  // Takes a delivery: returns who can go on, and who must be reset first.
  void Take(ProcessPool& pool, const Delivery& delivery, std::vector<std::int32_t>& go_on,
            std::vector<std::int32_t>& reset) {
    const auto ids = Int32s(pool, delivery, "@env_id");
    const auto observed = Int32s(pool, delivery, "obs.obs");
    for (std::size_t row = 0; row < ids.size(); ++row) {
      int& steps = steps_[static_cast<std::size_t>(ids[row])];
      const bool has_survived = std::ranges::count(delivery.survived, row, &EnvError::row) > 0;
      steps = steps == kNone || steps == kLength || has_survived ? 0 : steps + 1;
      EXPECT_EQ(observed[row], steps) << "environment " << ids[row];
      go_on.push_back(ids[row]);
    }
    for (const EnvError& error : delivery.survived) {
      EXPECT_EQ(error.kind, EnvError::Kind::kWorkerEnd);
      Forget(error.env_id);
    }
    for (const EnvError& error : delivery.errors) {
      EXPECT_EQ(error.kind, EnvError::Kind::kWorkerEnd);
      EXPECT_NE(error.message.find(" ended"), std::string::npos) << error.message;
      steps_[static_cast<std::size_t>(error.env_id)] = kNone;
      reset.push_back(error.env_id);
    }
  }
  void Forget(std::int32_t env) { steps_[static_cast<std::size_t>(env)] = kNone; }

 private:
  static constexpr int kNone = -1;  // the next is a reset
  std::vector<int> steps_;
};

// What lost environments need so that everything is in flight again.
void SendAll(Processes& pool, Model& model, std::vector<std::int32_t>& go_on,
             std::vector<std::int32_t>& reset) {
  for (const int worker : pool->LostWorkers(pool->AllIds())) pool.Restart(worker);
  std::vector<std::int32_t> steps;
  for (const std::int32_t id : go_on) {
    try {
      pool->CheckIdle({&id, 1}, false);
      steps.push_back(id);
    } catch (const std::runtime_error&) {  // its worker ended while it was ours
      reset.push_back(id);
      model.Forget(id);
    }
  }
  pool->Send({steps, Actions(steps.size()).Get()});
  pool->SendReset({.env_ids = reset});
  go_on.clear();
  reset.clear();
}

class KillTest : public testing::TestWithParam<int> {};

TEST_P(KillTest, NothingIsLost) {
  constexpr int kEnvs = 9;
  constexpr std::size_t kWorkers = 3;
  Processes pool(MakeConfig(kEnvs, GetParam(), kWorkers));
  Model model(kEnvs);
  std::mt19937 random(17);
  std::vector<std::int32_t> go_on, reset = pool->AllIds();
  SendAll(pool, model, go_on, reset);
  int kills = 0;
  for (int round = 0; round < 3000; ++round) {
    if (random() % 20 == 0) {
      if (random() % 2 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
      pool.Kill(random() % kWorkers);
      ++kills;
    }
    const auto delivery = pool->Receive(std::chrono::seconds(30), DontInterrupt);
    ASSERT_TRUE(delivery.has_value()) << "a batch that nobody completes, in round " << round;
    model.Take(*pool, *delivery, go_on, reset);
    // A synchronous pool has batches of whoever was sent together.
    if (pool->Config().pool.IsSynchronous() || random() % 4 != 0) {
      SendAll(pool, model, go_on, reset);
    } else if (go_on.size() + reset.size() + static_cast<std::size_t>(GetParam()) > kEnvs) {
      SendAll(pool, model, go_on, reset);
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(kills, 100);
}

TEST_P(KillTest, EverythingGoesOn) {
  constexpr int kEnvs = 9;
  constexpr std::size_t kWorkers = 3;
  Processes pool(MakeConfig(kEnvs, GetParam(), kWorkers));
  pool.SurviveKills();
  Model model(kEnvs);
  std::mt19937 random(18);
  std::vector<std::int32_t> go_on, reset = pool->AllIds();
  std::size_t told = 0;
  for (int round = 0; round < 3000; ++round) {
    pool->Send({go_on, Actions(go_on.size()).Get()});
    pool->SendReset({.env_ids = reset});
    go_on.clear();
    reset.clear();
    if (random() % 20 == 0) {
      if (random() % 2 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
      pool.Kill(random() % kWorkers);
    }
    do {  // in a synchronous pool what was sent and what was reset
      const auto delivery = pool->Receive(std::chrono::seconds(30), DontInterrupt);
      ASSERT_TRUE(delivery.has_value()) << "a batch that nobody completes, in round " << round;
      told += delivery->survived.size();
      model.Take(*pool, *delivery, go_on, reset);
    } while (pool->HasOpen());
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(told, 100U);
  EXPECT_GE(pool->GetFailures().count.load(), static_cast<std::int64_t>(told));
}

INSTANTIATE_TEST_SUITE_P(BatchSizes, KillTest, testing::Values(9, 4, 1));

}  // namespace
}  // namespace envpool
