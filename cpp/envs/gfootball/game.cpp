#include "gfootball/game.h"

#include <filesystem>
#include <game_env.hpp>
#include <map>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "envpool/family.h"
#include "envpool/setting_text.h"

namespace envpool::gfootball {
namespace {

SettingText data_folder;

[[maybe_unused]] const bool registered = RegisterSettings(
    {{"data_folder", "", "where the engine's data are"}},
    [](const Options& settings) { data_folder.Set(settings.Text("data_folder")); });

using Setter = void (*)(ScenarioConfig& config, double value);

// What upstream's scenario files set.
const std::map<std::string_view, Setter> kSetters = {
    {"game_duration", [](ScenarioConfig& c, double v) { c.game_duration = static_cast<int>(v); }},
    {"second_half", [](ScenarioConfig& c, double v) { c.second_half = static_cast<int>(v); }},
    {"left_team_difficulty",
     [](ScenarioConfig& c, double v) { c.left_team_difficulty = static_cast<float>(v); }},
    {"right_team_difficulty",
     [](ScenarioConfig& c, double v) { c.right_team_difficulty = static_cast<float>(v); }},
    {"deterministic", [](ScenarioConfig& c, double v) { c.deterministic = v != 0; }},
    {"offsides", [](ScenarioConfig& c, double v) { c.offsides = v != 0; }},
    {"end_episode_on_score", [](ScenarioConfig& c, double v) { c.end_episode_on_score = v != 0; }},
    {"end_episode_on_out_of_play",
     [](ScenarioConfig& c, double v) { c.end_episode_on_out_of_play = v != 0; }},
    {"end_episode_on_possession_change",
     [](ScenarioConfig& c, double v) { c.end_episode_on_possession_change = v != 0; }}};

void AddPlayers(const std::vector<Place>& places, std::vector<FormationEntry>& team) {
  for (const Place& place : places) {
    team.emplace_back(static_cast<float>(place.x), static_cast<float>(place.y),
                      static_cast<e_PlayerRole>(place.role), place.lazy, place.controllable);
  }
}

Vector ToVector(const Position& position) {
  return {position.env_coord(0), position.env_coord(1), position.env_coord(2)};
}

void FillPlayers(const std::vector<PlayerInfo>& players, Team& team) {
  team = {};
  for (const PlayerInfo& player : players) {
    if (player.designated_player) team.designated = static_cast<int>(team.roles.size());
    for (const int axis : {0, 1}) {
      team.positions.push_back(player.player_position.env_coord(axis));
      team.directions.push_back(player.player_direction.env_coord(axis));
    }
    team.tired_factors.push_back(player.tired_factor);
    team.active.push_back(player.is_active);
    team.yellow_cards.push_back(player.has_card);
    team.roles.push_back(player.role);
  }
}

void FillControlled(const std::vector<ControllerInfo>& controllers, int agents, Team& team) {
  for (int agent = 0; agent < agents; ++agent) {
    team.controlled.push_back(controllers[static_cast<std::size_t>(agent)].controlled_player);
  }
}

}  // namespace

void RequireData() {
  const std::string& folder = data_folder.Get();
  if (std::filesystem::is_directory(folder + "/media/animations")) return;
  throw std::runtime_error("the data of Google Research Football's engine are not in " + folder +
                           ", where envpool was installed with them: install it again");
}

Game::Game(int physics_steps_per_frame, std::vector<int> sticky_actions)
    : env_(std::make_unique<GameEnv>()), sticky_actions_(std::move(sticky_actions)) {
  RequireData();
  env_->game_config.data_dir = data_folder.Get();
  env_->game_config.physics_steps_per_frame = physics_steps_per_frame;
  env_->start_game();
}

Game::~Game() = default;

// The engine asks which game is meant of the thread that it runs on.
GameEnv& Game::Enter() const {
  SetGame(env_.get());
  return *env_;
}

void Game::Reset(const Scenario& scenario, const Setup& setup) {
  const auto config = ScenarioConfig::make();
  for (const auto& [name, value] : scenario.settings) kSetters.at(name)(*config, value);
  config->ball_position.coords[0] = static_cast<float>(scenario.ball[0]);
  config->ball_position.coords[1] = static_cast<float>(scenario.ball[1]);
  AddPlayers(scenario.left, config->left_team);
  AddPlayers(scenario.right, config->right_team);
  config->left_agents = setup.left_agents;
  config->right_agents = setup.right_agents;
  config->game_engine_random_seed = setup.seed;
  config->reverse_team_processing = setup.reverse_team_processing;
  GameEnv& env = Enter();
  env.state = game_running;
  env.reset(*config, false);
}

void Game::Act(int action, bool is_left, int agent) { Enter().action(action, is_left, agent); }

void Game::Step() { Enter().step(); }

bool Game::Look(Observed& seen) const {
  GameEnv& env = Enter();
  const SharedInfo info = env.get_info();
  seen.ball = ToVector(info.ball_position);
  seen.ball_direction = ToVector(info.ball_direction);
  seen.ball_rotation = ToVector(info.ball_rotation);
  FillPlayers(info.left_team, seen.left);
  FillPlayers(info.right_team, seen.right);
  FillControlled(info.left_controllers, env.scenario_config.left_agents, seen.left);
  FillControlled(info.right_controllers, env.scenario_config.right_agents, seen.right);
  FillSticky(true, seen.left);
  FillSticky(false, seen.right);
  seen.score = {info.left_goals, info.right_goals};
  seen.game_mode = info.game_mode;
  seen.ball_owned_team = info.ball_owned_team;
  seen.ball_owned_player = info.ball_owned_player;
  seen.steps_left = env.scenario_config.game_duration - info.step;
  return info.is_in_play;
}

void Game::FillSticky(bool is_left, Team& team) const {
  for (std::size_t agent = 0; agent < team.controlled.size(); ++agent) {
    Sticky& sticky = team.sticky.emplace_back();
    for (const int action : sticky_actions_) {
      sticky.push_back(env_->sticky_action_state(action, is_left, static_cast<int>(agent)));
    }
  }
}

int Game::ElapsedSteps() const { return env_->context->step; }

Ends Game::EndsOfEpisode() const {
  const ScenarioConfig& config = env_->scenario_config;
  return {.game_duration = config.game_duration,
          .on_score = config.end_episode_on_score,
          .on_out_of_play = config.end_episode_on_out_of_play,
          .on_possession_change = config.end_episode_on_possession_change};
}

int Game::WaitingCount() const { return env_->waiting_for_game_count; }

void Game::SetWaitingCount(int count) { env_->waiting_for_game_count = count; }

std::string Game::State() const { return Enter().get_state(""); }

void Game::SetState(const std::string& state) { Enter().set_state(state); }

}  // namespace envpool::gfootball
