#include "gfootball/episode.h"

#include "envpool/hash.h"
#include "gfootball/actions.h"

namespace envpool::gfootball {
namespace {

constexpr std::int32_t kNobody = -1;
constexpr std::int32_t kNormalMode = 0;
// The game waits for so many steps for a kick-off, a throw-in and the like. Then somebody passes,
// or runs to and fro with the ball.
constexpr int kPatience = 20;
constexpr int kTurn = 30;

}  // namespace

void Episode::Begin(const Scenario& scenario, const Setup& setup) {
  game_.Reset(scenario, setup);
  score_difference_ = 0;
  last_game_mode_ = last_owner_ = -1;
  is_over_ = false;
  while (!game_.Look(seen_)) game_.Step();
}

// What a player does instead where its team has held up the game for too long.
int Episode::Heeded(int action, bool is_left, std::size_t agent) const {
  const int waited = game_.WaitingCount();
  if (waited < kPatience) return action;
  if (waited == kPatience) return kShortPass;
  const Team& team = is_left ? seen_.left : seen_.right;
  const bool has_ball = seen_.ball_owned_team == (is_left ? 0 : 1) &&
                        team.controlled[agent] == seen_.ball_owned_player;
  if (!has_ball) return kIdle;
  return (waited < kTurn) != is_left ? kLeft : kRight;
}

void Episode::Tell(const std::vector<int>& actions) {
  auto action = actions.begin();
  for (const bool is_left : {true, false}) {
    const std::size_t agents = (is_left ? seen_.left : seen_.right).controlled.size();
    for (std::size_t agent = 0; agent < agents; ++agent) {
      game_.Act(Heeded(*action++, is_left, agent), is_left, static_cast<int>(agent));
    }
  }
}

bool Episode::HasEnded() const {
  const Ends ends = game_.EndsOfEpisode();
  const bool has_score = seen_.score[0] > 0 || seen_.score[1] > 0;
  const bool left_play = seen_.game_mode != kNormalMode && last_game_mode_ == kNormalMode;
  const bool changed_hands = seen_.ball_owned_team != kNobody && last_owner_ != kNobody &&
                             seen_.ball_owned_team != last_owner_;
  return (ends.on_score && has_score) || (ends.on_out_of_play && left_play) ||
         (ends.on_possession_change && changed_hands) || game_.ElapsedSteps() >= ends.game_duration;
}

int Episode::Step(const std::vector<int>& actions) {
  Tell(actions);
  do {
    game_.Step();
  } while (!game_.Look(seen_));
  is_over_ = HasEnded();
  last_game_mode_ = seen_.game_mode;
  if (seen_.ball_owned_team != kNobody) last_owner_ = seen_.ball_owned_team;
  const int difference = seen_.score[0] - seen_.score[1];
  const int gain = difference - score_difference_;
  score_difference_ = difference;
  game_.SetWaitingCount(seen_.game_mode == kNormalMode ? 0 : game_.WaitingCount() + 1);
  return gain;
}

void Episode::Serialize(Archive& archive) {
  constexpr int kMostGoals = 1 << 20;
  constexpr std::int32_t kMostModes = 6;
  archive.Range(score_difference_, -kMostGoals, kMostGoals);
  archive.Range(last_game_mode_, -1, kMostModes);
  archive.Range(last_owner_, -1, 1);
  archive(is_over_);
  std::string state = archive.IsReader() ? "" : game_.State();
  std::uint64_t hash = HashOfBytes(state);
  archive(state);
  archive.Any(hash);
  if (!archive.IsReader()) return;
  // The engine would believe anything.
  archive.Require(hash == HashOfBytes(state), "a damaged state of the engine");
  game_.SetState(state);
  game_.Look(seen_);
}

}  // namespace envpool::gfootball
