#include "mujoco/model.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <new>
#include <span>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "mujoco/engine.h"

namespace envpool::mujoco {

namespace {

namespace fs = std::filesystem;

std::mutex mutex;  // of the two below
std::string asset_folder;
// By path, time of the last change, and size.
using Key = std::tuple<std::string, fs::file_time_type, std::uintmax_t>;
std::map<Key, std::weak_ptr<const mjModel>> models;

fs::path Locate(const std::string& xml_file) {
  if (xml_file.starts_with("~/")) {
    const char* home = std::getenv("HOME");
    return fs::path(home == nullptr ? "" : home) / xml_file.substr(2);
  }
  if (xml_file.starts_with('.') || xml_file.starts_with('/')) return xml_file;
  return fs::path(asset_folder) / xml_file;
}

// Reads a model from XML; null if that fails, and `error` says why. Not mj_loadXML, which compiles
// with threads of its own: a pool has threads enough, and these would live for a millisecond.
mjModel* ParseAndCompile(const char* path, std::span<char> error) {
  mjSpec* spec = mj_parseXML(path, nullptr, error.data(), static_cast<int>(error.size()));
  if (spec == nullptr) return nullptr;
  spec->compiler.usethread = 0;
  mjModel* model = mj_compile(spec, nullptr);
  if (model == nullptr) std::snprintf(error.data(), error.size(), "%s", mjs_getError(spec));
  mj_deleteSpec(spec);
  return model;
}

std::shared_ptr<const mjModel> Compile(const std::string& path) {
  char error[1024] = "";
  mjModel* model = nullptr;
  RunEngine([&] { model = ParseAndCompile(path.c_str(), error); });
  if (model == nullptr) {
    throw std::invalid_argument("xml_file " + path + " is no model for MuJoCo: " + error);
  }
  return {model, [](const mjModel* loaded) { mj_deleteModel(const_cast<mjModel*>(loaded)); }};
}

}  // namespace

void SetAssetFolder(const std::string& folder) {
  const std::lock_guard lock(mutex);
  asset_folder = folder;
}

std::shared_ptr<const mjModel> LoadModel(const std::string& xml_file) {
  const std::lock_guard lock(mutex);
  const fs::path path = Locate(xml_file);
  std::error_code problem;
  const auto changed = fs::last_write_time(path, problem);
  const auto size = problem ? 0 : fs::file_size(path, problem);
  if (problem) {
    throw std::invalid_argument("xml_file " + path.string() + ": " + problem.message());
  }
  std::weak_ptr<const mjModel>& known = models[{path.string(), changed, size}];
  std::shared_ptr<const mjModel> model = known.lock();
  if (model == nullptr) {
    model = Compile(path.string());
    known = model;
    std::erase_if(models, [](const auto& entry) { return entry.second.expired(); });
  }
  return model;
}

Data MakeData(const mjModel& model) {
  mjData* data = nullptr;
  RunEngine([&] { data = mj_makeData(&model); });
  if (data == nullptr) throw std::bad_alloc();
  return Data(data);
}

int FindBody(const mjModel& model, const std::string& name) {
  const bool is_number = !name.empty() && name.size() < 10 &&
                         std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c); });
  const int id = is_number ? std::stoi(name) : mj_name2id(&model, mjOBJ_BODY, name.c_str());
  return id < static_cast<int>(model.nbody) ? id : -1;
}

}  // namespace envpool::mujoco
