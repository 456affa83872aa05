#include "vizdoom/doom_game.h"

#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

#include "vizdoom/launcher.h"
#include "vizdoom/paths.h"
#include "vizdoom/starting_engine.h"
#include "vizdoom/wad.h"

namespace envpool::vizdoom {

namespace {

// What an engine and the library share, beside screens: the state, and messages.
constexpr std::size_t kSharedBytes = 512 * 1024;
constexpr std::size_t kScreens = 2;

void RequireFile(const std::string& path, const std::string& what) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {
    throw std::invalid_argument(what + " is '" + path + "', and there is no such file");
  }
}

std::string Absolute(const std::string& path) { return std::filesystem::absolute(path).string(); }

// What the library and its engine share stays theirs without names, by which it would stay for ever
// if this process were killed.
void Unlink(const std::string& instance_id) {
  for (const char* const kind : {"ViZDoomMQCtr", "ViZDoomMQDoom", "ViZDoomSM"}) {
    shm_unlink(("/" + (kind + instance_id)).c_str());
  }
}

}  // namespace

DoomGame::DoomGame(const GameConfig& config)
    : library_(DoomLibrary::Get()), game_(std::make_unique<Doom>()) {
  RequireFile(config.config_path, "cfg_path");
  RequireFile(config.engine_path, "vzd_path");
  RequireWad(config.game_path, "iwad_path");
  if (!config.scenario_path.empty()) RequireWad(config.scenario_path, "wad_path");
  if (!config.map.empty()) RequireMap(config.map, {config.scenario_path, config.game_path});
  Doom* const game = game_.get();
  library_.construct(game);
  try {
    library_.set_engine_path(game, LauncherPath());
    library_.set_game_path(game, Absolute(config.game_path));
    library_.set_settings_path(game, "/dev/null");  // not a file in the working directory
    library_.load_config(game, config.config_path);
    library_.set_window_visible(game, false);
    library_.add_arguments(game, config.arguments);
    for (const std::string& argument :
         {std::string(kLaunch), std::to_string(getpid()), Absolute(config.engine_path)}) {
      library_.add_argument(game->controller, argument);
    }
    library_.set_mode(game, DoomMode::kPlayer);
    if (config.timeout) library_.set_timeout(game, *config.timeout);
    if (!config.scenario_path.empty())
      library_.set_scenario_path(game, Absolute(config.scenario_path));
    if (!config.map.empty()) library_.set_map(game, config.map);
    buttons_ = library_.buttons(game);
    variables_ = library_.variables(game);
    if (buttons_.empty()) {
      throw std::invalid_argument(config.config_path + " has no available_buttons");
    }
  } catch (...) {
    library_.destroy(game);
    throw;
  }
}

DoomGame::~DoomGame() {
  Close();
  library_.destroy(game_.get());
}

void DoomGame::AddVariable(Variable variable) {
  library_.add_variable(game_.get(), variable);
  variables_ = library_.variables(game_.get());
}

void DoomGame::SetButtons(const std::vector<Button>& buttons) {
  library_.set_buttons(game_.get(), buttons);
  buttons_ = library_.buttons(game_.get());
}

void DoomGame::SetBuffers(int tics) {
  library_.set_audio_tics(game_.get(), tics);
  library_.set_notification_tics(game_.get(), tics);
}

void DoomGame::Start() {
  const auto screen = static_cast<std::size_t>(Width() * Height() * Channels());
  const StartingEngine starting(kSharedBytes + kScreens * screen);
  library_.ExpectNoState(game_->controller);
  try {
    library_.init(game_.get());
  } catch (const std::exception& error) {
    throw std::runtime_error(std::string("ViZDoom's engine has not started: ") + error.what() +
                             " (what the engine itself says of it is on stderr)");
  }
  Unlink(library_.instance_id(game_->controller));
}

void DoomGame::SeekEpisode(unsigned seed, std::int64_t number) {
  library_.set_seed(game_.get(), seed);
  for (std::int64_t i = 0; i < number; ++i) library_.next_engine_seed(game_->controller);
}

void DoomGame::Close() {
  try {
    library_.close(game_.get());
  } catch (...) {  // it has ended by itself
  }
}

void DoomGame::Advance(const std::vector<double>& action, unsigned tics) {
  library_.set_action(game_.get(), action);
  library_.advance(game_.get(), tics, true);
}

}  // namespace envpool::vizdoom
