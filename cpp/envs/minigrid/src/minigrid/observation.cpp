#include "minigrid/observation.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string_view>

namespace envpool::minigrid {
namespace {

constexpr std::size_t kOneHotTypes = 11;
constexpr std::size_t kOneHotColors = 6;
constexpr std::size_t kOneHotNumbers = kOneHotTypes + kOneHotColors + 3;

// These are constants, because levels in other files are registered before this one's variables are
// made.
constexpr std::array<std::string_view, 6> kImages = {"partial",  "one_hot", "full",
                                                     "symbolic", "rgb",     "rgb_partial"};
constexpr std::array<std::string_view, 3> kForms = {"dict", "image", "flat"};

template <class Names>
std::vector<std::string> ChoicesOf(const Names& names) {
  return {names.begin(), names.end()};
}

// The names are in the order of the enum's values.
template <class Enum, class Names>
Enum ValueOf(const Options& options, const char* name, const Names& names) {
  return static_cast<Enum>(std::ranges::find(names, options.Text(name)) - names.begin());
}

int Product(const std::vector<int>& shape) {
  return std::accumulate(shape.begin(), shape.end(), 1, std::multiplies<>());
}

// Returns the field with the column and row of each cell, and the type of what is there.
Field SymbolicField(Size grid) {
  Bounds low;
  Bounds high;
  for (int i = 0; i < grid.width * grid.height; ++i) {
    low.insert(low.end(), {0, 0, -1});
    high.insert(high.end(), {grid.width - 1.0, grid.height - 1.0, double(Type::kAgent)});
  }
  return Box("image", DType::kInt64, {grid.width, grid.height, 3}, low, high);
}

void WriteSymbolic(const Grid& grid, const Pose& pose, std::span<std::int64_t> out) {
  auto to = out.begin();
  for (int x = 0; x < grid.Width(); ++x) {
    for (int y = 0; y < grid.Height(); ++y) {
      const Handle handle = grid.At({x, y});
      const auto type = static_cast<std::int64_t>(grid[handle].type);
      const std::int64_t agent = static_cast<std::int64_t>(Type::kAgent);
      *to++ = x;
      *to++ = y;
      *to++ = pose.position == Point{x, y} ? agent : handle == kNone ? -1 : type;
    }
  }
}

void WriteCode(std::uint32_t code, std::uint8_t* to) {
  for (int shift = 0; shift < 24; shift += 8) *to++ = static_cast<std::uint8_t>(code >> shift);
}

void WriteFull(const Grid& grid, const Pose& pose, std::span<std::uint8_t> out) {
  std::uint8_t* to = out.data();
  for (int x = 0; x < grid.Width(); ++x) {
    for (int y = 0; y < grid.Height(); ++y, to += 3) WriteCode(CodeOf(grid[grid.At({x, y})]), to);
  }
  const auto agent = static_cast<std::size_t>(pose.position.x * grid.Height() + pose.position.y);
  WriteCode(static_cast<std::uint32_t>(Type::kAgent) |
                static_cast<std::uint32_t>(Color::kRed) << 8 |
                static_cast<std::uint32_t>(pose.direction) << 16,
            out.data() + 3 * agent);
}

void WriteOneHot(const Sight& sight, std::span<std::uint8_t> out) {
  std::ranges::fill(out, std::uint8_t{0});
  const std::uint32_t* code = sight.codes.data();
  for (std::size_t k = 0; k < out.size(); k += kOneHotNumbers, ++code) {
    out[k + (*code & 0xFF)] = 1;
    out[k + kOneHotTypes + (*code >> 8 & 0xFF)] = 1;
    out[k + kOneHotTypes + kOneHotColors + (*code >> 16)] = 1;
  }
}

}  // namespace

std::vector<OptionSpec> Observation::OptionsOf(bool sees_through_walls, MissionLimits mission) {
  return {
      {"agent_view_size",
       7,
       "columns and rows of what the agent sees, an odd number",
       {3, kLargestView}},
      {"see_through_walls", sees_through_walls, "walls and doors hide nothing"},
      {"image",
       "partial",
       "what the observation's image shows, as minigrid's wrappers",
       {},
       ChoicesOf(kImages)},
      {"observation",
       "dict",
       "image, direction and mission; or only the image; or image and mission in one array",
       {},
       ChoicesOf(kForms)},
      {"mission_words", false, "missions are numbers of words"},
      {"mission_bytes",
       mission.bytes,
       "the length of a mission as an array of bytes",
       {double(mission.bytes), 65536}},
      {"max_words_in_mission",
       mission.most_words,
       "the length of a mission as numbers of words, of which one is left over",
       {double(mission.most_words), 65536}},
      {"image_tile_size", 8, "pixels in a row or column of an RGB image's cell", {1, kLargestTile}},
  };
}

Observation::Observation(const Options& options)
    : view_(IntOf(options, "agent_view_size"), options.Flag("see_through_walls")),
      image_(ImageOf(options)),
      form_(FormOf(options)),
      has_words_(options.Flag("mission_words")),
      mission_bytes_(static_cast<std::size_t>(options.Integer("mission_bytes"))),
      most_words_(static_cast<std::size_t>(options.Integer("max_words_in_mission"))),
      highlights_(options.Flag("highlight")),
      tile_size_(IntOf(options, "image_tile_size")) {}

Observation::Image Observation::ImageOf(const Options& options) {
  return ValueOf<Image>(options, "image", kImages);
}

Observation::Form Observation::FormOf(const Options& options) {
  return ValueOf<Form>(options, "observation", kForms);
}

std::vector<int> Observation::ShapeOf(const Options& options, Size grid) {
  const int view = IntOf(options, "agent_view_size");
  const int tile = IntOf(options, "image_tile_size");
  switch (ImageOf(options)) {
    case Image::kPartial: return {view, view, 3};
    case Image::kOneHot: return {view, view, static_cast<int>(kOneHotNumbers)};
    case Image::kRgb: return {grid.height * tile, grid.width * tile, 3};
    case Image::kRgbPartial: return {view * tile, view * tile, 3};
    default: return {grid.width, grid.height, 3};
  }
}

void Observation::Describe(const Options& options, Size grid, MissionLimits mission, Spec& spec) {
  const int view = IntOf(options, "agent_view_size");
  if (view % 2 == 0) {
    throw std::invalid_argument("agent_view_size is " + std::to_string(view) +
                                ", expected an odd number: the agent is in the middle");
  }
  const bool is_symbolic = ImageOf(options) == Image::kSymbolic;
  const Form form = FormOf(options);
  const std::vector<int> shape = ShapeOf(options, grid);
  if (form == Form::kFlat) {
    if (is_symbolic) {
      throw std::invalid_argument(
          "observation is 'flat' and image is 'symbolic', expected an image of bytes");
    }
    const int letters = static_cast<int>(kMostLetters * kLetters);
    spec.observation = {Box("obs", DType::kUInt8, {Product(shape) + letters}, {0}, {255})};
    return;
  }
  const Field image =
      is_symbolic ? SymbolicField(grid) : Box("image", DType::kUInt8, shape, {0}, {255});
  if (form == Form::kImage) {
    spec.observation = {image};
    return;
  }
  const auto most_words = static_cast<std::size_t>(options.Integer("max_words_in_mission"));
  const std::vector<int> words(most_words, mission.words + 1);
  spec.observation_structure = Structure::kDict;
  spec.observation = {
      Discrete("direction", 4), image,
      options.Flag("mission_words")
          ? MultiDiscrete("mission", words, DType::kInt64)
          : Box("mission", DType::kUInt8, {IntOf(options, "mission_bytes")}, {0}, {255})};
}

void Observation::RequireMission(const std::string& mission) const {
  if (form_ == Form::kFlat) {
    std::vector<std::uint8_t> ones(kMostLetters * kLetters);
    WriteLetters(mission, ones);
  } else if (has_words_) {
    std::vector<std::int64_t> numbers(most_words_);
    WriteWords(mission, numbers);
  } else if (mission.size() > mission_bytes_) {
    throw std::runtime_error("mission_bytes is " + std::to_string(mission_bytes_) + ", expected " +
                             std::to_string(mission.size()) + " for the mission '" + mission + "'");
  }
}

void Observation::Write(const Grid& grid, const Pose& pose, const std::string& mission,
                        const Row& row) const {
  if (form_ == Form::kFlat) {
    const auto all = row.Observation<std::uint8_t>();
    const std::size_t image = all.size() - kMostLetters * kLetters;
    WriteImage(grid, pose, all.first(image));
    WriteLetters(mission, all.subspan(image));
    return;
  }
  const std::size_t field = form_ == Form::kDict ? 1 : 0;
  if (image_ == Image::kSymbolic) {
    WriteSymbolic(grid, pose, row.Observation<std::int64_t>(field));
  } else {
    WriteImage(grid, pose, row.Observation<std::uint8_t>(field));
  }
  if (form_ == Form::kImage) return;
  row.Observation<std::int32_t>(0)[0] = pose.direction;
  if (has_words_) {
    WriteWords(mission, row.Observation<std::int64_t>(2));
    return;
  }
  const auto text = row.Observation<std::uint8_t>(2);
  std::ranges::fill(std::ranges::copy(mission, text.begin()).out, text.end(), std::uint8_t{0});
}

void Observation::WriteImage(const Grid& grid, const Pose& pose,
                             std::span<std::uint8_t> out) const {
  const auto draw = [&](bool shows_view) {
    const PictureStyle style = {.shows_view = shows_view, .highlights = highlights_};
    DrawPicture(grid, pose, view_, style, Tiles::Of(tile_size_), out);
  };
  switch (image_) {
    case Image::kPartial: view_.Write(grid, pose, out); break;
    case Image::kOneHot: WriteOneHot(view_.See(grid, pose), out); break;
    case Image::kFull: WriteFull(grid, pose, out); break;
    case Image::kRgb: draw(false); break;
    case Image::kRgbPartial: draw(true); break;
    case Image::kSymbolic: break;  // not of bytes
  }
}

}  // namespace envpool::minigrid
