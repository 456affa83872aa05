#include "mujoco/compiler.h"

#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include "envpool/hash.h"
#include "mujoco/child_process.h"
#include "mujoco/engine.h"

namespace envpool::mujoco {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::minutes kLongestCompilation{3};

struct DeleteModel {
  void operator()(const mjModel* model) const { mj_deleteModel(const_cast<mjModel*>(model)); }

  std::uint64_t content = 0;
};

// Where the library is that a symbol is in.
fs::path FolderOf(const void* symbol) {
  Dl_info info{};
  if (dladdr(symbol, &info) == 0) throw std::runtime_error("a library is in no file");
  return fs::path(info.dli_fname).parent_path();
}

// With the very library of MuJoCo that this process has.
ChildProcess StartCompiler(const std::string& path) {
  static const char here = 0;
  std::string libraries = FolderOf(reinterpret_cast<const void*>(&mj_loadModelBuffer)).string();
  if (const char* more = std::getenv("LD_LIBRARY_PATH")) libraries += std::string(":") + more;
  return ChildProcess({(FolderOf(&here) / "compile_model").string(), path},
                      {"LD_LIBRARY_PATH=" + libraries});
}

[[noreturn]] void ThrowReason(const std::string& path, const ChildProcess::Written& written) {
  constexpr std::size_t kLongestReason = 1000;
  std::string reason = written.error.substr(0, kLongestReason);
  reason.erase(reason.find_last_not_of("\n ") + 1);
  const auto says = [&reason](const char* text) { return reason.find(text) != std::string::npos; };
  // Of C++, of MuJoCo, and of who loads the program.
  if (says("bad_alloc") || says("allocate memory") || says("failed to map segment")) {
    throw OutOfMemory("xml_file " + path + ": there is too little memory to compile the model");
  }
  if (!reason.empty()) {
    throw std::invalid_argument("xml_file " + path + " is no model for MuJoCo: " + reason);
  }
  throw std::invalid_argument(
      "xml_file " + path + " is no model for MuJoCo, whose compiler ended" +
      (written.signal == 0 ? " without a word" : ": " + std::string(strsignal(written.signal))));
}

}  // namespace

std::shared_ptr<const mjModel> CompileModel(const std::string& path) {
  const auto end = Clock::now() + kLongestCompilation;
  ChildProcess compiler = StartCompiler(path);
  const ChildProcess::Written written = compiler.Await([&] {
    if (Clock::now() < end) return;
    throw std::invalid_argument("xml_file " + path + " is no model for MuJoCo: compiled for " +
                                std::to_string(kLongestCompilation.count()) + " minutes");
  });
  mjModel* model = nullptr;
  if (!written.output.empty()) {
    RunEngine([&] {
      model =
          mj_loadModelBuffer(written.output.data(), static_cast<mjtSize>(written.output.size()));
    });
  }
  if (model == nullptr) ThrowReason(path, written);
  return {model, DeleteModel{HashOfBytes(written.output)}};
}

std::uint64_t ContentOf(const std::shared_ptr<const mjModel>& model) {
  const DeleteModel* const deleter = std::get_deleter<DeleteModel>(model);
  if (deleter == nullptr) throw std::logic_error("the model is not one of CompileModel");
  return deleter->content;
}

}  // namespace envpool::mujoco
