// compile_model FILE: compiles a model of MuJoCo, or reads one that mj_saveModel has written
// (FILE.mjb), and writes it to the standard output, as mj_saveModel does. If that fails, a line of
// the standard error says why.
//
// compile_model --virtual NAME=FILE...: the same for the first of these files, which finds the
// others by their names, and nothing else.
//
// A program of its own, because a file can do anything to MuJoCo's compiler: let it run for hours,
// take all memory, crash, or throw an exception that ends the process. See compiler.h.
#include <mujoco/mujoco.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "mujoco/platform/platform.h"

namespace {

constexpr rlim_t kMostMemory = rlim_t{8} << 30U;  // bytes, for the compiler
constexpr long long kMostNumbers = 1'000'000;     // of what <size> counts

[[noreturn]] void Fail(const char* reason) {
  std::fprintf(stderr, "%s\n", reason);
  std::_Exit(EXIT_FAILURE);
}

void HandleMessage(const mjLogMessage* message) {
  if (message->level == mjLOG_ERROR) Fail(message->subject);
}

// glibc's C++ has a type of its own for these.
using Resource = decltype(RLIMIT_CORE);

void Limit(Resource resource, rlim_t most) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0) return;
  if (limit.rlim_max > most) limit.rlim_max = most;
  if (limit.rlim_cur > most) limit.rlim_cur = most;
  setrlimit(resource, &limit);
}

// Harms nobody, however it ends.
void Confine() {
  std::signal(SIGINT, SIG_IGN);  // Ctrl-C is for the process that waits for this one
  envpool::mujoco::EndBeforeOthers();
  Limit(RLIMIT_CORE, 0);
  Limit(RLIMIT_DATA, kMostMemory);
}

void CheckSize(const char* attribute, long long value, long long most) {
  if (value <= most) return;
  char reason[200];
  std::snprintf(reason, sizeof(reason), "<size %s=\"%lld\"/>, expected at most %lld", attribute,
                value, most);
  Fail(reason);
}

void CheckSizes(const mjSpec& spec) {
  CheckSize("nuserdata", spec.nuserdata, kMostNumbers);
  CheckSize("nkey", spec.nkey, kMostNumbers);
  CheckSize("njmax", spec.njmax, kMostNumbers);
  CheckSize("nconmax", spec.nconmax, kMostNumbers);
  CheckSize("nstack", spec.nstack, kMostMemory / sizeof(mjtNum));
  CheckSize("memory", spec.memory, kMostMemory);
  CheckSize("nuser_body", spec.nuser_body, kMostNumbers);
  CheckSize("nuser_jnt", spec.nuser_jnt, kMostNumbers);
  CheckSize("nuser_geom", spec.nuser_geom, kMostNumbers);
  CheckSize("nuser_site", spec.nuser_site, kMostNumbers);
  CheckSize("nuser_cam", spec.nuser_cam, kMostNumbers);
  CheckSize("nuser_tendon", spec.nuser_tendon, kMostNumbers);
  CheckSize("nuser_actuator", spec.nuser_actuator, kMostNumbers);
  CheckSize("nuser_sensor", spec.nuser_sensor, kMostNumbers);
}

// Simulations divide by it, and so do the frames per second of videos.
void CheckTimestep(double timestep) {
  if (timestep >= mjMINVAL && timestep <= mjMAXVAL) return;
  char reason[200];
  std::snprintf(reason, sizeof(reason),
                "<option timestep=\"%g\"/>, expected a number from %g to %g", timestep, mjMINVAL,
                mjMAXVAL);
  Fail(reason);
}

std::string Read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  if (!file) Fail((std::string("cannot read ") + path).c_str());
  return bytes;
}

// The files NAME=FILE of the arguments.
class VirtualFolder {
 public:
  VirtualFolder(int count, char** arguments) {
    mj_defaultVFS(&files_);
    for (int i = 0; i < count; ++i) {
      char* const equals = std::strchr(arguments[i], '=');
      if (equals == nullptr) Fail("expected NAME=FILE");
      *equals = '\0';  // ends the name
      const char* const path = equals + 1;
      const std::string bytes = Read(path);
      const int size = static_cast<int>(bytes.size());
      if (mj_addBufferVFS(&files_, arguments[i], bytes.data(), size) != 0) {
        Fail("two files have one name");
      }
    }
  }

  const mjVFS* Files() const { return &files_; }

 private:
  mjVFS files_;
};

// Not mj_loadXML, which compiles with threads that would live for a millisecond.
mjModel* Compile(const char* path, const mjVFS* files) {
  char error[1024] = "";
  mjSpec* spec = mj_parseXML(path, files, error, sizeof(error));
  if (spec == nullptr) Fail(error);
  CheckSizes(*spec);
  spec->compiler.usethread = 0;
  mjModel* model = mj_compile(spec, files);
  if (model == nullptr) Fail(mjs_getError(spec));
  CheckTimestep(model->opt.timestep);
  return model;
}

mjModel* ReadCompiled(const char* path) {
  mjModel* model = mj_loadModel(path, nullptr);
  if (model == nullptr) Fail("it was not written by mj_saveModel of this version");
  CheckTimestep(model->opt.timestep);
  return model;
}

mjModel* CompileArguments(int count, char** arguments) {
  if (count == 1 && std::string_view(arguments[0]).ends_with(".mjb")) {
    return ReadCompiled(arguments[0]);
  }
  if (count == 1) return Compile(arguments[0], nullptr);
  if (std::strcmp(arguments[0], "--virtual") != 0) Fail("expected one file, or --virtual");
  const VirtualFolder folder(count - 1, arguments + 1);
  return Compile(arguments[1], folder.Files());
}

}  // namespace

int main(int argc, char** argv) {
  Confine();
  if (argc < 2) Fail("expected the name of a file");
  mju_setLogHandler(HandleMessage);
  const mjModel* model = CompileArguments(argc - 1, argv + 1);
  const mjtSize size = mj_sizeModel(model);
  void* const bytes = std::malloc(static_cast<std::size_t>(size));
  if (bytes == nullptr) Fail("Could not allocate memory");
  mj_saveModel(model, nullptr, bytes, size);
  if (std::fwrite(bytes, 1, static_cast<std::size_t>(size), stdout) !=
          static_cast<std::size_t>(size) ||
      std::fflush(stdout) != 0) {
    Fail("the model could not be written");
  }
  std::_Exit(EXIT_SUCCESS);  // the system frees all of it at once
}
