// Pictures of environments, without a pool.
#include "executor/rendering.h"

#include <vector>

#include "tests/executor/pool_fixture.h"

namespace envpool {
namespace {

constexpr FrameSize kSize = {2, 3};
constexpr std::size_t kBytes = 2 * 3 * 3;
const std::atomic<int> kOpen = 0;

class RenderingTest : public testing::TestWithParam<std::size_t> {
 protected:
  static PoolConfig Config() {
    const EnvType& type = TestType("Canvas");
    PoolConfig config = MakeConfig(type, 4, 4, 1);
    config.options.assign(4, Options(type.options));
    config.options[2].Set("render_error", "runtime_error");
    return config;
  }

  std::vector<std::uint8_t> Draw(const Ints& ids, int camera = -1,
                                 const std::atomic<int>& closing = kOpen) {
    std::vector<std::uint8_t> pixels(ids.size() * kBytes);
    Rendering(environments_, ids, closing)
        .Draw(kSize, camera, pixels, GetParam(), NeverInterrupted);
    return pixels;
  }

  const EnvType& type_ = TestType("Canvas");
  const PoolConfig config_ = Config();
  const Spec spec_ = type_.spec(config_.options[0]);
  const Layout layout_{spec_, config_.layout, 4};
  Environments environments_{type_, config_, spec_, layout_, DontInterrupt};
};

TEST_P(RenderingTest, PutsEachPictureWhereItsIdIs) {
  const std::vector<std::uint8_t> picture = Draw({3}, 1);
  EXPECT_NE(picture, std::vector<std::uint8_t>(kBytes));
  const std::vector<std::uint8_t> pictures = Draw({0, 3, 1}, 1);
  EXPECT_EQ(std::vector(pictures.begin() + kBytes, pictures.begin() + 2 * kBytes), picture);
  EXPECT_NE(Draw({3}, 2), picture);
}

TEST_P(RenderingTest, NamesTheEnvironmentThatFails) {
  EXPECT_EQ(Refusal([&] { Draw({1, 2, 0}); }),
            "environment 2 was not rendered: failed on purpose in render");
  EXPECT_THROW(Draw({1}, 9), std::invalid_argument);
}

TEST_P(RenderingTest, EndsWhenThePoolIsClosing) {
  const std::atomic<int> closing = 1;
  EXPECT_EQ(Refusal([&] { Draw({0, 1}, -1, closing); }), "the pool was closed during render()");
  EXPECT_EQ(Refusal([&] { Draw({}, -1, closing); }), "") << "there was nothing to do";
}

INSTANTIATE_TEST_SUITE_P(Threads, RenderingTest, testing::Values(1, 3));

TEST(CheckRoom, RefusesWhatDoesNotFit) {
  const std::vector<std::uint8_t> pixels(2 * kBytes);
  const auto refusal = [&](FrameSize size, std::size_t count) {
    return Refusal([&] { Rendering::CheckRoom(size, count, pixels); });
  };
  EXPECT_EQ(refusal(kSize, 2), "");
  EXPECT_EQ(refusal(kSize, 1), "pixels: expected 1 pictures of 18 bytes");
  EXPECT_EQ(refusal({2, 0}, 2), "the size of a picture is 2 x 0, expected at least 1 x 1");
}

}  // namespace
}  // namespace envpool
