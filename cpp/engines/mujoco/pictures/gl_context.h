// GlContext: an OpenGL context without a window, from EGL or from OSMesa.
//
// Their libraries are loaded when the first context is made: neither building nor running without
// drawing needs them. The first context also decides for the process which of the two is used,
// because MuJoCo looks up OpenGL's functions only once.
#pragma once

#include <memory>

namespace envpool::mujoco {

// Current on the thread that made it, for as long as it lives.
class GlContext {
 public:
  GlContext() = default;
  GlContext(const GlContext&) = delete;
  GlContext& operator=(const GlContext&) = delete;
  // By the thread that made it.
  virtual ~GlContext() = default;
};

// A new context. Nothing else may be current on the calling thread, whoever has made it, so this is
// for a thread of our own: see DrawingThread. The context has no window or pixels of its own that
// anything can be drawn to, only the buffers that are made in it. The environment variable
// MUJOCO_GL (egl, osmesa) chooses, as for MuJoCo's Python package; otherwise the first that works
// is taken. Throws std::runtime_error if none does.
std::unique_ptr<GlContext> MakeGlContext();

}  // namespace envpool::mujoco
