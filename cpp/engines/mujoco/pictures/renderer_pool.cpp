#include "mujoco/pictures/renderer_pool.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "envpool/fork_local.h"

namespace envpool::mujoco {

RendererPool::Lease RendererPool::Borrow(int width, int height) {
  std::unique_ptr<Renderer> renderer;
  std::uint64_t generation;
  {
    const std::lock_guard lock(mutex_);
    renderer = TakeFree(width, height);
    generation = generation_;
  }
  if (!renderer) {
    renderer = std::make_unique<Renderer>(model_, quality_, width, height, max_geom_);
  }
  return Lease(*this, std::move(renderer), generation);
}

// The one that was used last, because more of it is in caches.
std::unique_ptr<Renderer> RendererPool::TakeFree(int width, int height) {
  if (free_.empty()) return nullptr;
  auto found = std::find_if(free_.rbegin(), free_.rend(),
                            [&](const auto& free) { return free->Fits(width, height); });
  if (found == free_.rend()) found = free_.rbegin();
  std::unique_ptr<Renderer> renderer = std::move(*found);
  free_.erase(std::next(found).base());
  return renderer;
}

// What isn't kept is destroyed by the caller, after the lock is released.
void RendererPool::GiveBack(std::unique_ptr<Renderer> renderer, std::uint64_t generation) {
  if (renderer->broken()) return;
  const std::lock_guard lock(mutex_);
  if (generation == generation_) free_.push_back(std::move(renderer));
}

void RendererPool::Clear() {
  std::vector<std::unique_ptr<Renderer>> doomed;  // dies after the lock
  const std::lock_guard lock(mutex_);
  doomed.swap(free_);
  ++generation_;
}

std::size_t RendererPool::num_free() const {
  const std::lock_guard lock(mutex_);
  return free_.size();
}

namespace {

// The pool, and the model that it refers to.
struct Shared {
  Shared(std::shared_ptr<const mjModel> its_model, const RenderQuality& quality, int max_geom)
      : model(std::move(its_model)), pool(*model, quality, max_geom) {}
  const std::shared_ptr<const mjModel> model;
  RendererPool pool;
};

struct SharedPools {
  std::mutex mutex;
  std::map<std::tuple<const mjModel*, RenderQuality, int>, std::weak_ptr<Shared>> by_key;
};
constinit ForkLocal<SharedPools> shared_pools;

}  // namespace

std::shared_ptr<RendererPool> ShareRenderers(std::shared_ptr<const mjModel> model,
                                             const RenderQuality& quality, int max_geom) {
  SharedPools& pools = shared_pools.Get();
  const std::lock_guard lock(pools.mutex);
  std::weak_ptr<Shared>& known = pools.by_key[{model.get(), quality, max_geom}];
  std::shared_ptr<Shared> shared = known.lock();
  if (shared == nullptr) {
    shared = std::make_shared<Shared>(std::move(model), quality, max_geom);
    known = shared;
    std::erase_if(pools.by_key, [](const auto& entry) { return entry.second.expired(); });
  }
  return {shared, &shared->pool};
}

}  // namespace envpool::mujoco
