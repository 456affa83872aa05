#include "gfootball/checkpoints.h"

#include <cmath>
#include <span>

namespace envpool::gfootball {
namespace {

constexpr std::int32_t kCheckpoints = 10;
constexpr double kWorth = 0.1;

}  // namespace

float Checkpoints::Reward(float reward, const View& view, std::size_t agent) {
  std::int32_t& collected = collected_[agent];
  if (reward == 1.0F) {
    reward += static_cast<float>(kWorth * (kCheckpoints - collected));
    collected = kCheckpoints;
    return reward;
  }
  const Observed& seen = view.seen;
  if (seen.ball_owned_team != 0 || seen.ball_owned_player != view.Active()) return reward;
  const double x = seen.ball[0] - 1;
  const double distance = std::sqrt(x * x + seen.ball[1] * seen.ball[1]);
  while (collected < kCheckpoints && distance <= 0.99 - 0.8 / (kCheckpoints - 1) * collected) {
    reward += static_cast<float>(kWorth);
    ++collected;
  }
  return reward;
}

void Checkpoints::Serialize(Archive& archive) {
  archive.Range(std::span(collected_), 0, kCheckpoints);
}

}  // namespace envpool::gfootball
