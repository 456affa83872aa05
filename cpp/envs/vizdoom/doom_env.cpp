#include "vizdoom/doom_env.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "vizdoom/screen.h"

namespace envpool::vizdoom {

DoomEnv::DoomEnv(std::unique_ptr<DoomGame> game, std::int64_t tics, const std::string& conditions)
    : game_(std::move(game)),
      tics_(static_cast<unsigned>(tics)),
      conditions_(std::to_string(game_->HashOfFiles()) + "\n" + std::to_string(tics) + "\n" +
                  conditions) {}

void DoomEnv::Begin(unsigned seed, std::int64_t number, const std::string& recording) {
  seed_ = seed;
  number_ = number;
  game_->Begin(seed, number, recording);
  has_begun_ = true;
  is_released_ = false;
  actions_.clear();
  lives_.clear();
  OnBegin();
}

StepResult DoomEnv::Take(const std::vector<double>& buttons) {
  if (is_released_) Replay();
  const StepResult result = Play(buttons);
  actions_.insert(actions_.end(), buttons.begin(), buttons.end());
  return result;
}

void DoomEnv::Continue(Random&) {
  if (is_released_) Replay();
  lives_.push_back(actions_.size());
  try {
    GoOn();
  } catch (const std::exception&) {
    if (game_->IsRunning()) throw;
    Replay();  // in a new engine, up to where the life begins
  }
}

void DoomEnv::Serialize(Archive& archive) {
  constexpr std::int64_t kMostEpisodes = 1 << 24;
  std::string conditions = conditions_;
  archive(conditions, has_begun_);
  archive.Require(conditions == conditions_, "an episode with another scenario or other options");
  archive.Any(seed_, lives_);
  archive.Range(number_, 0, kMostEpisodes);
  archive(actions_);
  if (!archive.IsReader()) return;
  const std::size_t size = game_->Buttons().size();
  archive.Require(actions_.size() % size == 0, "a part of an action");
  const auto is_place = [&](std::size_t life) {
    return life <= actions_.size() && life % size == 0;
  };
  archive.Require(std::ranges::is_sorted(lives_) && std::ranges::all_of(lives_, is_place),
                  "a life that begins at no step");
  if (has_begun_) Replay();
}

// Takes the game to where the episode's actions lead.
void DoomEnv::Replay() {
  const std::vector<double> actions = actions_;
  const std::vector<std::size_t> lives = lives_;
  Begin(seed_, number_, "");
  auto life = lives.begin();
  std::vector<double> buttons(game_->Buttons().size());
  for (std::size_t i = 0; i <= actions.size(); i += buttons.size()) {
    for (; life != lives.end() && *life == i; ++life) GoOn();
    if (i == actions.size()) break;
    std::copy_n(actions.begin() + static_cast<std::ptrdiff_t>(i), buttons.size(), buttons.begin());
    Play(buttons);
  }
  actions_ = actions;
  lives_ = lives;
}

void DoomEnv::Render(const Frame& frame) {
  if (frame.camera > 0) throw std::invalid_argument("there is only one view: -1 or 0");
  const std::span<const std::uint8_t> screen = Screen();
  if (screen.empty()) {
    std::ranges::fill(frame.pixels, std::uint8_t{0});
  } else {
    DrawScreen(screen, *game_, frame);
  }
}

void DoomEnv::Release() {
  game_->Close();
  is_released_ = true;
}

}  // namespace envpool::vizdoom
