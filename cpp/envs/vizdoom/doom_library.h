// DoomLibrary: ViZDoom's own C++ library, which is in the module of its Python package.
//
// The module exports the classes vizdoom::DoomGame and vizdoom::DoomController. The functions below
// are those of them that are used here, with the types that they have in vizdoom 1.3.2; of other
// versions nothing is known, and envpool loads none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace envpool::vizdoom {

// What a vizdoom::DoomGame drives its engine with; the library makes it, too.
struct DoomController;

// The memory of a vizdoom::DoomGame, which has some 400 bytes.
struct alignas(16) Doom {
  void* functions = nullptr;
  DoomController* controller = nullptr;
  std::byte rest[4096] = {};
};

using DoomPicture = std::shared_ptr<const std::vector<std::uint8_t>>;

// A vizdoom::GameState, which only the library makes.
struct DoomState {
  unsigned number;
  unsigned tic;
  std::vector<double> variables;
  DoomPicture screen;
  std::shared_ptr<const std::vector<std::int16_t>> audio;  // of two channels, in turns
  DoomPicture depth, labels, map;
  std::vector<const void*> labelled, objects, sectors;  // whatever their elements are
  std::string notifications;
};

// The library's numbers for buttons, game variables, modes, formats and sizes of the screen.
enum class Button : int {};
enum class Variable : int {};
enum class DoomMode : int { kPlayer = 0 };
enum class ScreenFormat : int { kPlanes = 0, kPixels = 1, kGrey = 8 };
enum class Resolution : int { k320x240 = 8 };

// The first of the buttons of mouse-like movement, which can have any number.
inline constexpr Button kFirstDelta{38};

struct DoomLibrary {
  // Returns the process's library, which the first call loads. Throws std::runtime_error if it does
  // not load.
  static const DoomLibrary& Get();

  void (*construct)(Doom* game);
  void (*destroy)(Doom* game);
  bool (*load_config)(Doom* game, std::string path);
  void (*set_engine_path)(Doom* game, std::string path);
  void (*set_game_path)(Doom* game, std::string path);
  void (*set_settings_path)(Doom* game, std::string path);
  void (*set_scenario_path)(Doom* game, std::string path);
  void (*set_map)(Doom* game, std::string map);
  void (*add_arguments)(Doom* game, std::string arguments);
  void (*set_window_visible)(Doom* game, bool is_visible);
  void (*set_mode)(Doom* game, DoomMode mode);
  void (*set_seed)(Doom* game, unsigned seed);
  void (*set_timeout)(Doom* game, unsigned tics);
  void (*set_resolution)(Doom* game, Resolution resolution);
  void (*set_screen_format)(Doom* game, ScreenFormat format);
  void (*set_buttons)(Doom* game, std::vector<Button> buttons);
  void (*set_audio_tics)(Doom* game, int tics);
  void (*set_notification_tics)(Doom* game, int tics);
  void (*add_variable)(Doom* game, Variable variable);
  std::vector<Variable> (*variables)(Doom* game);
  std::vector<Button> (*buttons)(Doom* game);
  int (*screen_width)(Doom* game);
  int (*screen_height)(Doom* game);
  int (*screen_channels)(Doom* game);
  ScreenFormat (*screen_format)(Doom* game);
  bool (*has_depth)(Doom* game);
  bool (*has_labels)(Doom* game);
  bool (*has_automap)(Doom* game);
  bool (*has_audio)(Doom* game);
  bool (*has_notifications)(Doom* game);
  int (*audio_rate)(Doom* game);
  bool (*init)(Doom* game);
  void (*close)(Doom* game);
  bool (*is_running)(Doom* game);
  void (*new_episode)(Doom* game, std::string recording);
  void (*set_action)(Doom* game, const std::vector<double>& action);
  void (*advance)(Doom* game, unsigned tics, bool updates_state);
  bool (*is_episode_finished)(Doom* game);
  bool (*is_timeout_reached)(Doom* game);
  bool (*is_player_dead)(Doom* game);
  double (*last_reward)(Doom* game);
  std::shared_ptr<DoomState> (*state)(Doom* game);

  std::string (*instance_id)(DoomController* controller);
  std::string (*game_path)(DoomController* controller);
  std::string (*scenario_path)(DoomController* controller);
  std::string (*map)(DoomController* controller);
  void (*add_argument)(DoomController* controller, std::string argument);
  unsigned (*next_engine_seed)(DoomController* controller);  // of the next episode
  void* (*shared_state)(DoomController* controller);

  // Lets an engine fail to start, where the library would read its state, which is not there yet.
  void ExpectNoState(DoomController* controller) const;
};

}  // namespace envpool::vizdoom
