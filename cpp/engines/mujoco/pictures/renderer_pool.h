// RendererPool: lends renderers of one model to the threads that draw.
//
// A renderer costs tens of milliseconds and tens of megabytes, and an environment rarely draws. So
// environments share renderers: there are never more than threads that drew at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "mujoco/pictures/renderer.h"

namespace envpool::mujoco {

class RendererPool {
 public:
  // A renderer on loan; must not outlive the pool.
  class Lease {
   public:
    Lease(RendererPool& pool, std::unique_ptr<Renderer> renderer, std::uint64_t generation)
        : pool_(pool), renderer_(std::move(renderer)), generation_(generation) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { pool_.GiveBack(std::move(renderer_), generation_); }

    Renderer& operator*() const { return *renderer_; }
    Renderer* operator->() const { return renderer_.get(); }

   private:
    RendererPool& pool_;
    std::unique_ptr<Renderer> renderer_;
    const std::uint64_t generation_;
  };

  // The model must outlive the pool.
  RendererPool(const mjModel& model, const RenderQuality& quality, int max_geom)
      : model_(model), quality_(quality), max_geom_(max_geom) {}
  RendererPool(const RendererPool&) = delete;
  RendererPool& operator=(const RendererPool&) = delete;

  // A renderer that is free, if possible one with large enough buffers, or else a new one.
  Lease Borrow(int width, int height);

  // Destroys the renderers, those on loan when they come back. New ones can be borrowed afterwards.
  void Clear();

  std::size_t num_free() const;

 private:
  std::unique_ptr<Renderer> TakeFree(int width, int height);
  void GiveBack(std::unique_ptr<Renderer> renderer, std::uint64_t generation);

  const mjModel& model_;
  const RenderQuality quality_;
  const int max_geom_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Renderer>> free_;
  std::uint64_t generation_ = 0;  // the number of Clear() calls
};

// The pool of this model and quality, the same for all who want it at the same time.
std::shared_ptr<RendererPool> ShareRenderers(std::shared_ptr<const mjModel> model,
                                             const RenderQuality& quality, int max_geom);

}  // namespace envpool::mujoco
