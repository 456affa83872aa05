#include "mujoco/model.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "envpool/fork_local.h"
#include "envpool/setting_text.h"
#include "mujoco/compiler.h"

namespace envpool::mujoco {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestFile = std::uintmax_t{256} << 20U;  // bytes of XML

// By path, time of the last change, and size.
using Key = std::tuple<std::string, fs::file_time_type, std::uintmax_t>;

// The models that somebody has, and the last one that somebody asked for: whoever asks for its spec
// is about to make environments of it. Compiling is not among what the lock guards: who wants the
// same model meanwhile compiles it, too, and waits for nobody.
template <class Key>
struct Cache {
  std::mutex mutex;
  std::map<Key, std::weak_ptr<const mjModel>> models;
  std::shared_ptr<const mjModel> last;

  std::shared_ptr<const mjModel> Find(const Key& key) {
    const std::lock_guard lock(mutex);
    const auto found = models.find(key);
    return found == models.end() ? nullptr : found->second.lock();
  }

  // Returns the one that was there before, if there is one.
  std::shared_ptr<const mjModel> Add(const Key& key, std::shared_ptr<const mjModel> model) {
    const std::lock_guard lock(mutex);
    std::erase_if(models, [](const auto& entry) { return entry.second.expired(); });
    const auto [entry, is_new] = models.try_emplace(key, model);
    if (is_new) return model;
    // Expires only once nobody has it any more, perhaps right now.
    std::shared_ptr<const mjModel> before = entry->second.lock();
    if (before == nullptr) entry->second = before = std::move(model);
    return before;
  }

  void Keep(std::shared_ptr<const mjModel> model) {
    const std::lock_guard lock(mutex);
    last.swap(model);
  }
};

// The model of this key; made by `compile` if nobody has it.
template <class Key, class Compile>
std::shared_ptr<const mjModel> FindOrCompile(Cache<Key>& known, const Key& key,
                                             const Compile& compile) {
  std::shared_ptr<const mjModel> model = known.Find(key);
  if (model == nullptr) model = known.Add(key, compile());
  known.Keep(model);
  return model;
}

ForkLocal<Cache<Key>> files;
ForkLocal<Cache<ModelText>> texts;

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
Key KeyOf(const fs::path& path) {
  std::error_code problem;
  const auto refuse = [&path](const std::string& reason) {
    throw std::invalid_argument("xml_file " + path.string() + ": " + reason);
  };
  const fs::file_status status = fs::status(path, problem);
  if (problem) refuse(problem.message());
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
  const Key key = KeyOf(Locate(xml_file));
  return FindOrCompile(files.Get(), key, [&key] { return CompileModel(std::get<0>(key)); });
}

std::shared_ptr<const mjModel> LoadModel(const ModelText& text) {
  return FindOrCompile(texts.Get(), text, [&text] { return CompileModel(text); });
}

}  // namespace envpool::mujoco
