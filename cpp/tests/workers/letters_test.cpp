// Letters of any length, one after the other.
#include "workers/letters.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace envpool {
namespace {

TEST(Letters, TakeTheSameMemoryAgain) {
  const File file = File::Create("test");
  LetterWriter writer(file, 1);
  const auto memory = [&file] {
    struct stat status;
    fstat(file.Descriptor(), &status);
    return status.st_blocks * 512;
  };
  writer.Write(0, std::string(1'000'000, 'x'));
  const auto before = memory();
  for (std::size_t i = 0; i < 1000; ++i) writer.Write(0, std::string(1'000'000 - i, 'x'));
  EXPECT_EQ(memory(), before);
}

TEST(Letters, AreLeftInPeaceByTheNextWriter) {
  const File file = File::Create("test");
  const Letter first = LetterWriter(file, 1).Write(0, "first");
  const Letter second = LetterWriter(file, 1).Write(0, "second");
  EXPECT_EQ(ReadLetter(file, first), "first");
  EXPECT_EQ(ReadLetter(file, second), "second");
}

TEST(Letters, ThatEndTooSoonAreRefused) {
  const File file = File::Create("test");
  EXPECT_THROW(ReadLetter(file, {0, 10}), std::runtime_error);
}

}  // namespace
}  // namespace envpool
