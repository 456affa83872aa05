#include "mujoco/compiler.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "envpool/hash.h"
#include "mujoco/child_process.h"
#include "mujoco/engine.h"
#include "mujoco/platform/platform.h"

namespace envpool::mujoco {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::minutes kLongestCompilation{3};

struct DeleteModel {
  void operator()(const mjModel* model) const { mj_deleteModel(const_cast<mjModel*>(model)); }

  std::uint64_t content = 0;
};

// Returns the folder of the library that a symbol is in.
fs::path FolderOf(const void* symbol) {
  Dl_info info{};
  if (dladdr(symbol, &info) == 0) throw std::runtime_error("a library is in no file");
  return fs::path(info.dli_fname).parent_path();
}

// A text as a file, which other processes of this user open by its path.
class TextFile {
 public:
  explicit TextFile(const std::string& text) : descriptor_(OpenTemporaryFile()) {
    if (descriptor_ < 0) Throw("a temporary file");
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t written = write(descriptor_, text.data() + done, text.size() - done);
      if (written < 0 && errno != EINTR) {
        const int error = errno;
        CloseTemporaryFile(descriptor_);
        errno = error;
        Throw("write");
      }
      if (written > 0) done += static_cast<std::size_t>(written);
    }
  }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  ~TextFile() { CloseTemporaryFile(descriptor_); }

  std::string Path() const { return PathOf(descriptor_); }

 private:
  [[noreturn]] static void Throw(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
  }

  const int descriptor_;
};

// With the very library of MuJoCo that this process has.
ChildProcess StartCompiler(std::vector<std::string> arguments) {
  static const char here = 0;
  std::string libraries = FolderOf(reinterpret_cast<const void*>(&mj_loadModelBuffer)).string();
  if (const char* more = std::getenv(kLibraryPath)) libraries += std::string(":") + more;
  const std::string name = std::string("compile_model-") + mj_versionString();
  const std::string program = (FolderOf(&here) / name).string();
  if (access(program.c_str(), X_OK) != 0 && errno == EACCES) {  // a wheel that was packed anew, say
    throw std::runtime_error(program + " is not executable: chmod +x " + program);
  }
  arguments.insert(arguments.begin(), program);
  return ChildProcess(arguments, {kLibraryPath + ("=" + libraries)});
}

[[noreturn]] void ThrowReason(const std::string& model, const ChildProcess::Written& written) {
  constexpr std::size_t kLongestReason = 1000;
  std::string reason = written.error.substr(0, kLongestReason);
  reason.erase(reason.find_last_not_of("\n ") + 1);
  const auto says = [&reason](const char* text) { return reason.find(text) != std::string::npos; };
  // The messages of C++, of MuJoCo, and of the dynamic linker.
  if (says("bad_alloc") || says("allocate memory") || says("failed to map segment")) {
    throw OutOfMemory(model + ": there is too little memory to compile the model");
  }
  if (!reason.empty()) {
    throw std::invalid_argument(model + " is no model for MuJoCo: " + reason);
  }
  throw std::invalid_argument(
      model + " is no model for MuJoCo, whose compiler ended" +
      (written.signal == 0 ? " without a word" : ": " + std::string(strsignal(written.signal))));
}

// What the compiler makes of these arguments; `name` is what messages call the model.
std::shared_ptr<const mjModel> Compile(std::vector<std::string> arguments,
                                       const std::string& name) {
  const auto end = Clock::now() + kLongestCompilation;
  ChildProcess compiler = StartCompiler(std::move(arguments));
  const ChildProcess::Written written = compiler.Await([&] {
    if (Clock::now() < end) return;
    throw std::invalid_argument(name + " is no model for MuJoCo: compiled for " +
                                std::to_string(kLongestCompilation.count()) + " minutes");
  });
  mjModel* model = nullptr;
  if (!written.output.empty()) {
    RunEngine([&] {
      model =
          mj_loadModelBuffer(written.output.data(), static_cast<mjtSize>(written.output.size()));
    });
  }
  if (model == nullptr) ThrowReason(name, written);
  return {model, DeleteModel{HashOfBytes(written.output)}};
}

}  // namespace

std::shared_ptr<const mjModel> CompileModel(const std::string& path) {
  return Compile({path}, "xml_file " + path);
}

std::shared_ptr<const mjModel> CompileModel(const ModelText& text) {
  const TextFile xml(text.xml);
  std::vector<std::string> arguments = {"--virtual", "model_.xml=" + xml.Path()};
  for (const auto& [name, path] : text.files) {
    arguments.push_back(std::string(name).append("=").append(path));
  }
  return Compile(std::move(arguments), text.name);
}

std::string ContentOf(const std::shared_ptr<const mjModel>& model) {
  const DeleteModel* const deleter = std::get_deleter<DeleteModel>(model);
  if (deleter == nullptr) throw std::logic_error("the model is not one of CompileModel");
  std::ostringstream text;
  text << std::hex << deleter->content << " in MuJoCo " << mj_versionString();
  return text.str();
}

}  // namespace envpool::mujoco
