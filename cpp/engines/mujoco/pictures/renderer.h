// Renderer: draws the states of one model to pixels.
#pragma once

#include <mujoco/mujoco.h>

#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mujoco/pictures/drawing_thread.h"
#include "mujoco/pictures/gl_context.h"

namespace envpool::mujoco {

// Settings that trade quality for speed; every change alters pixels.
struct RenderQuality {
  int shadow_size = -1;   // side of the shadow map in pixels; -1: the model's own
  int multisamples = -1;  // samples per pixel; -1: the model's own
  bool shadows = true;
  bool reflections = true;

  auto operator<=>(const RenderQuality&) const = default;
};

// Threads may use it one after the other. It draws on a thread of its own, where its OpenGL context
// is current for as long as it lives. Drawing needs the model's sizes and assets, so it must always
// be the same model, or a copy with other numbers in its arrays: height fields included, but not
// textures and meshes.
class Renderer {
 public:
  // For frames of at least this size; larger ones later cost a larger buffer then.
  Renderer(const mjModel& model, const RenderQuality& quality, int width, int height, int max_geom);
  Renderer(const Renderer&) = delete;
  Renderer& operator=(const Renderer&) = delete;
  ~Renderer();

  // Writes height x width x 3 bytes to `rgb`, the top row first.
  void Draw(const mjModel& model, mjData& data, const mjvOption& option, const mjvCamera& camera,
            int width, int height, std::span<std::uint8_t> rgb);

  // True if a frame of this size needs no larger buffer.
  bool Fits(int width, int height) const {
    return width <= context_.offWidth && height <= context_.offHeight;
  }

  // True after a call that failed: OpenGL may be in any state.
  bool broken() const { return broken_; }

 private:
  Renderer();

  // To OpenGL, if they are others than last time.
  void UploadHeights(const mjModel& model);
  void DrawHere(const mjModel& model, mjData& data, const mjvOption& option,
                const mjvCamera& camera, mjrRect viewport, std::span<std::uint8_t> rgb);

  DrawingThread thread_;
  // The members below are used on that thread only.
  std::unique_ptr<GlContext> gl_;
  mjvScene scene_;
  mjrContext context_;
  std::vector<float> heights_;  // of all height fields, as OpenGL has them
  bool broken_ = false;
};

}  // namespace envpool::mujoco
