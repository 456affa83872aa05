// Core: the processor's instructions, over registers that the interpreter keeps as local variables.
// So each function here has to be inlined, and none of them may give away the core's address.
#pragma once

#include <cstdint>

#include "atari2600/chips.h"
#include "atari2600/cpu/arithmetic.h"
#include "atari2600/cpu/opcodes.h"

namespace envpool::atari2600 {

#define ENVPOOL_INLINE [[gnu::always_inline]] inline

inline constexpr unsigned kMostInstructions = 25000;

// The fast loop looks at the number of instructions at jumps only, of which there is one in 4 KiB.
inline constexpr unsigned kHandOver = kMostInstructions - 4200;

inline constexpr unsigned kBranchLength = 2;

// The fast core runs decoded instructions, in the cartridge. The exact one runs bytes, anywhere,
// and counts instructions. Functions that return bool return true if the interpreter has to leave.
template <bool kIsExact>
class Core {
 public:
  ENVPOOL_INLINE explicit Core(Chips& chips);
  ENVPOOL_INLINE void Save() const;

  // Returns the handler of the next instruction. `handlers` are those of the bytes.
  ENVPOOL_INLINE const void* Fetch(const void* const* handlers) {
    return kIsExact ? handlers[code_[at_++]] : ip_->handler;
  }

  // Returns the byte of the decoded instruction that was fetched.
  ENVPOOL_INLINE unsigned FetchedByte() const { return ip_->code; }

  // What the exact loop does before it fetches.
  ENVPOOL_INLINE bool PrepareExact();

  // Clocks the DPC for a fetch that was.
  ENVPOOL_INLINE void ClockFetch() { chips_.cartridge.ClockFetch(ip_->place, LengthOf(ip_->code)); }

  // Runs the rest of an instruction.
  template <ExtendedOpcode kOpcode>
  ENVPOOL_INLINE bool Run();

  // The same for two in a row, or for the first only if something else comes after it.
  template <ExtendedOpcode kFirst, ExtendedOpcode kSecond>
  ENVPOOL_INLINE bool RunPair();

 private:
  using Byte = std::uint8_t;

  // An address, and the byte that was last on the data bus before it is accessed.
  struct Operand {
    unsigned address;
    Byte bus;
  };

  ENVPOOL_INLINE unsigned Cycles() const { return CyclesOf(clock_); }
  ENVPOOL_INLINE bool IsInCartridge() const {
    return !kIsExact || (registers_.code_base & 0x1000) != 0;
  }

  // Addressing.
  template <unsigned kLength>
  ENVPOOL_INLINE unsigned TakeOperand();
  ENVPOOL_INLINE unsigned ReadPointer(unsigned address);
  template <Operation kOperation, Mode kMode>
  ENVPOOL_INLINE Operand Address();
  template <Kind kKind>
  ENVPOOL_INLINE Operand Indexed(unsigned base, Byte bus, unsigned index);

  // Memory.
  template <Mode kMode>
  ENVPOOL_INLINE Byte Read(Operand operand);
  template <Mode kMode>
  ENVPOOL_INLINE bool Write(Operand operand, Byte value);
  ENVPOOL_INLINE Byte ReadZeroPage(unsigned address, Byte bus);
  ENVPOOL_INLINE bool WriteZeroPage(unsigned address, Byte value);
  ENVPOOL_INLINE Byte ReadAnywhere(unsigned address, Byte bus);
  ENVPOOL_INLINE bool WriteAnywhere(unsigned address, Byte value);
  ENVPOOL_INLINE bool WriteTia(unsigned address, Byte value);
  ENVPOOL_INLINE bool Push(unsigned value);
  ENVPOOL_INLINE Byte Pull();

  // Where the code is.
  ENVPOOL_INLINE unsigned Pc() const {
    return (registers_.code_base + (kIsExact ? at_ : ip_->place)) & 0xffff;
  }
  ENVPOOL_INLINE void GoTo(const Instruction* instruction, unsigned pc) {
    ip_ = instruction;
    registers_.code_base = pc - instruction->place;
  }
  ENVPOOL_INLINE void Enter(unsigned pc);
  ENVPOOL_INLINE void LookAtCartridge();
  ENVPOOL_INLINE bool Jump(unsigned pc);
  ENVPOOL_INLINE bool LeavesAfterJump() const;
  template <Operation kOperation>
  ENVPOOL_INLINE bool Branch();

  // Loops that wait are computed.
  template <Operation kOperation>
  ENVPOOL_INLINE bool CountDown();
  template <Operation kOperation>
  ENVPOOL_INLINE void SkipTimerLoop(unsigned address);

  // Operations.
  template <Operation kOperation, Mode kMode, unsigned kCycles>
  ENVPOOL_INLINE bool RunPlain();
  template <Operation kOperation, Mode kMode, unsigned kCycles>
  ENVPOOL_INLINE bool RunKnown();
  template <unsigned kRegister>
  ENVPOOL_INLINE bool StoreInTia(unsigned value);
  template <Operation kOperation>
  ENVPOOL_INLINE void Use(Byte value);
  template <Operation kOperation>
  ENVPOOL_INLINE void UseUndocumented(Byte value);
  template <Operation kOperation>
  ENVPOOL_INLINE Byte Stored(unsigned address);
  template <Operation kOperation>
  ENVPOOL_INLINE Byte Modified(Byte value);
  template <Operation kOperation>
  ENVPOOL_INLINE bool Condition() const;
  template <Operation kOperation>
  ENVPOOL_INLINE bool RunOther();
  template <Operation kOperation>
  ENVPOOL_INLINE void ChangeRegisters();
  ENVPOOL_INLINE bool RunJsr();
  ENVPOOL_INLINE bool RunBrk();
  ENVPOOL_INLINE bool RunRti();
  ENVPOOL_INLINE bool RunIndirectJump();

  // Flags.
  ENVPOOL_INLINE void Set(Byte& cell, unsigned value) { result_ = cell = static_cast<Byte>(value); }
  ENVPOOL_INLINE void Compare(Byte left, Byte right);
  ENVPOOL_INLINE void Add(Byte value) {
    TakeSum(AddWithCarry(a_, value, carry_, registers_.decimal));
  }
  ENVPOOL_INLINE void Subtract(Byte value) {
    TakeSum(SubtractWithCarry(a_, value, carry_, registers_.decimal));
  }
  ENVPOOL_INLINE void TakeSum(const Sum& sum);
  ENVPOOL_INLINE Byte Status() const;
  ENVPOOL_INLINE void SetStatus(unsigned status);

  Chips& chips_;
  Registers& registers_;             // those that are seldom used stay there
  const Byte* code_ = nullptr;       // the cartridge's 4 KiB, or the zero page
  const Instruction* ip_ = nullptr;  // where the fast core is,
  unsigned at_ = 0;                  // and where in the code the exact one is
  Byte a_, x_, y_, stack_;
  unsigned carry_, result_;
  Clock clock_;
};

template <bool kIsExact>
Core<kIsExact>::Core(Chips& chips)
    : chips_(chips),
      registers_(chips.registers),
      a_(registers_.a),
      x_(registers_.x),
      y_(registers_.y),
      stack_(registers_.stack),
      carry_(registers_.carry),
      result_(registers_.result),
      clock_(registers_.clock) {
  Enter(registers_.pc);
}

template <bool kIsExact>
void Core<kIsExact>::Save() const {
  registers_.a = a_;
  registers_.x = x_;
  registers_.y = y_;
  registers_.stack = stack_;
  registers_.carry = carry_;
  registers_.result = result_;
  registers_.clock = clock_;
  registers_.pc = static_cast<std::uint16_t>(Pc());
}

// ---- Where the code is.

template <bool kIsExact>
void Core<kIsExact>::Enter(unsigned pc) {
  if (!kIsExact || (pc & 0x1000) != 0) {
    if (chips_.cartridge.IsSelectedByAddress()) [[unlikely]]
      chips_.cartridge.SelectByAddress(pc);
    code_ = chips_.cartridge.View();
    if (!kIsExact) return GoTo(chips_.cartridge.InstructionAt(pc & 0xfff), pc);
    at_ = pc & 0xfff;
    registers_.code_base = pc & 0xf000;
  } else {
    // ALE reads the TIA's and the RIOT's registers where code runs in them, which no game does.
    at_ = pc & 0xff;
    registers_.code_base = pc & 0xff00;
    code_ = chips_.zero_page.data();
  }
}

template <bool kIsExact>
void Core<kIsExact>::LookAtCartridge() {
  if (!IsInCartridge()) return;
  code_ = chips_.cartridge.View();
  if (!kIsExact) ip_ = chips_.cartridge.InstructionAt(Pc() & 0xfff);
}

template <bool kIsExact>
bool Core<kIsExact>::PrepareExact() {
  if (!kIsExact) return false;
  if (InstructionsOf(clock_) >= kMostInstructions) return true;
  if (at_ >= (IsInCartridge() ? kViewSize : 256)) Enter(Pc());
  if (IsInCartridge() && chips_.cartridge.IsClocked()) {
    chips_.cartridge.ClockFetch(at_, LengthOf(code_[at_]));
  }
  return false;
}

// True if the exact loop can end or the fast one has to.
template <bool kIsExact>
bool Core<kIsExact>::LeavesAfterJump() const {
  if (!kIsExact) return InstructionsOf(clock_) > kHandOver;
  return IsInCartridge() && InstructionsOf(clock_) <= kHandOver;
}

template <bool kIsExact>
bool Core<kIsExact>::Jump(unsigned pc) {
  if (!kIsExact && (pc & 0x1000) == 0) [[unlikely]] {
    registers_.code_base = pc - ip_->place;  // so that Pc() is right; the exact loop goes on there
    return true;
  }
  if (kIsExact || chips_.cartridge.IsSelectedByAddress()) [[unlikely]] {
    Enter(pc);
  } else {
    GoTo(chips_.cartridge.InstructionAt(pc & 0xfff), pc);
  }
  return LeavesAfterJump();
}

template <bool kIsExact>
template <Operation kOperation>
bool Core<kIsExact>::Branch() {
  if constexpr (kIsExact) {
    const auto distance = static_cast<unsigned>(static_cast<std::int8_t>(code_[at_++]));
    if (!Condition<kOperation>()) return false;
    const unsigned target = at_ + distance;
    clock_ += 1 + ((target ^ at_) > 0xff ? 1 : 0);
    at_ = target;
  } else {
    const Instruction& branch = *ip_;
    if (!Condition<kOperation>()) {
      ip_ += kBranchLength;
      return false;
    }
    clock_ += branch.taken;
    ip_ += static_cast<std::int16_t>(branch.operand);
  }
  return LeavesAfterJump();
}

// Runs the branch of a loop that does nothing but count X or Y down, and all the rest of the loop.
template <bool kIsExact>
template <Operation kOperation>
bool Core<kIsExact>::CountDown() {
  const Instruction& branch = *ip_;
  const bool is_x = kOpcodes[ip_[-1].code].operation == Operation::kDEX;
  ip_ += kBranchLength;
  if (!Condition<kOperation>()) return false;
  const unsigned left = is_x ? x_ : y_;
  constexpr bool kCountsZero = kOperation == Operation::kBPL;
  const unsigned rounds = kCountsZero ? left + 1 : left;
  clock_ += rounds * (2 * kOneInstruction + 2 + 2 + branch.taken);
  // A reference to either of the two would keep both of them in memory all the time.
  constexpr Byte kEnd = kCountsZero ? 0xff : 0;
  if (is_x) {
    Set(x_, kEnd);
  } else {
    Set(y_, kEnd);
  }
  return LeavesAfterJump();
}

// Goes through a loop that reads the timer and branches back to the reading, as often as it is
// certain to. The instruction that reads was fetched, and the next one is the branch.
template <bool kIsExact>
template <Operation kOperation>
void Core<kIsExact>::SkipTimerLoop(unsigned address) {
  constexpr bool kIsBit = kOperation == Operation::kBIT;
  constexpr bool kLoads = kOperation == Operation::kLDA || kOperation == Operation::kLDX ||
                          kOperation == Operation::kLDY;
  constexpr auto kToReading = static_cast<std::uint16_t>(-3);
  if constexpr (!kIsExact && (kLoads || kIsBit)) {
    if ((address & 0x1285) != 0x284 || ip_->operand != kToReading) [[likely]]
      return;
    const Operation branch = kOpcodes[ip_->code].operation;
    if (kIsBit && branch == Operation::kBNE) return;  // depends on A, too
    const unsigned period = 4 + 2 + ip_->taken;
    const unsigned rounds = chips_.riot.RoundsToWait(branch, period, Cycles());
    if (InstructionsOf(clock_) + 2 * rounds < kHandOver) {
      clock_ += Clock{rounds} * (2 * kOneInstruction + period);
    }
  }
}

// ---- Memory.

template <bool kIsExact>
auto Core<kIsExact>::ReadZeroPage(unsigned address, Byte bus) -> Byte {
  if ((address & 0x180) == 0x80) [[likely]]
    return chips_.zero_page[address];
  return chips_.tia.Read(address, bus, Cycles());
}

template <bool kIsExact>
bool Core<kIsExact>::WriteTia(unsigned address, Byte value) {
  const unsigned before = Cycles();
  clock_ += chips_.tia.Write(address & (kTiaRegisters - 1), value, before) - before;
  return chips_.tia.FrameIsOver();
}

template <bool kIsExact>
bool Core<kIsExact>::WriteZeroPage(unsigned address, Byte value) {
  if ((address & 0x80) == 0) return WriteTia(address, value);
  chips_.zero_page[address & 0xff] = value;
  return false;
}

template <bool kIsExact>
auto Core<kIsExact>::ReadAnywhere(unsigned address, Byte bus) -> Byte {
  if ((address & 0x1000) != 0) {
    if (!chips_.cartridge.IsHot(address)) [[likely]] {
      return (kIsExact ? chips_.cartridge.View() : code_)[address & 0xfff];
    }
    const Byte value = chips_.cartridge.Read(address, Cycles());
    LookAtCartridge();
    return value;
  }
  if ((address & 0x80) == 0) return chips_.tia.Read(address, bus, Cycles());
  if ((address & 0x200) != 0) return chips_.riot.Read(address, Cycles());
  return chips_.zero_page[address & 0xff];
}

template <bool kIsExact>
bool Core<kIsExact>::WriteAnywhere(unsigned address, Byte value) {
  if ((address & 0x1000) != 0) {
    chips_.cartridge.Write(address, value, Cycles());
    LookAtCartridge();
    return false;
  }
  if ((address & 0x80) == 0) return WriteTia(address, value);
  if ((address & 0x200) != 0) {
    chips_.riot.Write(address, value, Cycles());
  } else {
    chips_.zero_page[address & 0xff] = value;
  }
  return false;
}

template <bool kIsExact>
bool Core<kIsExact>::Push(unsigned value) {
  const unsigned address = stack_--;
  return WriteZeroPage(address, static_cast<Byte>(value));
}

// ALE: before a byte is pulled, the one below is read, which is what the TIA then finds on the bus.
template <bool kIsExact>
auto Core<kIsExact>::Pull() -> Byte {
  const unsigned below = stack_++;
  if ((stack_ & 0x80) != 0) [[likely]]
    return chips_.zero_page[stack_];
  const Byte bus = ReadZeroPage(below, kIsExact ? code_[at_ - 1] : ip_[-1].code);
  return chips_.tia.Read(stack_, bus, Cycles());
}

template <bool kIsExact>
template <Mode kMode>
auto Core<kIsExact>::Read(Operand operand) -> Byte {
  if constexpr (kMode == Mode::kZeroPage || kMode == Mode::kZeroPageX ||
                kMode == Mode::kZeroPageY) {
    return ReadZeroPage(operand.address, operand.bus);
  } else {
    return ReadAnywhere(operand.address, operand.bus);
  }
}

template <bool kIsExact>
template <Mode kMode>
bool Core<kIsExact>::Write(Operand operand, Byte value) {
  if constexpr (kMode == Mode::kZeroPage || kMode == Mode::kZeroPageX ||
                kMode == Mode::kZeroPageY) {
    return WriteZeroPage(operand.address, value);
  } else {
    return WriteAnywhere(operand.address, value);
  }
}

template <bool kIsExact>
template <unsigned kRegister>
bool Core<kIsExact>::StoreInTia(unsigned value) {
  clock_ += kOneInstruction + 3;
  TakeOperand<2>();
  const unsigned before = Cycles();
  clock_ += chips_.tia.template Write<kRegister>(value, before) - before;
  return chips_.tia.FrameIsOver();
}

// ---- Addressing.

// Returns the byte or the word that an instruction of so many bytes has as its operand, and goes to
// the next instruction.
template <bool kIsExact>
template <unsigned kLength>
unsigned Core<kIsExact>::TakeOperand() {
  if constexpr (!kIsExact) {
    const unsigned operand = ip_->operand;
    ip_ += kLength;
    return operand;
  } else {
    const unsigned low = kLength > 1 ? code_[at_] : 0;
    const unsigned high = kLength > 2 ? code_[at_ + 1] : 0;
    at_ += kLength - 1;
    return low | high << 8;
  }
}

// ALE: a pointer at 0xFF has its high byte at 0x100, which is in the TIA.
template <bool kIsExact>
unsigned Core<kIsExact>::ReadPointer(unsigned address) {
  const Byte low = ReadZeroPage(address, static_cast<Byte>(address));
  const unsigned high = ReadZeroPage(address + 1, low);
  return low | high << 8;
}

// Adds an index to an address. Reading takes a cycle more if that crosses into another page.
template <bool kIsExact>
template <Kind kKind>
auto Core<kIsExact>::Indexed(unsigned base, Byte bus, unsigned index) -> Operand {
  const unsigned address = (base + index) & 0xffff;
  if constexpr (kKind == Kind::kReads) clock_ += (base ^ address) > 0xff ? 1 : 0;
  return {address, bus};
}

template <bool kIsExact>
template <Operation kOperation, Mode kMode>
auto Core<kIsExact>::Address() -> Operand {
  constexpr Kind kKind = KindOf(kOperation);
  if constexpr (kMode == Mode::kAbsolute || kMode == Mode::kAbsoluteX ||
                kMode == Mode::kAbsoluteY) {
    const unsigned word = TakeOperand<3>();
    const auto bus = static_cast<Byte>(word >> 8);
    if constexpr (kMode == Mode::kAbsolute) return {word, bus};
    return Indexed<kKind>(word, bus, kMode == Mode::kAbsoluteX ? x_ : y_);
  } else {
    const auto byte = static_cast<Byte>(TakeOperand<2>());
    switch (kMode) {
      case Mode::kZeroPageX: return {(byte + x_) & 0xffU, byte};
      case Mode::kZeroPageY: return {(byte + y_) & 0xffU, byte};
      case Mode::kIndirectX: {
        const unsigned pointer = ReadPointer((byte + x_) & 0xffU);
        return {pointer, static_cast<Byte>(pointer >> 8)};
      }
      case Mode::kIndirectY: {
        const unsigned pointer = ReadPointer(byte);
        return Indexed<kKind>(pointer, static_cast<Byte>(pointer >> 8), y_);
      }
      default: return {byte, byte};
    }
  }
}

// ---- Flags.

template <bool kIsExact>
void Core<kIsExact>::Compare(Byte left, Byte right) {
  result_ = static_cast<Byte>(left - right);
  carry_ = left >= right ? 1 : 0;
}

template <bool kIsExact>
void Core<kIsExact>::TakeSum(const Sum& sum) {
  a_ = sum.value;
  carry_ = sum.carry;
  registers_.overflow = sum.overflow;
  result_ = sum.result;
}

// ALE: the bits 4 and 5 are always set.
template <bool kIsExact>
auto Core<kIsExact>::Status() const -> Byte {
  return static_cast<Byte>(((result_ & 0x8080) != 0 ? 0x80 : 0) | (registers_.overflow ? 0x40 : 0) |
                           0x30 | (registers_.decimal ? 8 : 0) |
                           (registers_.masks_interrupts ? 4 : 0) | ((result_ & 0xff) != 0 ? 0 : 2) |
                           static_cast<int>(carry_));
}

template <bool kIsExact>
void Core<kIsExact>::SetStatus(unsigned status) {
  registers_.overflow = (status & 0x40) != 0;
  registers_.decimal = (status & 8) != 0;
  registers_.masks_interrupts = (status & 4) != 0;
  carry_ = status & 1;
  result_ = (status & 0x80) << 8 | ((status & 2) != 0 ? 0 : 1);
}

// ---- Operations.

template <bool kIsExact>
template <Operation kOperation>
void Core<kIsExact>::Use(Byte value) {
  switch (kOperation) {
    case Operation::kADC: return Add(value);
    case Operation::kAND: return Set(a_, a_ & value);
    case Operation::kBIT:
      result_ = (a_ & value) | (value & 0x80U) << 8;
      registers_.overflow = (value & 0x40) != 0;
      return;
    case Operation::kCMP: return Compare(a_, value);
    case Operation::kCPX: return Compare(x_, value);
    case Operation::kCPY: return Compare(y_, value);
    case Operation::kEOR: return Set(a_, a_ ^ value);
    case Operation::kLDA: return Set(a_, value);
    case Operation::kLDX: return Set(x_, value);
    case Operation::kLDY: return Set(y_, value);
    case Operation::kNOP: return;
    case Operation::kORA: return Set(a_, a_ | value);
    case Operation::kSBC: return Subtract(value);
    default: return UseUndocumented<kOperation>(value);
  }
}

template <bool kIsExact>
template <Operation kOperation>
void Core<kIsExact>::UseUndocumented(Byte value) {
  constexpr unsigned kUnstable = 0xee;  // ALE: what ANE and LXA mix into A
  switch (kOperation) {
    case Operation::kALR: carry_ = a_ & value & 1U; return Set(a_, (a_ & value) >> 1);
    case Operation::kANC:
      Set(a_, a_ & value);
      carry_ = a_ >> 7;
      return;
    case Operation::kANE: return Set(a_, (a_ | kUnstable) & x_ & value);
    case Operation::kARR: return TakeSum(AndRotate(a_, value, carry_, registers_.decimal));
    case Operation::kLAS:
      stack_ &= value;
      x_ = stack_;
      return Set(a_, stack_);
    case Operation::kLAX: x_ = value; return Set(a_, value);
    case Operation::kLXA:
      Set(a_, (a_ | kUnstable) & value);
      x_ = a_;
      return;
    case Operation::kSBX: {
      const Byte both = a_ & x_;
      Compare(both, value);
      x_ = static_cast<Byte>(both - value);
      return;
    }
    default: return;
  }
}

// Returns the value to store. Some depend on the address, in ways that nobody intended.
template <bool kIsExact>
template <Operation kOperation>
auto Core<kIsExact>::Stored(unsigned address) -> Byte {
  const unsigned next_page = (address >> 8) + 1;
  switch (kOperation) {
    case Operation::kSTX: return x_;
    case Operation::kSTY: return y_;
    case Operation::kSAX: return a_ & x_;
    case Operation::kSHA: return static_cast<Byte>(a_ & x_ & next_page);
    case Operation::kSHX: return static_cast<Byte>(x_ & next_page);
    case Operation::kSHY: return static_cast<Byte>(y_ & next_page);
    case Operation::kTAS: stack_ = a_ & x_; return static_cast<Byte>(stack_ & next_page);
    default: return a_;
  }
}

template <bool kIsExact>
template <Operation kOperation>
auto Core<kIsExact>::Modified(Byte value) -> Byte {
  using enum Operation;
  constexpr bool kShiftsLeft = kOperation == kASL || kOperation == kSLO;
  constexpr bool kRotatesLeft = kOperation == kROL || kOperation == kRLA;
  constexpr bool kShiftsRight = kOperation == kLSR || kOperation == kSRE;
  constexpr bool kRotatesRight = kOperation == kROR || kOperation == kRRA;
  Byte changed = 0;
  if constexpr (kShiftsLeft || kRotatesLeft) {
    changed = static_cast<Byte>(value << 1 | (kRotatesLeft ? carry_ : 0));
    carry_ = value >> 7;
  } else if constexpr (kShiftsRight || kRotatesRight) {
    changed = static_cast<Byte>(value >> 1 | (kRotatesRight ? carry_ << 7 : 0));
    carry_ = value & 1;
  } else {
    constexpr bool kDecrements = kOperation == kDEC || kOperation == kDCP;
    changed = static_cast<Byte>(kDecrements ? value - 1 : value + 1);
  }
  switch (kOperation) {
    case kSLO: Set(a_, a_ | changed); break;
    case kRLA: Set(a_, a_ & changed); break;
    case kSRE: Set(a_, a_ ^ changed); break;
    case kRRA: Add(changed); break;
    case kDCP: Compare(a_, changed); break;
    case kISC: Subtract(changed); break;
    default: result_ = changed; break;
  }
  return changed;
}

template <bool kIsExact>
template <Operation kOperation>
bool Core<kIsExact>::Condition() const {
  switch (kOperation) {
    case Operation::kBPL: return (result_ & 0x8080) == 0;
    case Operation::kBMI: return (result_ & 0x8080) != 0;
    case Operation::kBVC: return !registers_.overflow;
    case Operation::kBVS: return registers_.overflow;
    case Operation::kBCC: return carry_ == 0;
    case Operation::kBCS: return carry_ != 0;
    case Operation::kBNE: return (result_ & 0xff) != 0;
    default: return (result_ & 0xff) == 0;
  }
}

template <bool kIsExact>
template <Operation kOperation>
void Core<kIsExact>::ChangeRegisters() {
  switch (kOperation) {
    case Operation::kCLC: carry_ = 0; return;
    case Operation::kCLD: registers_.decimal = false; return;
    case Operation::kCLI: registers_.masks_interrupts = false; return;
    case Operation::kCLV: registers_.overflow = false; return;
    case Operation::kSEC: carry_ = 1; return;
    case Operation::kSED: registers_.decimal = true; return;
    case Operation::kSEI: registers_.masks_interrupts = true; return;
    case Operation::kDEX: return Set(x_, x_ - 1U);
    case Operation::kDEY: return Set(y_, y_ - 1U);
    case Operation::kINX: return Set(x_, x_ + 1U);
    case Operation::kINY: return Set(y_, y_ + 1U);
    case Operation::kTAX: return Set(x_, a_);
    case Operation::kTAY: return Set(y_, a_);
    case Operation::kTSX: return Set(x_, stack_);
    case Operation::kTXA: return Set(a_, x_);
    case Operation::kTXS: stack_ = x_; return;
    case Operation::kTYA: return Set(a_, y_);
    default: return;
  }
}

template <bool kIsExact>
template <Operation kOperation>
bool Core<kIsExact>::RunOther() {
  switch (kOperation) {
    case Operation::kPHA: return Push(a_);
    case Operation::kPHP: return Push(Status());
    case Operation::kPLA: Set(a_, Pull()); return false;
    case Operation::kPLP: SetStatus(Pull()); return false;
    case Operation::kJMP: return Jump(TakeOperand<3>());
    case Operation::kJSR: return RunJsr();
    case Operation::kBRK: return RunBrk();
    case Operation::kRTI: return RunRti();
    case Operation::kRTS: {
      const unsigned low = Pull();
      const unsigned high = Pull();
      return Jump(((low | high << 8) + 1) & 0xffff);
    }
    case Operation::kJAM:
      // It does not go on. Instructions that take no time bring the frame to where it is left. Only
      // the exact core comes here.
      --at_;
      clock_ = CyclesOf(clock_) | kMostInstructions * kOneInstruction;
      return true;
    default: ChangeRegisters<kOperation>(); return false;
  }
}

template <bool kIsExact>
bool Core<kIsExact>::RunJsr() {
  const unsigned target = TakeOperand<3>();
  const unsigned last = (Pc() - 1) & 0xffff;  // of its bytes
  bool leaves = Push(last >> 8);
  leaves |= Push(last);
  leaves |= Jump(target);
  return leaves;
}

template <bool kIsExact>
bool Core<kIsExact>::RunBrk() {
  TakeOperand<LengthOf(Operation::kBRK, Mode::kImplied)>();
  const unsigned pc = Pc();
  bool leaves = Push(pc >> 8);
  leaves |= Push(pc);
  leaves |= Push(Status());
  registers_.masks_interrupts = true;
  const unsigned low = ReadAnywhere(0xfffe, 0);
  const unsigned high = ReadAnywhere(0xffff, 0);
  leaves |= Jump(low | high << 8);
  return leaves;
}

template <bool kIsExact>
bool Core<kIsExact>::RunRti() {
  SetStatus(Pull());
  const unsigned low = Pull();
  const unsigned high = Pull();
  return Jump(low | high << 8);
}

// A pointer at the end of a page has its high byte at the page's beginning: the 6502's error.
template <bool kIsExact>
bool Core<kIsExact>::RunIndirectJump() {
  const unsigned pointer = TakeOperand<3>();
  const unsigned second = (pointer & 0xff00) | ((pointer + 1) & 0xff);
  const Byte low = ReadAnywhere(pointer, static_cast<Byte>(pointer >> 8));
  const unsigned high = ReadAnywhere(second, low);
  return Jump(low | high << 8);
}

// ---- Instructions.

template <bool kIsExact>
template <ExtendedOpcode kOpcode>
bool Core<kIsExact>::Run() {
  constexpr Opcode kByte = kOpcodes[kOpcode % 256];
  if constexpr (kOpcode < kKnown) {
    return RunPlain<kByte.operation, kByte.mode, kByte.cycles>();
  } else if constexpr (kIsExact) {
    return true;  // never called: it has no extended opcodes
  } else if constexpr (kOpcode < kStoreA) {
    return RunKnown<kByte.operation, kByte.mode, kByte.cycles>();
  } else if constexpr (kOpcode < kStoreX) {
    return StoreInTia<kOpcode - kStoreA>(a_);
  } else if constexpr (kOpcode < kStoreY) {
    return StoreInTia<kOpcode - kStoreX>(x_);
  } else {
    return StoreInTia<kOpcode - kStoreY>(y_);
  }
}

template <bool kIsExact>
template <ExtendedOpcode kFirst, ExtendedOpcode kSecond>
bool Core<kIsExact>::RunPair() {
  if constexpr (kIsExact) return true;  // never called
  const Instruction* const second = ip_ + LengthOf(kFirst);
  if (Run<kFirst>()) return true;
  if (ip_ != second) return false;  // a branch is taken, or a bank switched
  return Run<kSecond>();
}

template <bool kIsExact>
template <Operation kOperation, Mode kMode, unsigned kCycles>
bool Core<kIsExact>::RunPlain() {
  constexpr Kind kKind = KindOf(kOperation);
  clock_ += kOneInstruction + kCycles;
  if constexpr (kMode == Mode::kRelative) {
    return Branch<kOperation>();
  } else if constexpr (kMode == Mode::kIndirect) {
    return RunIndirectJump();
  } else if constexpr (kKind == Kind::kOther) {
    if constexpr (LengthOf(kOperation, kMode) == 1) TakeOperand<1>();
    return RunOther<kOperation>();
  } else if constexpr (kMode == Mode::kImplied) {
    TakeOperand<1>();
    return false;  // NOP
  } else if constexpr (kMode == Mode::kAccumulator) {
    TakeOperand<1>();
    a_ = Modified<kOperation>(a_);
    return false;
  } else if constexpr (kMode == Mode::kImmediate) {
    Use<kOperation>(static_cast<Byte>(TakeOperand<2>()));
    return false;
  } else {
    const Operand operand = Address<kOperation, kMode>();
    if constexpr (kKind == Kind::kReads) {
      if constexpr (kMode == Mode::kAbsolute) SkipTimerLoop<kOperation>(operand.address);
      Use<kOperation>(Read<kMode>(operand));
      return false;
    } else if constexpr (kKind == Kind::kStores) {
      return Write<kMode>(operand, Stored<kOperation>(operand.address));
    } else {
      return Write<kMode>(operand, Modified<kOperation>(Read<kMode>(operand)));
    }
  }
}

template <bool kIsExact>
template <Operation kOperation, Mode kMode, unsigned kCycles>
bool Core<kIsExact>::RunKnown() {
  constexpr Kind kKind = KindOf(kOperation);
  if constexpr (!HasKnownForm(kOperation, kMode)) return true;  // never called
  clock_ += kOneInstruction + kCycles;
  if constexpr (kMode == Mode::kRelative) {
    return CountDown<kOperation>();
  } else if constexpr (kMode == Mode::kZeroPage) {
    Byte& cell = chips_.zero_page[TakeOperand<2>()];
    if constexpr (kKind == Kind::kReads) {
      Use<kOperation>(cell);
    } else if constexpr (kKind == Kind::kStores) {
      cell = Stored<kOperation>(0);
    } else {
      cell = Modified<kOperation>(cell);
    }
  } else if constexpr (kMode == Mode::kIndirectY) {
    const unsigned at = TakeOperand<2>();
    const unsigned pointer = chips_.zero_page[at] | unsigned{chips_.zero_page[at + 1]} << 8;
    const Operand operand = Indexed<kKind>(pointer, static_cast<Byte>(pointer >> 8), y_);
    Use<kOperation>(Read<kMode>(operand));
  } else {
    const Operand operand = Address<kOperation, kMode>();
    Use<kOperation>(code_[operand.address & 0xfff]);
  }
  return false;
}

#undef ENVPOOL_INLINE

}  // namespace envpool::atari2600
