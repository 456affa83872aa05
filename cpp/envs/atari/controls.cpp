#include "atari/controls.h"

#include <algorithm>
#include <cmath>

namespace envpool::atari {

namespace {

constexpr int kPaddleStep = 23000;
constexpr double kMostStrength = 64.0;  // turns a paddle from one end to the other

// Of a stick, in the order of the console's bits; where the button is, its controller says.
enum Contact : unsigned { kUpward = 1, kDownward = 2, kLeftward = 4, kRightward = 8, kButton = 16 };

unsigned ContactsOf(Action action) {
  static constexpr unsigned kContacts[kNumActions] = {
      0,
      kButton,
      kUpward,
      kRightward,
      kLeftward,
      kDownward,
      kUpward | kRightward,
      kUpward | kLeftward,
      kDownward | kRightward,
      kDownward | kLeftward,
      kUpward | kButton,
      kRightward | kButton,
      kLeftward | kButton,
      kDownward | kButton,
      kUpward | kRightward | kButton,
      kUpward | kLeftward | kButton,
      kDownward | kRightward | kButton,
      kDownward | kLeftward | kButton,
  };
  return action == Action::kResetSwitch ? 0 : kContacts[static_cast<std::size_t>(action)];
}

// The console's switches, of which those that are pressed are 0.
constexpr std::uint8_t kSwitches = 0x3f;
constexpr std::uint8_t kResetBit = 0x01;
constexpr std::uint8_t kSelectBit = 0x02;
constexpr int kDifficultyShift = 6;

int StepOf(float strength) {
  const double size = std::fabs(double{strength});
  return static_cast<int>(kPaddleStep * (size < kMostStrength ? size : kMostStrength));
}

std::uint8_t Without(std::uint8_t bits, unsigned bit) {
  return static_cast<std::uint8_t>(bits & ~bit);
}

}  // namespace

Controls::Controls(const Game& game)
    : controllers_(game.controllers),
      most_paddle_(game.most_paddle),
      power_on_difficulty_(game.power_on_difficulty),
      has_two_players_(game.players == 2) {
  Centre();
}

bool Controls::HasPaddles() const {
  return controllers_ == Controllers::kPaddles || controllers_ == Controllers::kSwappedPaddles;
}

int Controls::MiddleOfPaddle() const { return (kLeastPaddle + most_paddle_) / 2; }

void Controls::Centre() { paddles_.fill(MiddleOfPaddle()); }

// Returns the socket of a player's stick, or a paddle's place in the first pair.
std::size_t Controls::PortOf(std::size_t player) const {
  const bool is_swapped = controllers_ == Controllers::kSwappedJoysticks ||
                          controllers_ == Controllers::kSwappedPaddles;
  return is_swapped ? 1 - player : player;
}

atari2600::Inputs Controls::Untouched(const std::array<int, 2>& paddles, int difficulty) const {
  atari2600::Inputs inputs;
  inputs.swcha = 0xff;
  inputs.swchb = static_cast<std::uint8_t>(kSwitches | (difficulty & 3) << kDifficultyShift);
  if (!HasPaddles()) return inputs;
  for (const std::size_t player : {0, 1}) inputs.tia.paddle[PortOf(player)] = paddles[player];
  if (controllers_ == Controllers::kSwappedPaddles) {
    // ALE leaves the other pair at its end, and multi_agent_ale_py in the middle.
    inputs.tia.paddle[2] = inputs.tia.paddle[3] = has_two_players_ ? MiddleOfPaddle() : 0;
  }
  return inputs;
}

atari2600::Inputs Controls::AtPowerOn() const { return Untouched({0, 0}, power_on_difficulty_); }

atari2600::Inputs Controls::PressSelect() const {
  atari2600::Inputs inputs = Untouched(paddles_, difficulty_);
  inputs.swchb = Without(inputs.swchb, kSelectBit);
  return inputs;
}

void Controls::Turn(int& paddle, const Deed& deed) const {
  const unsigned contacts = ContactsOf(deed.action);
  const int turned = StepOf(deed.strength);
  if ((contacts & kRightward) != 0) paddle -= turned;
  if ((contacts & kLeftward) != 0) paddle += turned;
  paddle = std::clamp(paddle, kLeastPaddle, most_paddle_);
}

void Controls::Press(std::size_t player, Action action, atari2600::Inputs& inputs) const {
  const unsigned contacts = ContactsOf(action);
  const bool has_button = (contacts & kButton) != 0;
  const std::size_t port = PortOf(player);
  if (HasPaddles()) {
    if (has_button) inputs.swcha = Without(inputs.swcha, port == 0 ? 0x80 : 0x40);
    return;
  }
  const unsigned directions = contacts & 0x0f;
  inputs.swcha = Without(inputs.swcha, port == 0 ? directions << 4 : directions);
  if (has_button) inputs.tia.trigger[port] = 0;
}

atari2600::Inputs Controls::Hold(const Deeds& deeds) {
  if (HasPaddles()) {
    for (const std::size_t player : {0, 1}) Turn(paddles_[player], deeds[player]);
  }
  atari2600::Inputs inputs = Untouched(paddles_, difficulty_);
  if (deeds[0].action == Action::kResetSwitch) inputs.swchb = Without(inputs.swchb, kResetBit);
  for (const std::size_t player : {0, 1}) Press(player, deeds[player].action, inputs);
  return inputs;
}

void Controls::Serialize(Archive& archive) { archive.Range(paddles_, kLeastPaddle, most_paddle_); }

}  // namespace envpool::atari
