#include "procgen/engine.h"

#include <dlfcn.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "envpool/family.h"
#include "envpool/fork_local.h"
#include "envpool/setting_text.h"

namespace envpool::procgen {

namespace {

constexpr std::int32_t kLibenvVersion = 1;
constexpr const char* kLibrary = "/procgen/data/prebuilt/libenv.so";
constexpr const char* kAssets = "/procgen/data/assets/";  // the engine wants the slash at the end
// Where a handle has its vector of shared pointers to games.
constexpr std::size_t kGames = 88;

SettingText data_folder;

[[maybe_unused]] const bool registered = RegisterSettings(
    {{"data_folder", "", "where the wheel of procgen is unpacked, as envpool has checked it"}},
    [](const Options& settings) { data_folder.Set(settings.Text("data_folder")); });

// Making handles one after the other costs little, and the engine does not say that its making is
// safe beside itself.
std::mutex& MakeMutex() {
  static auto& mutex = *new ForkLocal<std::mutex>();
  return mutex.Get();
}

template <class Function>
void Find(void* library, const char* name, Function*& function) {
  void* const found = dlsym(library, name);
  if (found == nullptr) throw std::runtime_error(std::string("Procgen's engine lacks ") + name);
  function = reinterpret_cast<Function*>(found);
}

LibenvOption ToLibenv(EngineOption& option) {
  LibenvOption result = {};
  option.name.copy(result.name, sizeof(result.name) - 1);
  result.type = option.type;
  const bool is_text = !option.text.empty();
  result.count = is_text ? static_cast<std::int32_t>(option.text.size()) : 1;
  // The first byte of a number is what a flag is: processors that the engine runs on are so.
  result.data = is_text ? static_cast<void*>(option.text.data()) : &option.number;
  return result;
}

// Returns where the library is loaded that this address is in; null if it is in none.
const void* LibraryAt(const void* address) {
  Dl_info library = {};
  return dladdr(address, &library) == 0 ? nullptr : library.dli_fbase;
}

}  // namespace

EngineOption EngineOption::Number(std::string name, std::int64_t value) {
  return {.name = std::move(name), .number = static_cast<std::int32_t>(value)};
}

EngineOption EngineOption::Flag(std::string name, bool value) {
  return {.name = std::move(name), .type = OptionType::kUInt8, .number = value};
}

EngineOption EngineOption::Text(std::string name, std::string value) {
  return {.name = std::move(name), .type = OptionType::kUInt8, .text = std::move(value)};
}

// The library stays for as long as the process: it has destructors of its own that run at its end.
Engine::Engine(const std::string& folder) : asset_folder_(folder + kAssets) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(folder + kLibrary, ignored)) {
    throw std::runtime_error("the engine of Procgen's games is not there, in " + folder +
                             ": python -m envpool fetch procgen");
  }
  void* const library = dlopen((folder + kLibrary).c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    const std::string problem = dlerror();
    const bool lacks_glib =
        problem.find("glib") != std::string::npos || problem.find("gthread") != std::string::npos;
    throw std::runtime_error("Procgen's engine does not load: " + problem +
                             (lacks_glib ? ": apt install libglib2.0-0" : ""));
  }
  Find(library, "libenv_version", functions_.version);
  if (const std::int32_t version = functions_.version(); version != kLibenvVersion) {
    throw std::runtime_error("Procgen's engine has version " + std::to_string(version) +
                             " of libenv, expected " + std::to_string(kLibenvVersion));
  }
  Find(library, "libenv_make", functions_.make);
  Find(library, "libenv_set_buffers", functions_.set_buffers);
  Find(library, "libenv_observe", functions_.observe);
  Find(library, "libenv_act", functions_.act);
  Find(library, "libenv_close", functions_.close);
  Find(library, "get_state", functions_.get_state);
  Find(library, "set_state", functions_.set_state);
}

const Engine& Engine::Get() {
  // There is no lock, which might be held for ever in a forked child: of two threads that are the
  // first ones, both load the library, which is the same for both.
  static std::atomic<const Engine*> loaded = nullptr;
  const Engine* found = loaded.load();
  if (found == nullptr) {
    std::unique_ptr<const Engine> made(new Engine(data_folder.Get()));
    if (loaded.compare_exchange_strong(found, made.get())) found = made.release();
  }
  return *found;
}

Handle* Engine::Make(std::vector<EngineOption> options) const {
  options.push_back(EngineOption::Text("resource_root", asset_folder_));
  std::vector<LibenvOption> items;
  for (EngineOption& option : options) items.push_back(ToLibenv(option));
  const std::lock_guard lock(MakeMutex());
  return functions_.make(1, {items.data(), static_cast<std::int32_t>(items.size())});
}

std::byte* Engine::GameOf(Handle* handle) {
  std::byte* const* games = nullptr;
  std::memcpy(&games, static_cast<const std::byte*>(handle) + kGames, sizeof(games));
  return *games;
}

bool Engine::Contains(const void* begin, std::size_t bytes) const {
  const void* const own = LibraryAt(reinterpret_cast<const void*>(functions_.make));
  const void* const last = static_cast<const std::byte*>(begin) + bytes - 1;
  return own != nullptr && LibraryAt(begin) == own && LibraryAt(last) == own;
}

}  // namespace envpool::procgen
