// Pictures, and descriptions for pictures, of environments that are not running.
//
// Drawing may take long, so it happens outside of request_mutex_: the environments have a status of
// their own meanwhile, which makes every other call refuse them.
#include <algorithm>
#include <exception>
#include <functional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "executor/pool.h"

namespace envpool {

namespace {

constexpr std::size_t kChannels = 3;

std::size_t BytesOf(FrameSize size) {
  if (size.width < 1 || size.height < 1) {
    throw std::invalid_argument("the size of a picture is " + std::to_string(size.width) + " x " +
                                std::to_string(size.height) + ", expected at least 1 x 1");
  }
  return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height) * kChannels;
}

// Throws what an environment threw, with its name in front.
[[noreturn]] void ThrowWithName(std::int32_t env_id, const std::exception_ptr& error) {
  const std::string name = "environment " + std::to_string(env_id) + " was not rendered: ";
  try {
    std::rethrow_exception(error);
  } catch (const std::invalid_argument& refusal) {
    throw std::invalid_argument(name + refusal.what());
  } catch (const std::exception& failure) {
    throw std::runtime_error(name + failure.what());
  } catch (...) {
    throw std::runtime_error(name + "an exception that is no std::exception");
  }
}

}  // namespace

// While it lives, the environments belong to it. Its threads take one picture after the other.
class Pool::Rendering {
 public:
  // What makes an environment's picture, which has this index among them.
  using Draw = std::function<void(Env& env, std::size_t index)>;

  Rendering(Pool& pool, std::span<const std::int32_t> env_ids, Draw draw);
  Rendering(const Rendering&) = delete;
  Rendering& operator=(const Rendering&) = delete;
  ~Rendering();

  void DrawAll(std::size_t most_threads, Interrupt interrupt);

 private:
  void DrawHere(Interrupt interrupt);
  void StartThreads(std::size_t count);
  bool DrawNext() noexcept;
  void Fail(std::size_t index, std::exception_ptr error) noexcept;

  Pool& pool_;
  const std::span<const std::int32_t> env_ids_;
  const Draw draw_;
  std::atomic<std::size_t> next_ = 0;    // the picture that is drawn next
  std::atomic<bool> cancelled_ = false;  // no further pictures
  std::vector<std::thread> threads_;
  std::atomic<std::size_t> ended_ = 0;  // of the threads
  Gate ended_gate_;
  std::mutex failure_mutex_;
  // The first environment that failed: those before it were all begun, and so are all known.
  std::size_t failed_ = 0;
  std::exception_ptr failure_;
};

Pool::Rendering::Rendering(Pool& pool, std::span<const std::int32_t> env_ids, Draw draw)
    : pool_(pool), env_ids_(env_ids), draw_(std::move(draw)) {
  const std::lock_guard lock(pool_.request_mutex_);
  pool_.CheckNotStopping();
  pool_.CheckIds(env_ids_, Purpose::kState);
  for (const std::int32_t id : env_ids_) {
    if (pool_.slots_[static_cast<std::size_t>(id)].next == Task::kReset) {
      throw std::runtime_error("environment " + std::to_string(id) +
                               " has no episode to render: reset it first");
    }
  }
  pool_.renderers_.push_back(std::this_thread::get_id());
  pool_.rendering_.fetch_add(1);
  for (const std::int32_t id : env_ids_) {
    pool_.SetStatus(static_cast<std::size_t>(id), Status::kRendering);
  }
}

Pool::Rendering::~Rendering() {
  cancelled_.store(true);
  for (std::thread& thread : threads_) thread.join();
  const std::lock_guard lock(pool_.request_mutex_);
  for (const std::int32_t id : env_ids_) {
    const auto env = static_cast<std::size_t>(id);
    pool_.SetStatus(env, pool_.IdleStatus(env));
  }
  pool_.renderers_.erase(std::ranges::find(pool_.renderers_, std::this_thread::get_id()));
  pool_.rendering_.fetch_sub(1);
  // Under the mutex, because a closer that needs it next may be about to destroy the pool.
  pool_.stopped_gate_.NotifyAll();
}

void Pool::Rendering::DrawAll(std::size_t most_threads, Interrupt interrupt) {
  const std::size_t count = std::min(most_threads, env_ids_.size());
  if (count > 1) StartThreads(count);
  if (threads_.empty()) {
    DrawHere(interrupt);
  } else {
    const auto done = [this] { return ended_.load() == threads_.size(); };
    while (!ended_gate_.WaitFor(kInterruptPeriod, done)) interrupt();
  }
  if (failure_) ThrowWithName(env_ids_[failed_], failure_);
  if (next_.load() < env_ids_.size()) {
    throw std::runtime_error("the pool was closed during render()");
  }
}

void Pool::Rendering::DrawHere(Interrupt interrupt) {
  auto last_interrupt = Clock::now();
  while (DrawNext()) {
    if (Clock::now() - last_interrupt < kInterruptPeriod) continue;
    interrupt();
    last_interrupt = Clock::now();
  }
}

// As many as the system has to give, perhaps none.
void Pool::Rendering::StartThreads(std::size_t count) {
  threads_.reserve(count);
  try {
    while (threads_.size() < count) {
      threads_.emplace_back([this] {
        while (DrawNext()) {
        }
        ended_.fetch_add(1);
        ended_gate_.NotifyAll();
      });
    }
  } catch (const std::system_error&) {
  }
}

// Returns false if there is nothing to do any more.
bool Pool::Rendering::DrawNext() noexcept {
  if (cancelled_.load() || pool_.closing_.load() > 0) return false;
  const std::size_t index = next_.fetch_add(1);
  if (index >= env_ids_.size()) return false;
  try {
    draw_(*pool_.slots_[static_cast<std::size_t>(env_ids_[index])].env, index);
  } catch (...) {
    Fail(index, std::current_exception());
  }
  return true;
}

void Pool::Rendering::Fail(std::size_t index, std::exception_ptr error) noexcept {
  cancelled_.store(true);
  const std::lock_guard lock(failure_mutex_);
  if (failure_ && failed_ < index) return;
  failed_ = index;
  failure_ = std::move(error);
}

void Pool::Render(std::span<const std::int32_t> env_ids, FrameSize size, int camera,
                  std::span<std::uint8_t> pixels, Interrupt interrupt) {
  CheckUsable();
  if (pixels.size() != env_ids.size() * BytesOf(size)) {
    throw std::invalid_argument("pixels: expected " + std::to_string(env_ids.size()) +
                                " pictures of " + std::to_string(BytesOf(size)) + " bytes");
  }
  const auto draw = [&](Env& env, std::size_t index) {
    const std::size_t bytes = BytesOf(size);
    env.Render({size.width, size.height, camera, pixels.subspan(index * bytes, bytes)});
  };
  Rendering(*this, env_ids, draw).DrawAll(static_cast<std::size_t>(config_.num_threads), interrupt);
}

std::vector<Scene> Pool::Describe(std::span<const std::int32_t> env_ids, Interrupt interrupt) {
  CheckUsable();
  std::vector<Scene> scenes(env_ids.size());
  const auto describe = [&](Env& env, std::size_t index) { scenes[index] = env.Describe(); };
  // A few numbers each: starting a thread would take longer.
  Rendering(*this, env_ids, describe).DrawAll(1, interrupt);
  return scenes;
}

}  // namespace envpool
