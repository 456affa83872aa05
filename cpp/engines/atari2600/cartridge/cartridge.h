// Cartridge: the 4 KiB of a cartridge that the processor sees at the moment, and what accesses do
// beyond reading them: switch banks, write RAM, use the DPC.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "atari2600/cartridge/dpc.h"
#include "atari2600/cartridge/rom.h"
#include "envpool/archive.h"

namespace envpool::atari2600 {

inline constexpr std::size_t kRamSize = 128;  // of the console, and of cartridges that have some

class Cartridge {
 public:
  // All of a cartridge that changes. Copy it to keep it.
  struct State {
    std::uint8_t bank = 0;
    std::array<std::uint8_t, 3> slices = {};  // of E0; the last of the four never changes
    std::array<std::uint8_t, kRamSize> ram = {};
    Dpc dpc;
  };

  explicit Cartridge(std::shared_ptr<const Rom> rom);

  // Switches to the first bank. `draw` returns the next random byte, for the RAM.
  template <class Draw>
  void Reset(const Draw& draw);

  CartridgeKind Kind() const { return rom_->Kind(); }

  // Returns the 4 KiB that are switched in, until the next access that is hot, or writes.
  const std::uint8_t* View() const { return view_; }

  // Returns the decoded instruction at a place of the 4 KiB. Those that are switched in together
  // follow each other: slices, or the whole.
  const Instruction* InstructionAt(unsigned offset) const {
    if (!HasSlices()) [[likely]]
      return instructions_ + offset;
    const unsigned segment = offset / Rom::kSliceSize;
    const unsigned slice = segment < state_.slices.size() ? state_.slices[segment] : kLastSlice;
    return instructions_ + slice * Rom::kSliceSize + offset % Rom::kSliceSize;
  }
  bool HasSlices() const { return has_slices_; }

  // True if a read of this address does more than look at View().
  bool IsHot(unsigned address) const { return (hot_blocks_ >> (address >> 6 & 63) & 1) != 0; }

  // True if the bank depends on where the processor runs: then SelectByAddress has to be called.
  bool IsSelectedByAddress() const { return is_selected_by_address_; }
  void SelectByAddress(unsigned address) { SelectBank((address & 0x2000) != 0 ? 0 : 1); }

  std::uint8_t Read(unsigned address, unsigned cycles);
  void Write(unsigned address, std::uint8_t value, unsigned cycles);

  // Pitfall II runs code among the DPC's addresses, whose fetch counts as an access, too.
  bool IsClocked() const { return is_clocked_; }
  void ClockFetch(unsigned first, unsigned length);

  std::span<const std::uint8_t, kRamSize> Ram() const { return state_.ram; }

  const State& Save() const { return state_; }
  void Restore(const State& state);

  void Rebase(unsigned by) { state_.dpc.Rebase(by); }
  void Serialize(Archive& archive);

 private:
  static constexpr unsigned kWritePort = 0;   // where RAM is written,
  static constexpr unsigned kReadPort = 128;  // and where it is read
  static constexpr unsigned kLastSlice = 7;   // of E0: always at the end of the 4 KiB

  void SelectBank(unsigned bank);
  void SelectSlice(unsigned segment, unsigned slice);
  void CopySlice(unsigned segment, unsigned slice);
  void WriteRam(unsigned at, std::uint8_t value);
  void Switch(unsigned offset);
  void ShowState();

  std::shared_ptr<const Rom> rom_;
  // Copies of ROM with the RAM or the slices in it, for kinds that have any.
  std::vector<std::uint8_t> own_bytes_;
  const std::uint8_t* view_;
  const Instruction* instructions_;
  std::uint64_t hot_blocks_;
  bool is_selected_by_address_;
  bool has_slices_;
  bool is_clocked_;
  State state_;
};

template <class Draw>
void Cartridge::Reset(const Draw& draw) {
  const CartridgeKind kind = Kind();
  state_.dpc.Reset();
  if (rom_->HasRam()) {
    for (std::uint8_t& byte : state_.ram) byte = draw();
  }
  state_.slices = {4, 5, 6};
  const bool begins_with_second =
      kind == CartridgeKind::kF8 || kind == CartridgeKind::kF8SC || kind == CartridgeKind::kDpc;
  state_.bank = begins_with_second ? 1 : 0;
  ShowState();
}

}  // namespace envpool::atari2600
