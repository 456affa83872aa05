#include "mujoco/pictures/gl_context.h"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "mujoco/platform/platform.h"

namespace envpool::mujoco {
namespace {

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// --- Shared libraries. They are never closed: their threads and thread-locals outlive contexts.

struct Library {
  void* handle;
  const char* name;
};

Library OpenFirst(std::initializer_list<const char*> names) {
  std::string reasons;
  for (const char* name : names) {
    if (void* handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return {handle, name};
    reasons += (reasons.empty() ? "" : "; ") + std::string(dlerror());
  }
  throw std::runtime_error(reasons);
}

// MuJoCo asks the global symbols for eglGetProcAddress, then OSMesaGetProcAddress, then GLX's. So
// the library in use must be among them, and one that was tried in vain must not.
void MakeGlobal(const Library& library) { dlopen(library.name, RTLD_NOW | RTLD_GLOBAL); }

template <typename Function>
void Find(const Library& library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library.handle, name));
  if (function == nullptr) throw std::runtime_error(std::string(library.name) + " lacks " + name);
}

// --- EGL: the few names of its headers that are needed here.

using EglBoolean = unsigned;
using EglEnum = unsigned;
using EglInt = std::int32_t;
using EglHandle = void*;  // displays, configs, contexts, surfaces and devices
using EglProcedure = void (*)();

constexpr EglInt kEglNone = 0x3038;
constexpr EglEnum kEglOpenGlApi = 0x30A2;
constexpr EglEnum kEglPlatformDevice = 0x313F;
constexpr EglEnum kEglPlatformSurfaceless = 0x31DD;

// What MuJoCo's Python package asks for, so that the same config is found.
constexpr EglInt kEglConfig[] = {
    0x3024,   8,       // red
    0x3023,   8,       // green
    0x3022,   8,       // blue
    0x3021,   8,       // alpha
    0x3025,   24,      // depth
    0x3026,   8,       // stencil
    0x303F,   0x308E,  // color buffer type: RGB
    0x3033,   0x0001,  // surface type: pbuffer
    0x3040,   0x0008,  // renderable type: OpenGL
    kEglNone,
};

struct Egl {
  Library library;
  EglInt (*GetError)();
  EglProcedure (*GetProcAddress)(const char*);
  EglBoolean (*Initialize)(EglHandle, EglInt*, EglInt*);
  EglBoolean (*ChooseConfig)(EglHandle, const EglInt*, EglHandle*, EglInt, EglInt*);
  EglBoolean (*BindApi)(EglEnum);
  EglHandle (*GetDisplay)(EglHandle);
  EglHandle (*CreateContext)(EglHandle, EglHandle, EglHandle, const EglInt*);
  EglBoolean (*DestroyContext)(EglHandle, EglHandle);
  EglBoolean (*MakeCurrent)(EglHandle, EglHandle, EglHandle, EglHandle);
  // Extensions, null where they are missing.
  EglBoolean (*QueryDevices)(EglInt, EglHandle*, EglInt*);
  EglHandle (*GetPlatformDisplay)(EglEnum, EglHandle, const EglInt*);
};

template <typename Function>
void FindExtension(const Egl& egl, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(egl.GetProcAddress(name));
}

Egl LoadEgl() {
  Egl egl{};
  egl.library = OpenFirst({"libEGL.so.1", "libEGL.so"});
  Find(egl.library, "eglGetError", egl.GetError);
  Find(egl.library, "eglGetProcAddress", egl.GetProcAddress);
  Find(egl.library, "eglInitialize", egl.Initialize);
  Find(egl.library, "eglChooseConfig", egl.ChooseConfig);
  Find(egl.library, "eglBindAPI", egl.BindApi);
  Find(egl.library, "eglGetDisplay", egl.GetDisplay);
  Find(egl.library, "eglCreateContext", egl.CreateContext);
  Find(egl.library, "eglDestroyContext", egl.DestroyContext);
  Find(egl.library, "eglMakeCurrent", egl.MakeCurrent);
  FindExtension(egl, "eglQueryDevicesEXT", egl.QueryDevices);
  FindExtension(egl, "eglGetPlatformDisplayEXT", egl.GetPlatformDisplay);
  return egl;
}

std::runtime_error EglError(const Egl& egl, const std::string& what) {
  constexpr std::array kNames = {
      "EGL_SUCCESS",       "EGL_NOT_INITIALIZED",     "EGL_BAD_ACCESS",
      "EGL_BAD_ALLOC",     "EGL_BAD_ATTRIBUTE",       "EGL_BAD_CONFIG",
      "EGL_BAD_CONTEXT",   "EGL_BAD_CURRENT_SURFACE", "EGL_BAD_DISPLAY",
      "EGL_BAD_MATCH",     "EGL_BAD_NATIVE_PIXMAP",   "EGL_BAD_NATIVE_WINDOW",
      "EGL_BAD_PARAMETER", "EGL_BAD_SURFACE",         "EGL_CONTEXT_LOST"};
  const auto code = static_cast<std::size_t>(egl.GetError() - 0x3000);
  return std::runtime_error(what + " failed" +
                            (code < kNames.size() ? " with " + std::string(kNames[code]) : ""));
}

class EglContext final : public GlContext {
 public:
  EglContext(const Egl& egl, EglHandle display) : egl_(egl), display_(display) {
    // Does nothing if the display is initialised already. It is never terminated, because others in
    // the process get the same one; some of them terminate it, hence this call for every context.
    if (!egl.Initialize(display, nullptr, nullptr)) throw EglError(egl, "eglInitialize");
    EglHandle config = nullptr;
    EglInt count = 0;
    if (!egl.ChooseConfig(display, kEglConfig, &config, 1, &count)) {
      throw EglError(egl, "eglChooseConfig");
    }
    if (count == 0) throw std::runtime_error("no EGL config for offscreen OpenGL");
    egl.BindApi(kEglOpenGlApi);  // a setting of the thread
    context_ = egl.CreateContext(display, config, nullptr, nullptr);
    if (context_ == nullptr) throw EglError(egl, "eglCreateContext");
    if (egl.MakeCurrent(display, nullptr, nullptr, context_)) return;
    const std::runtime_error refusal = EglError(egl, "eglMakeCurrent");
    egl.DestroyContext(display, context_);
    throw refusal;
  }

  ~EglContext() override {
    egl_.MakeCurrent(display_, nullptr, nullptr, nullptr);
    egl_.DestroyContext(display_, context_);
  }

 private:
  const Egl& egl_;
  const EglHandle display_;
  EglHandle context_ = nullptr;
};

struct EglDisplay {
  std::string name;
  EglHandle handle;
};

// The devices' displays: all of them, or the one that MUJOCO_EGL_DEVICE_ID names.
std::vector<EglDisplay> DeviceDisplays(const Egl& egl) {
  std::array<EglHandle, 64> devices;
  EglInt count = 0;
  if (!egl.QueryDevices || !egl.GetPlatformDisplay) return {};
  if (!egl.QueryDevices(static_cast<EglInt>(devices.size()), devices.data(), &count)) return {};
  std::vector<EglDisplay> displays;
  for (EglInt i = 0; i < count; ++i) {
    EglHandle handle = egl.GetPlatformDisplay(kEglPlatformDevice, devices[i], nullptr);
    displays.push_back({"device " + std::to_string(i), handle});
  }
  return displays;
}

std::vector<EglDisplay> CandidateDisplays(const Egl& egl) {
  std::vector<EglDisplay> displays = DeviceDisplays(egl);
  if (const std::string wanted = Environment("MUJOCO_EGL_DEVICE_ID"); !wanted.empty()) {
    std::erase_if(displays,
                  [&](const auto& display) { return display.name != "device " + wanted; });
    if (displays.empty()) throw std::runtime_error("no device is MUJOCO_EGL_DEVICE_ID=" + wanted);
    return displays;
  }
  if (egl.GetPlatformDisplay) {
    displays.push_back(
        {"surfaceless", egl.GetPlatformDisplay(kEglPlatformSurfaceless, nullptr, nullptr)});
  }
  displays.push_back({"default display", egl.GetDisplay(nullptr)});
  return displays;
}

// Called under the lock of MakeGlContext.
std::unique_ptr<GlContext> MakeEglContext() {
  static const Egl egl = LoadEgl();
  static EglHandle chosen = nullptr;  // the display of the process
  if (chosen != nullptr) return std::make_unique<EglContext>(egl, chosen);
  std::string reasons;
  for (const EglDisplay& display : CandidateDisplays(egl)) {
    if (display.handle == nullptr) continue;
    try {
      auto context = std::make_unique<EglContext>(egl, display.handle);
      MakeGlobal(egl.library);
      chosen = display.handle;
      return context;
    } catch (const std::runtime_error& error) {
      reasons += (reasons.empty() ? "" : "; ") + display.name + ": " + error.what();
    }
  }
  throw std::runtime_error(reasons.empty() ? "no display, so no driver is installed" : reasons);
}

// --- OSMesa: Mesa's software renderer without EGL.

constexpr unsigned kRgba = 0x1908;
constexpr unsigned kUnsignedByte = 0x1401;

struct OsMesa {
  Library library;
  void* (*CreateContext)(unsigned format, int depth, int stencil, int accumulation, void* share);
  void (*DestroyContext)(void*);
  unsigned char (*MakeCurrent)(void*, void* pixels, unsigned type, int width, int height);
};

OsMesa LoadOsMesa() {
  OsMesa mesa{};
  mesa.library = OpenFirst({"libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so"});
  Find(mesa.library, "OSMesaCreateContextExt", mesa.CreateContext);
  Find(mesa.library, "OSMesaDestroyContext", mesa.DestroyContext);
  Find(mesa.library, "OSMesaMakeCurrent", mesa.MakeCurrent);
  return mesa;
}

class OsMesaContext final : public GlContext {
 public:
  explicit OsMesaContext(const OsMesa& mesa)
      : mesa_(mesa), context_(mesa.CreateContext(kRgba, 24, 8, 0, nullptr)) {
    if (context_ == nullptr) throw std::runtime_error("OSMesaCreateContextExt failed");
    if (mesa.MakeCurrent(context_, pixel_.data(), kUnsignedByte, 1, 1)) return;
    mesa.DestroyContext(context_);
    throw std::runtime_error("OSMesaMakeCurrent failed");
  }

  ~OsMesaContext() override {
    mesa_.MakeCurrent(nullptr, nullptr, kUnsignedByte, 0, 0);
    mesa_.DestroyContext(context_);
  }

 private:
  const OsMesa& mesa_;
  void* const context_;
  // OSMesa wants a window's pixels, which nobody draws to.
  std::array<std::uint8_t, 4> pixel_{};
};

// Called under the lock of MakeGlContext.
std::unique_ptr<GlContext> MakeOsMesaContext() {
  static const OsMesa mesa = LoadOsMesa();
  auto context = std::make_unique<OsMesaContext>(mesa);
  MakeGlobal(mesa.library);
  return context;
}

// --- The choice.

struct Backend {
  const char* name;     // in messages
  const char* setting;  // of MUJOCO_GL
  std::unique_ptr<GlContext> (*make)();
};

constexpr std::array kBackends = {Backend{"EGL", "egl", MakeEglContext},
                                  Backend{"OSMesa", "osmesa", MakeOsMesaContext}};

// The backends to try. As in MuJoCo's Python package, case and blanks of MUJOCO_GL don't matter.
std::vector<Backend> WantedBackends() {
  std::string wanted;
  for (const unsigned char c : Environment("MUJOCO_GL")) {
    if (!std::isspace(c)) wanted += static_cast<char>(std::tolower(c));
  }
  for (const Backend& backend : kBackends) {
    if (wanted == backend.setting) return {backend};
  }
  return {kBackends.begin(), kBackends.end()};
}

// Says so if only one backend was tried.
std::string SettingHint() {
  if (WantedBackends().size() == kBackends.size()) return "";
  return " (The environment variable MUJOCO_GL=" + Environment("MUJOCO_GL") + " allows no other.)";
}

// A forked child has the drivers' memory and locks, but not their threads, and would wait for them
// for ever. It may draw if its parent never did.
void CheckIsSoleProcess() {
  constinit static std::atomic<pid_t> owner = 0;
  const pid_t self = getpid();
  pid_t found = 0;
  if (owner.compare_exchange_strong(found, self) || found == self) return;
  throw std::runtime_error(
      "MuJoCo can't draw in this process: it was forked from one that had drawn with OpenGL, which "
      "does not survive a fork. Start it with multiprocessing's 'spawn' or 'forkserver', or draw "
      "in the children only");
}

}  // namespace

std::unique_ptr<GlContext> MakeGlContext() {
  CheckIsSoleProcess();
  static std::mutex mutex;
  static std::unique_ptr<GlContext> (*chosen)() = nullptr;
  const std::lock_guard lock(mutex);
  if (chosen != nullptr) return chosen();

  std::string message = "MuJoCo can't draw: there is no offscreen OpenGL.";
  for (const Backend& backend : WantedBackends()) {
    try {
      auto context = backend.make();
      chosen = backend.make;
      return context;
    } catch (const std::runtime_error& error) {
      message += std::string("\n  ") + backend.name + ": " + error.what();
    }
  }
  throw std::runtime_error(message + "\n" + kDrawingAdvice + SettingHint());
}

}  // namespace envpool::mujoco
