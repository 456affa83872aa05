// GrayscaleObservation: the last few pictures of the traffic, in shades of gray.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>

#include "highway/driving_options.h"
#include "highway/observations/types.h"
#include "highway/pictures/road_picture.h"
#include "numerics/products.h"

namespace envpool::highway {
namespace {

constexpr int kMostPixels = 10'000;                // of a side
constexpr std::int64_t kMostNumbers = 10'000'000;  // of an observation

// The size of an observation: how many pictures, their width and height.
std::vector<int> ShapeOf(const Options& options) {
  const auto& sides = options.Get<std::vector<std::int64_t>>("observation_observation_shape");
  std::string told;
  for (const std::int64_t side : sides) {
    told.append(told.empty() ? "" : ", ").append(std::to_string(side));
  }
  Require(sides.size() == 2 &&
              std::ranges::all_of(
                  sides, [](std::int64_t side) { return side >= 1 && side <= kMostPixels; }),
          "observation_observation_shape is [" + told +
              "], expected a width and a height from 1 to " + std::to_string(kMostPixels));
  const std::int64_t pictures = options.Integer("observation_stack_size");
  Require(pictures * sides[0] * sides[1] <= kMostNumbers,
          "observation_stack_size is " + std::to_string(pictures) +
              " and observation_observation_shape [" + told + "], expected at most " +
              std::to_string(kMostNumbers) + " pixels");
  return {static_cast<int>(pictures), static_cast<int>(sides[0]), static_cast<int>(sides[1])};
}

Point CenterOf(const Options& options) {
  constexpr double kMost = 100.0;
  const bool is_own = !NumbersOf(options, "observation_centering_position", 2, true).empty();
  const char* const name = is_own ? "observation_centering_position" : "centering_position";
  const std::vector<double>& center = NumbersOf(options, name, 2);
  Require(std::abs(center[0]) <= kMost && std::abs(center[1]) <= kMost,
          std::string(name) + " is [" + Shortest(center[0]) + ", " + Shortest(center[1]) +
              "], expected two numbers from -100 to 100");
  return {center[0], center[1]};
}

double ScalingOf(const Options& options) {
  constexpr double kLeast = 0.01;
  const double scaling = options.Number("observation_scaling");
  Require(scaling == 0.0 || scaling >= kLeast,
          "observation_scaling is " + Shortest(scaling) + ", expected 0 or at least 0.01");
  return scaling != 0.0 ? scaling : options.Number("scaling");
}

class Grayscale final : public Observation {
 public:
  explicit Grayscale(const Options& options)
      : shape_(ShapeOf(options)),
        picture_(shape_[1], shape_[2], CenterOf(options), ScalingOf(options)) {
    const std::vector<double>& weights = NumbersOf(options, "observation_weights", 3);
    for (std::size_t colour = 0; colour < grays_.size(); ++colour) {
      const auto [red, green, blue] = ChannelsOf(static_cast<Colour>(colour));
      const double gray =
          numerics::Dot(numerics::Vector{double(red), double(green), double(blue)}, weights);
      grays_[colour] = static_cast<std::uint8_t>(numpy::Clip(gray, 0.0, 255.0));
    }
  }

  Field MakeField(const std::string& name) const override {
    return Box(name, DType::kUInt8, shape_, {0}, {255});
  }

  void Begin(const Traffic& /*traffic*/, int players) override {
    pixels_.assign(static_cast<std::size_t>(players) * MakeField("").Elements(), 0);
  }

  void See(const Traffic& traffic, int players, Random& /*random*/) override {
    const std::size_t size = pixels_.size() / static_cast<std::size_t>(players);
    for (int player = 0; player < players; ++player) {
      const auto stack = std::span(pixels_).subspan(static_cast<std::size_t>(player) * size, size);
      const auto seen = picture_.Draw(traffic, traffic.Player(player).position).Pixels();
      std::shift_left(stack.begin(), stack.end(), std::ssize(seen));
      std::ranges::transform(seen, stack.last(seen.size()).begin(), [this](Colour colour) {
        return grays_[static_cast<std::size_t>(colour)];
      });
    }
  }

  void Write(const Row& row) const override {
    std::ranges::copy(pixels_, row.Observation<std::uint8_t>().begin());
  }

  void Serialize(Archive& archive, std::size_t players) override {
    archive.Any(pixels_);
    archive.Require(pixels_.size() == players * MakeField("").Elements(),
                    "an observation of another size");
  }

 private:
  const std::vector<int> shape_;
  RoadPicture picture_;
  std::array<std::uint8_t, kColours> grays_;
  std::vector<std::uint8_t> pixels_;  // of all players, the oldest pictures first
};

}  // namespace

std::unique_ptr<Observation> MakeGrayscaleObservation(const Options& options) {
  return std::make_unique<Grayscale>(options);
}

}  // namespace envpool::highway
