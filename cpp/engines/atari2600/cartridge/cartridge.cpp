#include "atari2600/cartridge/cartridge.h"

#include <algorithm>
#include <utility>

namespace envpool::atari2600 {

namespace {

constexpr unsigned kOffsetMask = kViewSize - 1;

}  // namespace

Cartridge::Cartridge(std::shared_ptr<const Rom> rom)
    : rom_(std::move(rom)),
      view_(rom_->Bytes()),
      instructions_(rom_->Instructions()),
      hot_blocks_(rom_->HotBlocks()),
      is_selected_by_address_(rom_->Kind() == CartridgeKind::kFE),
      has_slices_(rom_->Kind() == CartridgeKind::kE0),
      is_clocked_(rom_->Kind() == CartridgeKind::kDpc) {
  if (rom_->HasRam()) {
    own_bytes_.assign(rom_->Bytes(), rom_->Bytes() + rom_->Banks() * kViewSize + Rom::kPadding);
  } else if (has_slices_) {
    own_bytes_.resize(kViewSize + Rom::kPadding);
    CopySlice(3, kLastSlice);
  }
  ShowState();
}

// Makes what the processor sees follow from the state.
void Cartridge::ShowState() {
  if (has_slices_) {
    for (unsigned segment = 0; segment < state_.slices.size(); ++segment) {
      CopySlice(segment, state_.slices[segment]);
    }
    view_ = own_bytes_.data();
    return;
  }
  if (rom_->HasRam()) {
    for (unsigned i = 0; i < kRamSize; ++i) WriteRam(i, state_.ram[i]);
  }
  SelectBank(state_.bank);
}

void Cartridge::Restore(const State& state) {
  state_ = state;
  ShowState();
}

void Cartridge::SelectBank(unsigned bank) {
  state_.bank = static_cast<std::uint8_t>(bank);
  const std::uint8_t* bytes = own_bytes_.empty() ? rom_->Bytes() : own_bytes_.data();
  view_ = bytes + bank * kViewSize;
  instructions_ = rom_->Instructions() + bank * kViewSize;
}

void Cartridge::SelectSlice(unsigned segment, unsigned slice) {
  if (state_.slices[segment] == slice) return;
  state_.slices[segment] = static_cast<std::uint8_t>(slice);
  CopySlice(segment, slice);
}

void Cartridge::CopySlice(unsigned segment, unsigned slice) {
  const std::size_t from = slice * Rom::kSliceSize;
  const std::size_t to = segment * Rom::kSliceSize;
  std::copy_n(rom_->Bytes() + from, Rom::kSliceSize, own_bytes_.data() + to);
}

void Cartridge::WriteRam(unsigned at, std::uint8_t value) {
  state_.ram[at] = value;
  for (std::size_t bank = 0; bank < rom_->Banks(); ++bank) {
    own_bytes_[bank * kViewSize + kReadPort + at] = value;
  }
}

// Switches banks if that is what an access to this place of the 4 KiB does.
void Cartridge::Switch(unsigned offset) {
  switch (Kind()) {
    case CartridgeKind::kF8:
    case CartridgeKind::kF8SC:
    case CartridgeKind::kDpc:
      if (offset - 0xff8 < 2) SelectBank(offset - 0xff8);
      break;
    case CartridgeKind::kF6:
    case CartridgeKind::kF6SC:
      if (offset - 0xff6 < 4) SelectBank(offset - 0xff6);
      break;
    case CartridgeKind::kE0:
      if (offset - 0xfe0 < 24) SelectSlice((offset - 0xfe0) / 8, offset & 7);
      break;
    default: break;
  }
}

std::uint8_t Cartridge::Read(unsigned address, unsigned cycles) {
  const unsigned offset = address & kOffsetMask;
  if (is_selected_by_address_) {
    return rom_->Bytes()[offset + ((address & 0x2000) != 0 ? 0 : kViewSize)];
  }
  if (is_clocked_) {
    state_.dpc.ClockRandom();
    if (offset < 0x40) return state_.dpc.Read(offset, rom_->DisplayData(), cycles);
  }
  Switch(offset);
  return view_[offset];
}

void Cartridge::Write(unsigned address, std::uint8_t value, unsigned cycles) {
  const unsigned offset = address & kOffsetMask;
  if (rom_->HasRam() && offset - kWritePort < kRamSize) {
    WriteRam(offset - kWritePort, value);
  } else if (is_clocked_ && offset - 0x40 < 0x40) {
    state_.dpc.ClockRandom();
    state_.dpc.Write(offset, value);
  } else if (!is_selected_by_address_) {
    Read(address, cycles);  // switches as a read does, and clocks as one
  }
}

void Cartridge::ClockFetch(unsigned first, unsigned length) {
  for (unsigned at = first; at < first + length; ++at) {
    if (at >= 0xfc0) state_.dpc.ClockRandom();
  }
}

void Cartridge::Serialize(Archive& archive) {
  archive.Index(state_.bank, rom_->Banks());
  archive.Index(state_.slices, 8);
  if (rom_->HasRam()) archive.Any(state_.ram);
  if (is_clocked_) state_.dpc.Serialize(archive);
  if (archive.IsReader()) ShowState();
}

}  // namespace envpool::atari2600
