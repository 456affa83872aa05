#include "atari2600/machine.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "atari2600/cpu/processor.h"
#include "atari2600/packed_bytes.h"

namespace envpool::atari2600 {
namespace {

constexpr unsigned kSeed = 4753849;  // ALE: all consoles draw the same numbers

// If nobody wants to see any of so many frames, some are painted, in the hope that these make both
// pictures right. After the greater number all are run again: the machine does not remember more.
constexpr std::size_t kManyFrames = 24;
constexpr std::size_t kMostFrames = 32;

// A frame that does not end after these is told that it began later.
constexpr unsigned kManyCycles = 4'000'000;
constexpr unsigned kManyLines = 50'000;  // an even number, and fewer cycles

constexpr std::uint32_t kMostDraws = 1U << 26;  // so that bytes that lie do not take minutes

}  // namespace

Machine::Machine(std::shared_ptr<const Rom> rom, const MachineConfig& config)
    : config_(config), chips_(std::move(rom)), random_(kSeed) {
  chips_.tia.Reset({config.ystart, config.height, config.is_pal, config.has_hmove_blanks});
  for (std::uint8_t& byte : chips_.Ram()) byte = static_cast<std::uint8_t>(Draw());
  Draw();  // ALE: for a timer that is reset before it is used
  frames_since_.reserve(kMostFrames);
}

unsigned Machine::Draw() {
  ++draws_;
  return static_cast<unsigned>(random_());
}

void Machine::Reset() {
  chips_.riot.Reset(25 + Draw() % 75);
  chips_.tia.Reset({config_.ystart, config_.height, config_.is_pal, config_.has_hmove_blanks});
  chips_.cartridge.Reset([this] { return static_cast<std::uint8_t>(Draw()); });
  ResetProcessor(chips_);
  pictures_->Clear();
  missing_ = {};
}

void Machine::SetPal(int height) {
  config_.is_pal = true;
  config_.height = std::clamp(height, 1, kMaxHeight);
  pictures_->Grow(config_.height);
}

void Machine::RunFrame(const Inputs& inputs, bool is_wanted) {
  const bool were_right = PicturesAreRight();
  if (were_right && !is_wanted) Remember();
  const bool is_painted = is_wanted || (!were_right && frames_since_.size() >= kManyFrames);
  const bool begins = chips_.tia.FrameIsOver();
  Run(inputs, is_painted);
  if (were_right && is_painted) return LeaveFrame();

  frames_since_.push_back(inputs);
  int& missing = missing_[pictures_->FrontIndex()];
  const int reach = chips_.tia.Reach();
  const bool is_over = chips_.tia.FrameIsOver();
  if (!is_painted) {
    missing = std::max(missing, is_over ? reach : std::numeric_limits<int>::max());
    LeaveFrame();
  } else if (is_over && begins && reach >= missing) {
    missing = 0;
  } else if (is_wanted || !is_over || frames_since_.size() >= kMostFrames) {
    RunAgainPainted();
  }
}

void Machine::PaintLast() {
  if (!PicturesAreRight()) RunAgainPainted();
}

// Runs up to the end of a frame, or up to where it is left unfinished.
void Machine::Run(const Inputs& inputs, bool is_painted) {
  chips_.riot.SetPorts(inputs.swcha, inputs.swchb);
  chips_.tia.SetInputs(inputs.tia);
  const unsigned cycles = CyclesOf(chips_.registers.clock);
  if (chips_.tia.FrameIsOver()) {
    chips_.tia.StartFrame(cycles, is_painted, *pictures_);
    SetClockBack(cycles);
  } else {
    if (cycles > kManyCycles) {
      chips_.tia.Rebase(kManyLines * kCyclesPerLine);
      SetClockBack(kManyLines * kCyclesPerLine);
    }
    chips_.tia.Resume(is_painted, *pictures_);
  }
  RunProcessor(chips_);
  chips_.registers.clock = CyclesOf(chips_.registers.clock);
}

// Has to follow Run. It cannot be repeated: it takes colours away.
void Machine::LeaveFrame() {
  if (!chips_.tia.FrameIsOver()) chips_.tia.LeaveUnfinished(CyclesOf(chips_.registers.clock));
}

void Machine::SetClockBack(unsigned cycles) {
  chips_.registers.clock -= cycles;
  chips_.riot.Rebase(cycles);
  chips_.cartridge.Rebase(cycles);
}

void Machine::Remember() {
  remembered_ = {chips_.zero_page,        chips_.riot,      chips_.tia,
                 chips_.cartridge.Save(), chips_.registers, pictures_->FrontIndex()};
  frames_since_.clear();
}

// Everything that any of the frames paints is painted again, so it does not matter what is in the
// pictures already.
void Machine::RunAgainPainted() {
  chips_.zero_page = remembered_.zero_page;
  chips_.riot = remembered_.riot;
  chips_.tia = remembered_.tia;
  chips_.cartridge.Restore(remembered_.cartridge);
  chips_.registers = remembered_.registers;
  pictures_->SetFrontIndex(remembered_.front);
  for (const Inputs& inputs : frames_since_) {
    Run(inputs, true);
    LeaveFrame();
  }
  missing_ = {};
}

void Machine::Serialize(Archive& archive) {
  if (archive.IsReader()) {
    missing_ = {};
    pictures_->SetFrontIndex(0);
  } else {
    PaintLast();
  }
  archive.Any(chips_.Ram());
  archive(chips_.registers, chips_.riot, chips_.tia, chips_.cartridge);
  SerializeRandom(archive);
  SerializePicture(archive, pictures_->Front());
  SerializePicture(archive, pictures_->Back());
}

void Machine::SerializeRandom(Archive& archive) {
  std::uint32_t draws = draws_;
  archive.Range(draws, 0U, kMostDraws);
  if (!archive.IsReader()) return;
  if (draws < draws_) {
    random_.seed(kSeed);
    draws_ = 0;
  }
  random_.discard(draws - draws_);
  draws_ = draws;
}

// A pixel is expected to be as the one above it.
void Machine::SerializePicture(Archive& archive, Picture& picture) {
  std::vector<std::uint8_t> pixels = picture.Pixels(Rows());
  TransferPacked(archive, pixels, 0, kWidth);
  if (archive.IsReader()) picture.SetPixels(pixels);
}

}  // namespace envpool::atari2600
