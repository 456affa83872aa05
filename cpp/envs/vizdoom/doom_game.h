// DoomGame: an engine of ViZDoom's, a process of its own, and how it is driven.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "resize/resize.h"
#include "vizdoom/doom_library.h"

namespace envpool::vizdoom {

// What a game is made of. What is empty, or none, is the configuration's.
struct GameConfig {
  std::string config_path;
  std::string scenario_path = {};
  std::string engine_path;
  std::string game_path = {};  // of the game's own data, in a WAD; or else Freedoom's
  std::string arguments = {};
  std::string map = {};
  std::optional<unsigned> timeout = std::nullopt;  // of an episode, in tics
  ScreenFormat format = ScreenFormat::kPlanes;     // of a screen that is not grey
  bool is_enlarged = false;  // A screen of less than 320 pixels in a row is drawn with 320 x 240.
  bool has_deltas_first = false;         // Buttons of mouse-like movement come before all others.
  std::vector<Variable> variables = {};  // that states have beside the configuration's
  std::optional<int> buffered_tics = std::nullopt;  // whose sound and notifications states have
};

inline constexpr int kTicsPerSecond = 35;
inline constexpr std::size_t kEngineBytes = 8 << 20;  // that each engine has for itself

class DoomGame {
 public:
  // Reads the configuration; the engine does not run yet. Throws std::invalid_argument if a file or
  // the map is not there, and whatever the library throws.
  explicit DoomGame(const GameConfig& config);
  // Ends the engine.
  ~DoomGame();
  DoomGame(const DoomGame&) = delete;
  DoomGame& operator=(const DoomGame&) = delete;

  const std::vector<Button>& Buttons() const { return buttons_; }
  const std::vector<Variable>& Variables() const { return variables_; }
  PlaneSize ScreenSize() const;
  PlaneSize ConfiguredSize() const { return configured_size_; }  // before it was enlarged
  int Channels() const { return library_.screen_channels(game_.get()); }

  bool HasAudio() const { return library_.has_audio(game_.get()); }
  bool HasNotifications() const { return library_.has_notifications(game_.get()); }
  int AudioRate() const { return library_.audio_rate(game_.get()); }
  ScreenFormat Format() const { return library_.screen_format(game_.get()); }
  // Returns a number that is another one for other files of the scenario.
  std::uint64_t HashOfFiles() const;

  // False once it is known that the engine has ended.
  bool IsRunning() const { return library_.is_running(game_.get()); }
  // Begins the seed's episode of this number, and starts the engine if it does not run. The episode
  // is recorded in a file of this name, unless that is empty. Throws std::runtime_error if the
  // engine ends at once, or the episode.
  void Begin(unsigned seed, std::int64_t number, const std::string& recording);
  // Ends the engine.
  void Close();

  void Advance(const std::vector<double>& action, unsigned tics);

  bool IsEpisodeFinished() const { return library_.is_episode_finished(game_.get()); }
  bool IsTimeoutReached() const { return library_.is_timeout_reached(game_.get()); }
  // Returns Doom's own reward of the last advance.
  double LastReward() const { return library_.last_reward(game_.get()); }
  bool IsPlayerDead() const { return library_.is_player_dead(game_.get()); }
  // Null where the episode is over.
  std::shared_ptr<const DoomState> State() const { return library_.state(game_.get()); }

 private:
  void Make();
  void SetPaths();
  void SetUp();
  bool BeginNext(const std::string& recording);
  void Seek(unsigned seed, std::int64_t number);
  void Start();
  std::size_t SharedBytes() const;

  const DoomLibrary& library_;
  GameConfig config_;
  std::unique_ptr<Doom> game_;
  PlaneSize configured_size_;
  std::vector<Button> buttons_;
  std::vector<Variable> variables_;
  bool is_started_ = false;  // An engine was, and nothing has closed it.
};

}  // namespace envpool::vizdoom
