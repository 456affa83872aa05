#include "atari/rom.h"

#include <ale/emucore/MD5.hxx>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "atari/game.h"
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

std::string Md5Of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<std::uint8_t> bytes((std::istreambuf_iterator<char>(file)),
                                        std::istreambuf_iterator<char>());
  if (!file || bytes.empty()) throw std::runtime_error(path.string() + " cannot be read");
  return ale::stella::MD5(bytes.data(), static_cast<std::uint32_t>(bytes.size()));
}

}  // namespace

std::string RomOf(const std::string& game) {
  const std::filesystem::path folder = RomFolder();
  const std::string problem = "the ROM of the game " + game + " is missing: ";
  if (folder.empty()) {
    throw std::runtime_error(problem + "pip install \"envpool-next[atari]\", or set ALE_ROMS_DIR");
  }
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    throw std::runtime_error(problem + folder.string() + " is no folder");
  }
  const std::filesystem::path path = folder / (game + ".bin");
  if (!std::filesystem::is_regular_file(path, ignored)) {
    throw std::runtime_error(problem + "there is no file " + path.string());
  }
  const std::string expected = RulesOf(game)->md5();
  const std::string found = Md5Of(path);
  if (found != expected) {
    throw std::runtime_error(path.string() + " is not the ROM that ALE supports as " + game +
                             ": its MD5 is " + found + ", expected " + expected);
  }
  return path.string();
}

}  // namespace envpool::atari
