#include "vizdoom/doom_game.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

namespace envpool::vizdoom {

namespace {

void RequireFile(const std::string& path, const std::string& what) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {
    throw std::invalid_argument(what + " is '" + path + "', and there is no such file");
  }
}

}  // namespace

DoomGame::DoomGame(const GameConfig& config)
    : library_(DoomLibrary::Get()), game_(std::make_unique<Doom>()) {
  RequireFile(config.config_path, "cfg_path");
  if (!config.scenario_path.empty()) RequireFile(config.scenario_path, "wad_path");
  library_.construct(game_.get());
  Doom* const game = game_.get();
  try {
    library_.set_engine_path(game, config.engine_path);
    library_.set_game_path(game, config.game_path);
    library_.load_config(game, config.config_path);
    library_.set_window_visible(game, false);
    library_.add_arguments(game, config.arguments);
    library_.set_mode(game, DoomMode::kPlayer);
    library_.set_timeout(game, config.timeout);
    if (!config.scenario_path.empty()) library_.set_scenario_path(game, config.scenario_path);
    library_.set_map(game, config.map);
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

// Ends the process, if there is one.
DoomGame::~DoomGame() {
  try {
    library_.close(game_.get());
  } catch (...) {  // it has ended by itself
  }
  library_.destroy(game_.get());
}

void DoomGame::AddVariable(Variable variable) {
  library_.add_variable(game_.get(), variable);
  variables_ = library_.variables(game_.get());
}

void DoomGame::Start(unsigned seed) {
  library_.set_seed(game_.get(), seed);
  library_.init(game_.get());
  is_running_ = true;
}

void DoomGame::NewEpisode(const std::string& recording) {
  library_.new_episode(game_.get(), recording);
}

void DoomGame::Advance(const std::vector<double>& action, unsigned tics) {
  library_.set_action(game_.get(), action);
  library_.advance(game_.get(), tics, true);
}

}  // namespace envpool::vizdoom
