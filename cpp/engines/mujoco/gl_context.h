// GlContext: an OpenGL context without a window, from EGL or from OSMesa.
//
// Their libraries are loaded when the first context is made: neither building nor running without
// drawing needs them. The first context also decides for the process which of the two is used,
// because MuJoCo looks up OpenGL's functions only once.
#pragma once

#include <memory>

namespace envpool::mujoco {

// What a thread has current; which members mean something is the backend's business.
struct GlBinding {
  void* context = nullptr;  // null: nothing
  void* display = nullptr;
  void* draw = nullptr;  // surface
  void* read = nullptr;
  void* pixels = nullptr;
  int width = 0;
  int height = 0;
  unsigned pixel_type = 0;
};

class GlContext {
 public:
  GlContext() = default;
  GlContext(const GlContext&) = delete;
  GlContext& operator=(const GlContext&) = delete;
  // The context must not be current on any thread.
  virtual ~GlContext() = default;

  // Makes this context current on the calling thread. No other thread may have it.
  virtual void MakeCurrent() = 0;

  virtual GlBinding Current() const = 0;
  virtual void Restore(const GlBinding& binding) noexcept = 0;
};

// Makes a context current on this thread for as long as it lives, then what was current before,
// which may be somebody else's.
class CurrentContext {
 public:
  explicit CurrentContext(GlContext& context) : context_(context), before_(context.Current()) {
    context_.MakeCurrent();
  }
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;
  ~CurrentContext() { context_.Restore(before_); }

 private:
  GlContext& context_;
  const GlBinding before_;
};

// A new context, which is not current yet. It has no window or pixels of its own that anything can
// be drawn to, only the buffers that are made in it. The environment variable MUJOCO_GL (egl,
// osmesa) chooses, as for MuJoCo's Python package; otherwise the first that works is taken.
// Throws std::runtime_error if none does.
std::unique_ptr<GlContext> MakeGlContext();

}  // namespace envpool::mujoco
