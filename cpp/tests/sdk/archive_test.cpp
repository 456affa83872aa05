#include "envpool/archive.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "envpool/random.h"

namespace envpool {
namespace {

template <class... T>
std::string Write(T&... fields) {
  std::string bytes;
  Archive archive = Archive::Writer(bytes);
  EXPECT_FALSE(archive.IsReader());
  archive(fields...);
  return bytes;
}

// Returns how many bytes are left.
template <class... T>
std::size_t Read(std::string_view bytes, T&... fields) {
  Archive archive = Archive::Reader(bytes);
  EXPECT_TRUE(archive.IsReader());
  archive(fields...);
  return archive.Unread();
}

enum class Gear : std::int8_t { kReverse = -1, kFirst = 1 };

// A Wheel lies in memory with gaps between its fields.
struct Wheel {
  bool spins = false;
  double angle = 0.0;
  std::string tyre;

  void Serialize(Archive& archive) { archive(spins, angle, tyre); }
  bool operator==(const Wheel&) const = default;
};

struct Car {
  std::int8_t doors = 0;
  std::uint64_t mileage = 0;
  float speed = 0.0F;
  Gear gear = Gear::kFirst;
  std::array<std::array<std::int16_t, 2>, 3> seats{};
  double mirrors[2][2] = {};
  std::array<Wheel, 2> wheels;
  std::string name;
  std::vector<double> forces;
  std::vector<bool> lamps;
  std::vector<std::string> riders;
  std::vector<std::vector<Gear>> gears_of_riders;
  std::vector<Wheel> spares;

  void Serialize(Archive& archive) {
    archive.Any(doors, mileage, seats);
    archive.Range(gear, Gear::kReverse, Gear::kFirst);
    archive(speed, mirrors, wheels, name, forces, lamps, riders);
    archive.Range(gears_of_riders, Gear::kReverse, Gear::kFirst);
    archive(spares);
  }
};

Car MakeCar() {
  Car car;
  car.doors = -5;
  car.mileage = std::numeric_limits<std::uint64_t>::max();
  car.speed = 1.5F;
  car.gear = Gear::kReverse;
  car.seats = {{{1, -2}, {3, -4}, {5, -6}}};
  car.mirrors[0][1] = 0.25;
  car.mirrors[1][0] = -0.5;
  car.wheels = {Wheel{true, 0.1, "summer"}, Wheel{}};
  car.name = std::string("with \0 inside", 13);
  car.forces = {1.0, -2.0, 1e300};
  car.lamps = {true, false, true, true};
  car.riders = {"", "somebody with a name too long for a short string"};
  car.gears_of_riders = {{}, {Gear::kFirst, Gear::kReverse}};
  car.spares = {Wheel{false, 2.0, "winter"}};
  return car;
}

TEST(Archive, ReadsWhatItWrote) {
  Car car = MakeCar();
  const std::string bytes = Write(car);
  Car read;
  read.forces = {9.0, 9.0, 9.0, 9.0, 9.0};  // reading replaces what there was, longer or shorter
  read.lamps = {false};
  EXPECT_EQ(Read(bytes, read), 0U);
  EXPECT_EQ(read.doors, car.doors);
  EXPECT_EQ(read.mileage, car.mileage);
  EXPECT_EQ(read.speed, car.speed);
  EXPECT_EQ(read.gear, car.gear);
  EXPECT_EQ(read.seats, car.seats);
  EXPECT_EQ(read.mirrors[0][1], 0.25);
  EXPECT_EQ(read.mirrors[1][0], -0.5);
  EXPECT_EQ(read.wheels, car.wheels);
  EXPECT_EQ(read.name, car.name);
  EXPECT_EQ(read.forces, car.forces);
  EXPECT_EQ(read.lamps, car.lamps);
  EXPECT_EQ(read.riders, car.riders);
  EXPECT_EQ(read.gears_of_riders, car.gears_of_riders);
  EXPECT_EQ(read.spares, car.spares);
  EXPECT_EQ(Write(read), bytes);
}

TEST(Archive, WritesNoBytesButTheFields) {
  Wheel wheel{true, 0.5, "ab"};
  EXPECT_EQ(Write(wheel).size(), 1 + 8 + (8 + 2));
}

TEST(Archive, KeepsTheBitsOfFloats) {
  std::vector<double> values = {-0.0, std::numeric_limits<double>::infinity(),
                                std::numeric_limits<double>::denorm_min(),
                                std::bit_cast<double>(0x7ff8'0000'0000'0123)};
  std::vector<double> read;
  Read(Write(values), read);
  ASSERT_EQ(read.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(read[i]), std::bit_cast<std::uint64_t>(values[i]));
  }
}

// A generator takes more room in memory than in the bytes.
TEST(Archive, ReadsVectorsOfGenerators) {
  std::vector<Random> generators = {Random(1), Random(2), Random(3)};
  generators[1].Integers(6);  // leaves half a draw
  const std::string bytes = Write(generators);
  std::vector<Random> read;
  EXPECT_EQ(Read(bytes, read), 0U);
  ASSERT_EQ(read.size(), 3U);
  for (std::size_t i = 0; i < read.size(); ++i) {
    for (int draw = 0; draw < 5; ++draw)
      EXPECT_EQ(read[i].Integers(100), generators[i].Integers(100));
  }
}

TEST(Archive, RefusesBytesThatEndTooEarly) {
  Car car = MakeCar();
  const std::string bytes = Write(car);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Car read;
    // A copy of its own, so that a sanitizer notices every read past its end.
    const std::vector<char> cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_THROW(Read({cut.data(), cut.size()}, read), std::invalid_argument) << size;
  }
}

template <class T>
std::string WriteInteger(T value) {
  std::string bytes;
  Archive::Writer(bytes).Any(value);
  return bytes;
}

template <class Container>
void ExpectRefused(std::uint64_t size) {
  Container container;
  EXPECT_THROW(Read(WriteInteger(size), container), std::invalid_argument) << size;
}

TEST(Archive, RefusesAbsurdLengthsBeforeTakingMemory) {
  const std::uint64_t wraps_to_zero = std::uint64_t{1} << 61;  // times the 8 bytes of a double
  for (const std::uint64_t size : {std::uint64_t{1}, wraps_to_zero, std::uint64_t{1} << 63,
                                   std::numeric_limits<std::uint64_t>::max()}) {
    ExpectRefused<std::string>(size);
    ExpectRefused<std::vector<double>>(size);
    ExpectRefused<std::vector<bool>>(size);
    ExpectRefused<std::vector<std::string>>(size);
    ExpectRefused<std::vector<Wheel>>(size);
  }
}

TEST(Archive, KnowsWhatIsUnread) {
  float one = 1.0F;
  float two = 2.0F;
  float read = 0.0F;
  EXPECT_EQ(Read(Write(one, two), read), sizeof(two));
  EXPECT_EQ(read, 1.0F);
}

// A reader that expects something takes `good` and refuses `bad`, which leaves the field alone.
template <class T, class Expect>
void ExpectOnly(std::vector<T> good, std::vector<T> bad, const Expect& expect) {
  for (const T value : good) {
    const std::string bytes = WriteInteger(value);
    T field = good[0];
    Archive archive = Archive::Reader(bytes);
    expect(archive, field);
    EXPECT_EQ(field, value);
  }
  for (const T value : bad) {
    const std::string bytes = WriteInteger(value);
    T field = good[0];
    Archive archive = Archive::Reader(bytes);
    EXPECT_THROW(expect(archive, field), std::invalid_argument) << value;
    EXPECT_EQ(field, good[0]);
  }
}

TEST(Archive, RefusesPlacesOutsideOfAnArray) {
  const auto index = [](Archive& archive, auto& field) { archive.Index(field, 3); };
  ExpectOnly<std::int32_t>({0, 1, 2}, {-1, 3, std::numeric_limits<std::int32_t>::min()}, index);
  ExpectOnly<std::uint64_t>({0, 2}, {3, std::numeric_limits<std::uint64_t>::max()}, index);
  ExpectOnly<std::int8_t>({0, 2}, {-1, 3}, index);
}

TEST(Archive, RefusesNumbersOutOfRange) {
  ExpectOnly<std::int64_t>({-2, 0, 5}, {-3, 6}, [](Archive& archive, std::int64_t& field) {
    archive.Range(field, -2, 5);
  });
  double angle = std::numeric_limits<double>::quiet_NaN();
  const std::string bytes = Write(angle);
  Archive archive = Archive::Reader(bytes);
  EXPECT_THROW(archive.Range(angle, -1.0, 1.0), std::invalid_argument);
}

TEST(Archive, RefusesCountsThatWouldOverflow) {
  ExpectOnly<std::int32_t>({0, 1'000'000'000}, {-1, std::numeric_limits<std::int32_t>::max()},
                           [](Archive& archive, std::int32_t& field) { archive.Count(field); });
}

TEST(Archive, RefusesBytesThatAreNoBool) {
  bool lamp = true;
  EXPECT_THROW(Read("\x07", lamp), std::invalid_argument);
  EXPECT_TRUE(lamp);
  std::vector<bool> lamps;
  EXPECT_THROW(Read(WriteInteger(std::uint64_t{1}) + "\x02", lamps), std::invalid_argument);
}

TEST(Archive, RefusesNumbersThatAreNoEnum) {
  Gear gear = Gear::kFirst;
  for (const char byte : {'\x02', '\x80'}) {
    Archive archive = Archive::Reader({&byte, 1});
    EXPECT_THROW(archive.Range(gear, Gear::kReverse, Gear::kFirst), std::invalid_argument);
  }
  EXPECT_EQ(gear, Gear::kFirst);
}

TEST(Archive, KeepsTheLengthOfSpans) {
  std::vector<double> forces = {1.0, 2.0};
  std::string bytes;
  Archive::Writer(bytes)(std::span(forces));
  EXPECT_EQ(bytes.size(), 2 * sizeof(double));
  std::vector<double> read(2);
  Archive::Reader(bytes)(std::span(read));
  EXPECT_EQ(read, forces);
  read.resize(3);
  EXPECT_THROW(Archive::Reader(bytes)(std::span(read)), std::invalid_argument);
}

TEST(Archive, RefusesAGeneratorThatDrawsOneNumberForEver) {
  Random random(1);
  EXPECT_THROW(Read(std::string(37, '\0'), random), std::invalid_argument);
  Random same(1);
  EXPECT_EQ(random.Integers(1000), same.Integers(1000));
}

}  // namespace
}  // namespace envpool
