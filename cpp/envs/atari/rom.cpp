#include "atari/rom.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "atari/md5.h"
#include "envpool/family.h"
#include "envpool/setting_text.h"

namespace envpool::atari {

namespace {

SettingText default_folder;

std::filesystem::path RomFolder() {
  const char* given = std::getenv("ALE_ROMS_DIR");
  if (given != nullptr && *given != '\0') return given;
  return default_folder.Get();
}

[[maybe_unused]] const bool registered = RegisterSettings(
    {{"rom_folder", "", "where ROMs are unless ALE_ROMS_DIR says so; empty if nowhere"}},
    [](const Options& settings) { default_folder.Set(settings.Text("rom_folder")); });

using Content = std::vector<std::uint8_t>;
using SharedRom = std::shared_ptr<const atari2600::Rom>;

std::filesystem::path FileOf(const Game& game) {
  const std::filesystem::path folder = RomFolder();
  const std::string problem = "the ROM of the game " + game.name + " is missing: ";
  if (folder.empty()) {
    throw std::runtime_error(problem + "pip install \"envpool-next[atari]\", or set ALE_ROMS_DIR");
  }
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    throw std::runtime_error(problem + folder.string() + " is no folder");
  }
  std::filesystem::path path = folder / (game.name + ".bin");
  if (!std::filesystem::is_regular_file(path, ignored)) {
    throw std::runtime_error(problem + "there is no file " + path.string());
  }
  return path;
}

Content Read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  Content bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file || bytes.empty()) throw std::runtime_error(path.string() + " cannot be read");
  return bytes;
}

// ROMs that were once read stay, because they are few. There is no lock, which might be held for
// ever in a forked child: of two threads that are the first ones, both make the ROM.
SharedRom Share(const Game& game, const Content& bytes) {
  static auto& loaded = *new std::vector<std::atomic<const SharedRom*>>(AllGames().size());
  auto& place = loaded[static_cast<std::size_t>(&game - AllGames().data())];
  const SharedRom* found = place.load();
  if (found == nullptr) {
    auto made = std::make_unique<const SharedRom>(atari2600::Rom::Load(bytes, game.cartridge));
    if (place.compare_exchange_strong(found, made.get())) found = made.release();
  }
  return *found;
}

}  // namespace

SharedRom LoadRom(const Game& game) {
  const std::filesystem::path path = FileOf(game);
  const Content bytes = Read(path);
  const std::string found = Md5Of(bytes);
  if (found != game.md5) {
    throw std::runtime_error(path.string() + " is not the ROM that ALE supports as " + game.name +
                             ": its MD5 is " + found + ", expected " + game.md5);
  }
  return Share(game, bytes);
}

}  // namespace envpool::atari
