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
      power_on_difficulty_(game.power_on_difficulty) {
  Centre();
}

bool Controls::HasPaddles() const {
  return controllers_ == Controllers::kPaddles || controllers_ == Controllers::kSwappedPaddles;
}

int Controls::MiddleOfPaddle() const { return (kLeastPaddle + most_paddle_) / 2; }

void Controls::Centre() { paddle_ = MiddleOfPaddle(); }

// `other_paddle` is the other player's, whom nobody plays.
atari2600::Inputs Controls::Untouched(int paddle, int other_paddle, int difficulty) const {
  atari2600::Inputs inputs;
  inputs.swcha = 0xff;
  inputs.swchb = static_cast<std::uint8_t>(kSwitches | (difficulty & 3) << kDifficultyShift);
  if (!HasPaddles()) return inputs;
  const bool is_swapped = controllers_ == Controllers::kSwappedPaddles;
  inputs.tia.paddle[is_swapped ? 1 : 0] = paddle;
  inputs.tia.paddle[is_swapped ? 0 : 1] = other_paddle;
  if (is_swapped) inputs.tia.paddle[2] = inputs.tia.paddle[3] = 0;  // the other pair
  return inputs;
}

atari2600::Inputs Controls::AtPowerOn() const { return Untouched(0, 0, power_on_difficulty_); }

atari2600::Inputs Controls::PressSelect() const {
  atari2600::Inputs inputs = Untouched(paddle_, MiddleOfPaddle(), difficulty_);
  inputs.swchb = Without(inputs.swchb, kSelectBit);
  return inputs;
}

atari2600::Inputs Controls::Hold(Action action, float strength) {
  const unsigned contacts = ContactsOf(action);
  if (HasPaddles()) {
    const int turned = StepOf(strength);
    if ((contacts & kRightward) != 0) paddle_ -= turned;
    if ((contacts & kLeftward) != 0) paddle_ += turned;
    paddle_ = std::clamp(paddle_, kLeastPaddle, most_paddle_);
  }
  atari2600::Inputs inputs = Untouched(paddle_, MiddleOfPaddle(), difficulty_);
  if (action == Action::kResetSwitch) inputs.swchb = Without(inputs.swchb, kResetBit);
  const bool has_button = (contacts & kButton) != 0;
  const unsigned directions = contacts & 0x0f;
  switch (controllers_) {
    case Controllers::kJoysticks:
      inputs.swcha = Without(inputs.swcha, directions << 4);
      if (has_button) inputs.tia.trigger[0] = 0;
      break;
    case Controllers::kSwappedJoysticks:
      inputs.swcha = Without(inputs.swcha, directions);
      if (has_button) inputs.tia.trigger[1] = 0;
      break;
    case Controllers::kPaddles:
      if (has_button) inputs.swcha = Without(inputs.swcha, 0x80);
      break;
    case Controllers::kSwappedPaddles:
      if (has_button) inputs.swcha = Without(inputs.swcha, 0x40);
      break;
  }
  return inputs;
}

void Controls::Serialize(Archive& archive) { archive.Range(paddle_, kLeastPaddle, most_paddle_); }

}  // namespace envpool::atari
