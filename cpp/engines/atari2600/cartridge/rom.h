// Rom: what is burnt into a cartridge, decoded for the interpreter. It never changes, so all
// machines that play a game share one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "atari2600/cpu/opcodes.h"

namespace envpool::atari2600 {

// How more than 4 KiB are reached. "Sc" are the kinds with 128 bytes of RAM.
enum class CartridgeKind : std::uint8_t { k2K, k4K, kF8, kF6, kF8SC, kF6SC, kE0, kFE, kDpc };

inline constexpr std::size_t kViewSize = 4096;  // what the processor sees of a cartridge

class Rom {
 public:
  // What an interpreter may read behind the last byte: operands of an instruction that is there.
  static constexpr std::size_t kPadding = 2;

  static constexpr std::size_t kSliceSize = 1024;        // of E0
  static constexpr std::size_t kDisplayDataSize = 2048;  // of the DPC

  // Throws std::invalid_argument if the kind of cartridge has another size.
  static std::shared_ptr<const Rom> Load(std::span<const std::uint8_t> bytes, CartridgeKind kind);

  CartridgeKind Kind() const { return kind_; }
  std::size_t Banks() const { return instructions_.size() / kViewSize; }
  bool HasRam() const { return kind_ == CartridgeKind::kF8SC || kind_ == CartridgeKind::kF6SC; }

  // Returns the blocks of 64 bytes of the 4 KiB where an access does more than read ROM.
  std::uint64_t HotBlocks() const;

  // Return Banks() * kViewSize bytes, which kPadding bytes follow, and as many instructions.
  const std::uint8_t* Bytes() const { return bytes_.data(); }
  const Instruction* Instructions() const { return instructions_.data(); }

  // Returns the graphics of the DPC, kDisplayDataSize bytes.
  const std::uint8_t* DisplayData() const { return display_data_.data(); }

 private:
  Rom(std::span<const std::uint8_t> bytes, CartridgeKind kind);
  void DecodeAll();

  CartridgeKind kind_;
  std::vector<std::uint8_t> bytes_;
  std::vector<Instruction> instructions_;
  std::vector<std::uint8_t> display_data_;
};

}  // namespace envpool::atari2600
