#include "mujoco/model.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "envpool/fork_local.h"
#include "envpool/setting_text.h"
#include "mujoco/compiler.h"
#include "mujoco/shared_cache.h"

namespace envpool::mujoco {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestFile = std::uintmax_t{256} << 20U;  // bytes of XML

// By path, time of the last change, and size.
using FileKey = std::tuple<std::string, fs::file_time_type, std::uintmax_t>;

// The latest model is kept: who asks for a model's spec is about to make environments of it.
ForkLocal<SharedCache<FileKey, const mjModel>> files;
ForkLocal<SharedCache<ModelText, const mjModel>> texts;

SettingText asset_folder;

fs::path Locate(const std::string& xml_file) {
  if (xml_file.starts_with("~/")) {
    const char* home = std::getenv("HOME");
    return fs::path(home == nullptr ? "" : home) / xml_file.substr(2);
  }
  if (xml_file.starts_with('.') || xml_file.starts_with('/')) return xml_file;
  return fs::path(asset_folder.Get()) / xml_file;
}

// Throws std::invalid_argument unless it is a file that can be read to its end.
FileKey KeyOf(const std::string& xml_file) {
  const fs::path path = Locate(xml_file);
  std::error_code problem;
  const auto refuse = [&path](const std::string& reason) {
    throw std::invalid_argument("xml_file " + path.string() + ": " + reason);
  };
  const fs::file_status status = fs::status(path, problem);
  if (problem) {
    std::error_code ignored;  // of a file of that name in the current folder
    const bool is_here = path != xml_file && fs::exists(xml_file, ignored);
    refuse(problem.message() + (is_here ? "; did you mean './" + xml_file + "'?" : ""));
  }
  if (!fs::is_regular_file(status)) refuse("is no file, but a folder or a device, say");
  const auto changed = fs::last_write_time(path, problem);
  if (problem) refuse(problem.message());
  const std::uintmax_t size = fs::file_size(path, problem);
  if (problem) refuse(problem.message());
  if (size > kLargestFile) {
    refuse("has " + std::to_string(size) + " bytes, expected at most " +
           std::to_string(kLargestFile));
  }
  return {path.string(), changed, size};
}

}  // namespace

void SetAssetFolder(const std::string& folder) { asset_folder.Set(folder); }

std::shared_ptr<const mjModel> LoadModel(const std::string& xml_file) {
  if (xml_file.find('\0') != std::string::npos) {
    throw std::invalid_argument("xml_file has a null character");
  }
  const FileKey key = KeyOf(xml_file);
  return files.Get().Get(key, [&key] { return CompileModel(std::get<0>(key)); });
}

std::shared_ptr<const mjModel> LoadModel(const ModelText& text) {
  return texts.Get().Get(text, [&text] { return CompileModel(text); });
}

}  // namespace envpool::mujoco
