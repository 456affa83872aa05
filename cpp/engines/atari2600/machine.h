// Machine: a whole console, from power-on to pictures. Frames that nobody looks at need not be
// painted. Where a later picture shows some of them, the machine runs them again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "atari2600/chips.h"
#include "atari2600/tia/pictures.h"
#include "envpool/archive.h"

namespace envpool::atari2600 {

struct MachineConfig {
  int ystart = 34;   // the line that the picture begins with
  int height = 210;  // rows, at most kMaxHeight
  bool is_pal = false;
  bool has_hmove_blanks = true;
};

// What the player does during a frame.
struct Inputs {
  std::uint8_t swcha = 0xff;  // the joysticks' directions; a bit that is 0 is pressed
  std::uint8_t swchb = 0x0b;  // the console's switches
  TiaInputs tia;
};

class Machine {
 public:
  // Throws std::invalid_argument if the television cannot show such a picture. Call Reset first.
  Machine(std::shared_ptr<const Rom> rom, const MachineConfig& config);

  // Turns the console off and on.
  // ALE: RAM keeps what is in it, and the generator of random numbers goes on. So a game's start
  // depends on what was before it.
  void Reset();

  // From the next reset on, the television is PAL, and the picture has this height.
  void SetPal(int height);

  // Runs a frame. Where it is not wanted, Screen() then has anything in it.
  void RunFrame(const Inputs& inputs, bool is_wanted);

  // Makes Screen() the picture of the last frame if that was not wanted.
  void PaintLast();

  std::span<const std::uint8_t, kRamSize> Ram() const { return chips_.Ram(); }

  // Returns 0s if the cartridge has no RAM.
  std::span<const std::uint8_t, kRamSize> CartridgeRam() const { return chips_.cartridge.Ram(); }

  int Height() const { return config_.height; }

  // Return the picture of the last frame: Height() rows of kWidth colours. That of the frame before
  // is kept beside it, unless that frame was left unfinished and the last one went on with it.
  const Picture& LastPicture() const { return pictures_->Front(); }
  std::vector<std::uint8_t> Screen() const { return LastPicture().Pixels(Rows()); }
  bool IsUnfinished() const { return !chips_.tia.FrameIsOver(); }

  // Transfers all but the ROM and the configuration, which have to be the same.
  void Serialize(Archive& archive);

 private:
  // All that frames change, but the pictures.
  struct State {
    decltype(Chips::zero_page) zero_page = {};
    Riot riot;
    Tia tia;
    Cartridge::State cartridge;
    Registers registers;
    unsigned front = 0;
  };

  // True if no unpainted frame is missing in either picture.
  bool PicturesAreRight() const { return missing_[0] <= 0 && missing_[1] <= 0; }

  void Run(const Inputs& inputs, bool is_painted);
  void LeaveFrame();
  void SetClockBack(unsigned cycles);
  void Remember();
  void RunAgainPainted();
  unsigned Draw();

  std::size_t Rows() const { return static_cast<std::size_t>(config_.height); }
  void SerializeRandom(Archive& archive);
  void SerializePicture(Archive& archive, Picture& picture);

  MachineConfig config_;
  Chips chips_;
  std::unique_ptr<Pictures> pictures_ = std::make_unique<Pictures>(config_.height);
  std::mt19937 random_;
  std::uint32_t draws_ = 0;  // how many numbers random_ has made

  // The state before the first unpainted frame that is missing in a picture, all frames since, and
  // up to where either picture misses something (see Tia::Reach).
  State remembered_;
  std::vector<Inputs> frames_since_;
  std::array<int, 2> missing_ = {};
};

}  // namespace envpool::atari2600
