#include "mujoco/renderer_pool.h"

#include <algorithm>
#include <iterator>
#include <utility>

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

}  // namespace envpool::mujoco
