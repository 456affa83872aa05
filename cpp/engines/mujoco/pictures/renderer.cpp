#include "mujoco/pictures/renderer.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "mujoco/engine.h"

namespace envpool::mujoco {
namespace {

// MuJoCo's errors may leave these functions by a jump, so they have no objects with destructors.

void MakeBuffers(const mjModel& model, const RenderQuality& quality, int width, int height,
                 int max_geom, mjvScene& scene, mjrContext& context) {
  // The model is shared and const, but MuJoCo takes the sizes from it: from a shallow copy.
  mjModel sized = model;
  sized.vis.global.offwidth = std::max(sized.vis.global.offwidth, width);
  sized.vis.global.offheight = std::max(sized.vis.global.offheight, height);
  if (quality.shadow_size >= 0) sized.vis.quality.shadowsize = quality.shadow_size;
  if (!quality.shadows) sized.vis.quality.shadowsize = 0;
  if (quality.multisamples >= 0) sized.vis.quality.offsamples = quality.multisamples;

  mjv_makeScene(&sized, &scene, max_geom);
  if (!quality.shadows) scene.flags[mjRND_SHADOW] = 0;
  if (!quality.reflections) scene.flags[mjRND_REFLECTION] = 0;
  mjr_makeContext(&sized, &context, mjFONTSCALE_150);
  mjr_setBuffer(mjFB_OFFSCREEN, &context);
}

// Returns OpenGL's error, 0 if there was none.
int GrowBuffers(int width, int height, mjrContext& context) {
  while (mjr_getError() != 0) {
  }
  mjr_resizeOffscreen(std::max(context.offWidth, width), std::max(context.offHeight, height),
                      &context);
  mjr_restoreBuffer(&context);
  return mjr_getError();
}

void DrawUpsideDown(const mjModel& model, mjData& data, const mjvOption& option, mjvCamera camera,
                    mjrRect viewport, mjvScene& scene, const mjrContext& context,
                    std::uint8_t* rgb) {
  mjv_updateScene(&model, &data, &option, nullptr, &camera, mjCAT_ALL, &scene);
  mjr_render(viewport, &scene, &context);
  mjr_readPixels(rgb, nullptr, viewport, &context);
}

void FreeBuffers(mjvScene& scene, mjrContext& context) {
  mjv_freeScene(&scene);
  mjr_freeContext(&context);
}

// OpenGL's first row is the bottom one.
void FlipRows(std::span<std::uint8_t> rgb, int height) {
  const std::size_t row_bytes = rgb.size() / static_cast<std::size_t>(height);
  auto top = rgb.begin();
  auto bottom = rgb.end();
  for (int i = 0; i < height / 2; ++i) {
    bottom -= static_cast<std::ptrdiff_t>(row_bytes);
    top = std::swap_ranges(bottom, bottom + static_cast<std::ptrdiff_t>(row_bytes), top);
  }
}

}  // namespace

Renderer::Renderer() {
  mjv_defaultScene(&scene_);
  mjr_defaultContext(&context_);
}

// Delegates, so that the destructor runs if the body throws.
Renderer::Renderer(const mjModel& model, const RenderQuality& quality, int width, int height,
                   int max_geom)
    : Renderer() {
  heights_.assign(model.hfield_data, model.hfield_data + model.nhfielddata);
  thread_.Run([&] {
    gl_ = MakeGlContext();
    RunEngine([&] { MakeBuffers(model, quality, width, height, max_geom, scene_, context_); });
  });
  if (context_.offFBO == 0 || context_.currentBuffer != mjFB_OFFSCREEN) {
    throw std::runtime_error("MuJoCo could not make an offscreen buffer of " +
                             std::to_string(context_.offWidth) + " x " +
                             std::to_string(context_.offHeight) + " pixels");
  }
}

Renderer::~Renderer() {
  thread_.Run([this] {
    if (gl_ == nullptr) return;
    try {
      RunEngine([this] { FreeBuffers(scene_, context_); });
    } catch (const EngineError&) {
      // OpenGL's objects die with the context.
    }
    gl_.reset();
  });
}

void Renderer::Draw(const mjModel& model, mjData& data, const mjvOption& option,
                    const mjvCamera& camera, int width, int height, std::span<std::uint8_t> rgb) {
  if (width <= 0 || height <= 0 || rgb.size() != std::size_t{3} * width * height) {
    throw std::invalid_argument("the pixels' memory doesn't match the size of the frame");
  }
  broken_ = true;
  thread_.Run([&] { DrawHere(model, data, option, camera, {0, 0, width, height}, rgb); });
  broken_ = false;
}

void Renderer::UploadHeights(const mjModel& model) {
  if (std::ranges::equal(heights_, std::span(model.hfield_data, heights_.size()))) return;
  std::ranges::copy_n(model.hfield_data, static_cast<std::ptrdiff_t>(heights_.size()),
                      heights_.begin());
  RunEngine([&] {
    for (int i = 0; i < model.nhfield; ++i) mjr_uploadHField(&model, &context_, i);
  });
}

void Renderer::DrawHere(const mjModel& model, mjData& data, const mjvOption& option,
                        const mjvCamera& camera, mjrRect viewport, std::span<std::uint8_t> rgb) {
  const int width = viewport.width;
  const int height = viewport.height;
  int error = 0;
  if (!Fits(width, height)) RunEngine([&] { error = GrowBuffers(width, height, context_); });
  if (error != 0) {
    throw std::runtime_error("OpenGL has no buffer of " + std::to_string(width) + " x " +
                             std::to_string(height) + " pixels");
  }
  UploadHeights(model);
  RunEngine(
      [&] { DrawUpsideDown(model, data, option, camera, viewport, scene_, context_, rgb.data()); });
  FlipRows(rgb, height);
}

}  // namespace envpool::mujoco
