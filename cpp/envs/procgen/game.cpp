#include "procgen/game.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace envpool::procgen {

namespace {

constexpr std::size_t kMostStateBytes = std::size_t{1} << 20;  // as procgen has it

// How the engine begins its states: its version, the length of the game's name, the name, what the
// game was made with, a counter, and the first level that it draws and the one behind the last.
constexpr std::size_t kNumber = sizeof(std::int32_t);
constexpr std::size_t kOptions = 12;

// Where a game has the first level that it draws and the one behind the last, in the library of
// procgen 0.10.7, whose hash envpool has compared.
constexpr std::size_t kLevels = 96;
using LevelRange = std::array<std::int32_t, 2>;

std::vector<EngineOption> With(std::vector<EngineOption> options, std::int32_t seed,
                               bool is_large) {
  options.push_back(EngineOption::Number("rand_seed", seed));
  options.push_back(EngineOption::Flag("render_human", is_large));
  return options;
}

}  // namespace

Game::Game(std::vector<EngineOption> options, std::int32_t seed, bool is_large)
    : large_(is_large ? std::make_unique<LargePixels>() : nullptr),
      observation_ptrs_{pixels_.data()},
      info_ptrs_{&result_.prev_level_seed, &result_.prev_level_complete, &result_.level_seed,
                 large_.get()},
      action_ptrs_{&action_},
      buffers_{.observation = observation_ptrs_.data(),
               .reward = &result_.reward,
               .first = &result_.first,
               .info = info_ptrs_.data(),
               .action = action_ptrs_.data()},
      handle_(Engine::Get().Make(With(std::move(options), seed, is_large))) {
  Engine::Get().Functions().set_buffers(handle_.get(), &buffers_);
  Engine::Get().Functions().observe(handle_.get());
}

void Game::WatchResets(std::function<void()> at_reset) {
  terminal_ =
      std::make_unique<TerminalFrame>(Engine::Get(), handle_.get(), pixels_, std::move(at_reset));
}

void Game::Step(std::int32_t action) {
  action_ = action;
  Engine::Get().Functions().act(handle_.get());
  Engine::Get().Functions().observe(handle_.get());
}

void Game::RestartAt(std::int32_t level) {
  std::byte* const levels = Engine::GameOf(handle_.get()) + kLevels;
  const LevelRange chosen = {level, level + 1};
  LevelRange own;
  std::memcpy(own.data(), levels, sizeof(own));
  std::memcpy(levels, chosen.data(), sizeof(chosen));
  // With use_sequential_levels, a level that is completed in that one step is followed by another
  // one than is drawn.
  do {
    Restart();
  } while (result_.level_seed != level);
  std::memcpy(levels, own.data(), sizeof(own));
}

void Game::BeginAt(std::int32_t level) {
  const Result before = result_;
  RestartAt(level);
  result_.prev_level_seed = before.prev_level_seed;
  result_.prev_level_complete = before.prev_level_complete;
}

std::string Game::State() const {
  const auto bytes = std::make_unique_for_overwrite<char[]>(kMostStateBytes);
  const std::int32_t size = Engine::Get().Functions().get_state(
      handle_.get(), 0, bytes.get(), static_cast<std::int32_t>(kMostStateBytes));
  return {bytes.get(), static_cast<std::size_t>(size)};
}

void Game::Resume(const std::string& state) {
  Engine::Get().Functions().set_state(handle_.get(), 0, state.data(),
                                      static_cast<std::int32_t>(state.size()));
  Engine::Get().Functions().observe(handle_.get());
}

// A game would take what it was made with from the state, and end the process if that is another
// game's. Here the two must be equal but for the levels: the next ones are drawn from its own.
std::string Game::WithOwnLevels(const std::string& state) const {
  std::string own = State();
  std::int32_t name = 0;
  std::memcpy(&name, &own[kNumber], kNumber);
  const std::size_t options = (2 + kOptions) * kNumber + static_cast<std::size_t>(name);
  const std::size_t levels = options + kNumber, rest = levels + 2 * kNumber;
  if (state.size() < rest || state.compare(0, options, own, 0, options) != 0) {
    throw std::invalid_argument("the state is of a game that was made with other options");
  }
  return state.substr(0, levels) + own.substr(levels, 2 * kNumber) + state.substr(rest);
}

void Game::Serialize(Archive& archive) {
  std::string state;
  if (!archive.IsReader()) state = State();
  archive(state);
  if (archive.IsReader()) Resume(WithOwnLevels(state));
  archive.Any(result_.prev_level_seed, result_.level_seed, terminal_->pixels);
  archive.Range(result_.prev_level_complete, 0, 1);
}

}  // namespace envpool::procgen
