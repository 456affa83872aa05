#include "vizdoom/doom_game.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "envpool/hash.h"
#include "vizdoom/launcher.h"
#include "vizdoom/names.h"
#include "vizdoom/paths.h"
#include "vizdoom/starting_engine.h"
#include "vizdoom/wad.h"

namespace envpool::vizdoom {

namespace {

// What an engine and the library share beside pictures and sound: the engine's state, and messages.
constexpr std::size_t kSharedBytes = 128 * 1024;

// The working folder may be another one when an engine starts.
void MakeAbsolute(std::string& path) {
  if (!path.empty()) path = std::filesystem::absolute(path).string();
}

// What the library and its engine share stays theirs without names, by which it would stay for ever
// if this process were killed.
void Unlink(const std::string& instance_id) {
  for (const char* const kind : {"ViZDoomMQCtr", "ViZDoomMQDoom", "ViZDoomSM"}) {
    shm_unlink(("/" + (kind + instance_id)).c_str());
  }
}

std::uint64_t HashOfFile(const std::string& path, std::uint64_t before) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return HashOfBytes(bytes, before);
}

}  // namespace

DoomGame::DoomGame(const GameConfig& config) : library_(DoomLibrary::Get()), config_(config) {
  for (std::string* const path :
       {&config_.config_path, &config_.scenario_path, &config_.engine_path, &config_.game_path}) {
    MakeAbsolute(*path);
  }
  RequireFile(config_.config_path, "cfg_path");
  RequireFile(config.engine_path, "vzd_path");
  Make();
}

// Makes the library's game, in the place of an earlier one.
void DoomGame::Make() {
  std::unique_ptr<Doom> earlier = std::exchange(game_, std::make_unique<Doom>());
  library_.construct(game_.get());
  try {
    SetUp();
  } catch (...) {
    library_.destroy(game_.get());
    game_ = std::move(earlier);
    throw;
  }
  if (earlier) library_.destroy(earlier.get());
}

// What is given comes after the configuration, which may say the same things.
void DoomGame::SetPaths() {
  Doom* const game = game_.get();
  library_.set_game_path(game, FreedoomPath());
  if (!library_.load_config(game, config_.config_path)) {
    throw std::invalid_argument("cfg_path: " + config_.config_path +
                                " has lines that ViZDoom does not know (it has named them on " +
                                "stderr)");
  }
  library_.set_engine_path(game, LauncherPath());
  library_.set_settings_path(game, "/dev/null");  // not a file in the working directory
  if (!config_.game_path.empty()) library_.set_game_path(game, config_.game_path);
  if (!config_.scenario_path.empty()) library_.set_scenario_path(game, config_.scenario_path);
  if (!config_.map.empty()) library_.set_map(game, config_.map);
  const std::string game_path = library_.game_path(game->controller);
  const std::string scenario_path = library_.scenario_path(game->controller);
  RequireWad(game_path, "iwad_path");
  if (!scenario_path.empty()) RequireWad(scenario_path, "wad_path");
  RequireMap(library_.map(game->controller), {scenario_path, game_path});
}

void DoomGame::SetUp() {
  constexpr std::size_t kLeastWidth = 320;
  Doom* const game = game_.get();
  SetPaths();
  library_.set_window_visible(game, false);
  library_.set_mode(game, DoomMode::kPlayer);
  library_.add_arguments(game, config_.arguments);
  for (const std::string& argument :
       {std::string(kLaunch), std::to_string(getpid()), config_.engine_path}) {
    library_.add_argument(game->controller, argument);
  }
  if (config_.timeout) library_.set_timeout(game, *config_.timeout);
  if (Format() != ScreenFormat::kGrey) library_.set_screen_format(game, config_.format);
  configured_size_ = ScreenSize();
  if (config_.is_enlarged && configured_size_.width < kLeastWidth) {
    library_.set_resolution(game, Resolution::k320x240);
  }
  for (const Variable variable : config_.variables) library_.add_variable(game, variable);
  variables_ = library_.variables(game);
  if (config_.buffered_tics) {
    library_.set_audio_tics(game, *config_.buffered_tics);
    library_.set_notification_tics(game, *config_.buffered_tics);
  }
  buttons_ = library_.buttons(game);
  if (buttons_.empty()) {
    throw std::invalid_argument("cfg_path: " + config_.config_path + " has no available_buttons");
  }
  if (config_.has_deltas_first) {
    std::vector<Button> ordered;
    std::ranges::copy_if(buttons_, std::back_inserter(ordered), IsDelta);
    std::ranges::remove_copy_if(buttons_, std::back_inserter(ordered), IsDelta);
    buttons_ = std::move(ordered);
    library_.set_buttons(game, buttons_);
  }
}

DoomGame::~DoomGame() {
  Close();
  library_.destroy(game_.get());
}

PlaneSize DoomGame::ScreenSize() const {
  return {.height = static_cast<std::size_t>(library_.screen_height(game_.get())),
          .width = static_cast<std::size_t>(library_.screen_width(game_.get()))};
}

void DoomGame::Begin(unsigned seed, std::int64_t number, const std::string& recording) {
  Seek(seed, number);
  if (!BeginNext(recording)) {
    // The library remembers what it was doing when its engine ended, and would wait for it.
    if (is_started_) Make();
    Seek(seed, number);
    Start();  // in this episode
    if (!recording.empty()) {
      Seek(seed, number);
      library_.new_episode(game_.get(), recording);
    }
  }
  if (!State()) throw std::runtime_error("ViZDoom's episode is over before it begins");
}

// Returns false if no engine runs, or if it has ended since it was last heard of.
bool DoomGame::BeginNext(const std::string& recording) {
  if (!IsRunning()) return false;
  try {
    library_.new_episode(game_.get(), recording);
  } catch (const std::exception&) {
    if (IsRunning()) throw;
    return false;
  }
  return true;
}

// Episodes follow from seeds of their own, which the library draws one after the other.
void DoomGame::Seek(unsigned seed, std::int64_t number) {
  library_.set_seed(game_.get(), seed);
  for (std::int64_t i = 0; i < number; ++i) library_.next_engine_seed(game_->controller);
}

void DoomGame::Start() {
  is_started_ = true;
  const StartingEngine starting(SharedBytes());
  library_.ExpectNoState(game_->controller);
  try {
    library_.init(game_.get());
  } catch (const std::exception& error) {
    const std::string why =
        starting.IsSlow() ? kNoMore : "what the engine itself says of it is on stderr";
    throw std::runtime_error(std::string("ViZDoom's engine has not started: ") + error.what() +
                             " (" + why + ")");
  }
  Unlink(library_.instance_id(game_->controller));
  TellOfStarts();
}

std::size_t DoomGame::SharedBytes() const {
  Doom* const game = game_.get();
  const std::size_t channels = static_cast<std::size_t>(Channels()) + library_.has_depth(game) +
                               library_.has_labels(game) + 3 * library_.has_automap(game);
  const std::size_t second = HasAudio() ? 4 * static_cast<std::size_t>(AudioRate()) : 0;
  return kSharedBytes + ScreenSize().Pixels() * channels + second / kTicsPerSecond;
}

void DoomGame::Close() {
  is_started_ = is_started_ && !IsRunning();
  try {
    library_.close(game_.get());
  } catch (...) {  // it has ended by itself
  }
}

void DoomGame::Advance(const std::vector<double>& action, unsigned tics) {
  library_.set_action(game_.get(), action);
  library_.advance(game_.get(), tics, true);
}

std::uint64_t DoomGame::HashOfFiles() const {
  const std::uint64_t hash = HashOfFile(config_.config_path, kHashOfNothing);
  return HashOfFile(library_.scenario_path(game_->controller), hash);
}

}  // namespace envpool::vizdoom
