// The engine with functions of C, for oracles/gfootball.py, which drives it by upstream's Python.
// Built with the environments for tests, and in no release.
#include <cstddef>
#include <cstdint>
#include <game_env.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace {

// Calls use(field) with a field of the configuration, of whatever type it has.
template <class Use>
void WithField(ScenarioConfig& config, std::string_view name, const Use& use) {
  if (name == "left_agents") return use(config.left_agents);
  if (name == "right_agents") return use(config.right_agents);
  if (name == "offsides") return use(config.offsides);
  if (name == "real_time") return use(config.real_time);
  if (name == "game_engine_random_seed") return use(config.game_engine_random_seed);
  if (name == "reverse_team_processing") return use(config.reverse_team_processing);
  if (name == "left_team_difficulty") return use(config.left_team_difficulty);
  if (name == "right_team_difficulty") return use(config.right_team_difficulty);
  if (name == "deterministic") return use(config.deterministic);
  if (name == "end_episode_on_score") return use(config.end_episode_on_score);
  if (name == "end_episode_on_possession_change") {
    return use(config.end_episode_on_possession_change);
  }
  if (name == "end_episode_on_out_of_play") return use(config.end_episode_on_out_of_play);
  if (name == "game_duration") return use(config.game_duration);
  if (name == "second_half") return use(config.second_half);
  if (name == "control_all_players") return use(config.control_all_players);
  throw std::invalid_argument(std::string(name));
}

// What game_info writes, number by number.
using Numbers = std::vector<double>;

void Add(Numbers& numbers, const Position& position, int axes) {
  for (int axis = 0; axis < axes; ++axis) numbers.push_back(position.env_coord(axis));
}

void AddTeam(Numbers& numbers, const std::vector<PlayerInfo>& players,
             const std::vector<ControllerInfo>& controllers) {
  numbers.push_back(static_cast<double>(players.size()));
  for (const PlayerInfo& player : players) {
    Add(numbers, player.player_position, 2);
    Add(numbers, player.player_direction, 2);
    numbers.insert(numbers.end(),
                   {player.tired_factor, double(player.has_card), double(player.is_active),
                    double(player.role), double(player.designated_player)});
  }
  numbers.push_back(static_cast<double>(controllers.size()));
  for (const ControllerInfo& controller : controllers) {
    numbers.push_back(controller.controlled_player);
  }
}

GameEnv& Enter(void* game) {
  auto* const env = static_cast<GameEnv*>(game);
  SetGame(env);
  return *env;
}

ScenarioConfig& Config(void* config) { return *static_cast<ScenarioConfig*>(config); }

}  // namespace

extern "C" {
#define EXPORT [[gnu::visibility("default")]]

// Never given back, like upstream's.
EXPORT void* config_new() { return new ScenarioConfig(*ScenarioConfig::make()); }
EXPORT double config_get(void* config, const char* name) {
  double value = 0;
  WithField(Config(config), name, [&value](auto& field) { value = static_cast<double>(field); });
  return value;
}
EXPORT void config_set(void* config, const char* name, double value) {
  WithField(Config(config), name, [value]<class T>(T& field) { field = static_cast<T>(value); });
}
EXPORT void config_set_ball(void* config, int index, float value) {
  Config(config).ball_position.SetEnvCoord(index, value);
}
EXPORT void config_add_player(void* config, bool is_left, float x, float y, int role, bool lazy,
                              bool controllable) {
  auto& team = is_left ? Config(config).left_team : Config(config).right_team;
  team.emplace_back(x, y, static_cast<e_PlayerRole>(role), lazy, controllable);
}
EXPORT int config_controllable(void* config, bool is_left) {
  return is_left ? Config(config).ControllableLeftPlayers()
                 : Config(config).ControllableRightPlayers();
}
EXPORT bool config_selects_dynamically(void* config) {
  return Config(config).DynamicPlayerSelection();
}

EXPORT void* game_new(const char* data_folder, int physics_steps_per_frame) {
  auto* const game = new GameEnv();
  game->game_config.data_dir = data_folder;
  game->game_config.physics_steps_per_frame = physics_steps_per_frame;
  return game;
}
EXPORT void game_start(void* game) { Enter(game).start_game(); }
EXPORT void* game_config(void* game) { return &Enter(game).scenario_config; }
EXPORT int game_phase(void* game) { return Enter(game).state; }
EXPORT void game_set_phase(void* game, int phase) {
  Enter(game).state = static_cast<GameState>(phase);
}
EXPORT int game_waiting(void* game) { return Enter(game).waiting_for_game_count; }
EXPORT void game_set_waiting(void* game, int count) { Enter(game).waiting_for_game_count = count; }
EXPORT void game_reset(void* game, void* config) { Enter(game).reset(Config(config), false); }
EXPORT void game_step(void* game) { Enter(game).step(); }
EXPORT void game_act(void* game, int action, bool is_left, int player) {
  Enter(game).action(action, is_left, player);
}
EXPORT bool game_is_sticky(void* game, int action, bool is_left, int player) {
  return Enter(game).sticky_action_state(action, is_left, player);
}
// Writes what there is to be told, in an order that the reader knows, and returns how much.
EXPORT std::size_t game_info(void* game, double* written) {
  const SharedInfo info = Enter(game).get_info();
  Numbers numbers;
  Add(numbers, info.ball_position, 3);
  Add(numbers, info.ball_direction, 3);
  Add(numbers, info.ball_rotation, 3);
  numbers.insert(numbers.end(),
                 {double(info.left_goals), double(info.right_goals), double(info.game_mode),
                  double(info.is_in_play), double(info.ball_owned_team),
                  double(info.ball_owned_player), double(info.step)});
  AddTeam(numbers, info.left_team, info.left_controllers);
  AddTeam(numbers, info.right_team, info.right_controllers);
  std::copy(numbers.begin(), numbers.end(), written);
  return numbers.size();
}
}
