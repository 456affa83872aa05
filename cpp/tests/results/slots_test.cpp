// The slots of a rollout: in which order they are leased, and what must happen in between.
#include "results/slots.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

namespace envpool {
namespace {

constexpr std::size_t kBytes = 128;

std::string Refusal(Slots& slots, void (*call)(Slots&)) {
  try {
    call(slots);
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}
void Take(Slots& slots) { slots.GiveBack(slots.Take()); }
void Restart(Slots& slots) { slots.Restart(); }

TEST(Slots, LieBehindEachOtherOnCacheLinesAndAreZero) {
  const auto slots = std::make_shared<Slots>(kBytes, 3, 3);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(slots->Memory()) % 64, 0U);
  slots->Rewind();
  for (std::size_t i = 0; i < 3; ++i) {
    const BlockLease lease(slots);
    EXPECT_EQ(lease.get(), slots->Memory() + i * kBytes);
    EXPECT_EQ(lease.get()[kBytes - 1], std::byte{0});
    EXPECT_EQ(slots->Fill(), i);
  }
}

TEST(Slots, LeasesOutliveTheirOwner) {
  auto slots = std::make_shared<Slots>(kBytes, 1, 1);
  slots->Rewind();
  const BlockLease lease(slots);
  slots.reset();
  lease.get()[kBytes - 1] = std::byte{1};
  EXPECT_EQ(lease.get()[kBytes - 1], std::byte{1});
}

TEST(Slots, RefuseWhenTheyAreFull) {
  Slots slots(kBytes, 2, 2);
  slots.Rewind();
  Take(slots);
  slots.Fill();
  Take(slots);
  slots.Fill();
  EXPECT_EQ(Refusal(slots, Take), "the rollout is full, with 1 steps: begin() the next one");
  EXPECT_EQ(slots.Taken(), 2U);
}

TEST(Slots, RefuseAllButARewindAfterOneThatWasNotFilled) {
  Slots slots(kBytes, 3, 3);
  slots.Rewind();
  Take(slots);
  const std::string missing =
      "the rollout's last call failed or was interrupted, so a step is missing: reset() it";
  EXPECT_EQ(Refusal(slots, Take), missing);
  EXPECT_EQ(Refusal(slots, Restart), missing);
  slots.Rewind();
  Take(slots);
  EXPECT_EQ(slots.Fill(), 0U);
}

TEST(Slots, RestartWithACopyOfTheLastOne) {
  Slots slots(kBytes, 3, 3);
  EXPECT_EQ(Refusal(slots, Restart), "there is nothing in the rollout: reset() it");
  EXPECT_EQ(Refusal(slots, Take), "there is nothing in the rollout: reset() it");
  slots.Rewind();
  for (int i = 0; i < 3; ++i) {
    Block block = slots.Take();
    block[kBytes - 1] = static_cast<std::byte>(i);
    slots.GiveBack(std::move(block));
    slots.Fill();
  }
  slots.Restart();
  EXPECT_EQ(slots.Memory()[kBytes - 1], std::byte{2});
  Take(slots);
  EXPECT_EQ(slots.Fill(), 1U);
}

TEST(Slots, ShareBlocks) {
  Slots slots(kBytes, 4, 2);
  slots.Rewind();
  for (int i = 0; i < 4; ++i) {
    Block block = slots.Take();
    EXPECT_EQ(block.get(), slots.Memory() + i % 2 * kBytes);
    block[0] = static_cast<std::byte>(i);
    slots.GiveBack(std::move(block));
    EXPECT_EQ(slots.Fill(), static_cast<std::size_t>(i));
  }
  EXPECT_EQ(Refusal(slots, Take), "the rollout is full, with 3 steps: begin() the next one");
  slots.Restart();
  EXPECT_EQ(slots.Memory()[0], std::byte{3});
  Take(slots);
  EXPECT_EQ(slots.Fill(), 1U);
}

}  // namespace
}  // namespace envpool
