#include "mujoco/pictures/camera_pictures.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace envpool::mujoco {

namespace {

constexpr double kMostPixels = 16384.0;  // of a side

std::vector<CameraSetting> CamerasOf(const Options& options) {
  if (!options.Has("cameras")) return {};
  std::vector<CameraSetting> cameras = ReadSettings(options, "cameras");
  for (const auto& [name, sides] : cameras) {
    const auto is_side = [](double side) {
      return side == std::trunc(side) && side >= 1.0 && side <= kMostPixels;
    };
    if (sides.size() == 2 && std::ranges::all_of(sides, is_side)) continue;
    throw std::invalid_argument("cameras['" + name + "'] must be a height and a width, pixels");
  }
  return cameras;
}

int IdOf(const mjModel& model, const std::string& camera) {
  const int id = mj_name2id(&model, mjOBJ_CAMERA, camera.c_str());
  if (id >= 0) return id;
  std::string known;
  for (int i = 0; i < static_cast<int>(model.ncam); ++i) {
    if (const char* name = mj_id2name(&model, mjOBJ_CAMERA, i)) {
      known.append(known.empty() ? "'" : ", '").append(name).append("'");
    }
  }
  throw std::invalid_argument("cameras has '" + camera + "', expected cameras of the model: " +
                              (known.empty() ? "it has none" : known));
}

std::size_t BytesOf(double height, double width) {
  return 3 * static_cast<std::size_t>(height) * static_cast<std::size_t>(width);
}

}  // namespace

CameraPictures::CameraPictures(const Options& options, const mjModel& model) {
  for (const auto& [name, sides] : CamerasOf(options)) {
    const Frame frame{.width = static_cast<int>(sides[1]),
                      .height = static_cast<int>(sides[0]),
                      .camera = IdOf(model, name),
                      .pixels = {}};
    pictures_.push_back({name, frame, std::vector<std::uint8_t>(BytesOf(sides[0], sides[1]))});
    draws_ = options.Flag("draws_cameras");
  }
}

void CameraPictures::Draw(View& view, const mjModel& model, mjData& data) {
  for (Picture& picture : pictures_) {
    if (!draws_) {  // also where it has done so before
      std::ranges::fill(picture.pixels, std::uint8_t{0});
      continue;
    }
    Frame frame = picture.frame;
    frame.pixels = picture.pixels;
    view.Draw(model, data, frame);
  }
}

void CameraPictures::Observe(const Row& row, std::size_t first) const {
  for (const Picture& picture : pictures_) {
    std::ranges::copy(picture.pixels, row.Observation<std::uint8_t>(first++).begin());
  }
}

std::vector<Field> CameraPictures::Fields() const {
  std::vector<Field> fields;
  for (const auto& [camera, frame, pixels] : pictures_) {
    fields.push_back(Box(camera, DType::kUInt8, {frame.height, frame.width, 3}, {0.0}, {255.0}));
  }
  return fields;
}

void CameraPictures::Serialize(Archive& archive) {
  for (Picture& picture : pictures_) archive.Any(std::span(picture.pixels));
}

void AddCameras(const Options& options, const mjModel& model, Spec& spec) {
  std::vector<Field> fields = CameraPictures(options, model).Fields();
  if (fields.empty()) return;
  if (options.Flag("from_pixels") || options.Integer("frame_stack") > 1) {
    throw std::invalid_argument("cameras are given, expected none with from_pixels or frame_stack");
  }
  if (spec.observation_structure == Structure::kSingle) spec.observation[0].name = "state";
  spec.observation_structure = Structure::kDict;
  for (Field& field : fields) {
    const bool is_taken =
        std::ranges::find(spec.observation, field.name, &Field::name) != spec.observation.end();
    if (is_taken || field.name == "obs" || field.name.find('.') != std::string::npos) {
      throw std::invalid_argument("cameras has '" + field.name +
                                  "', expected names without dots that the observation lacks");
    }
    spec.observation.push_back(std::move(field));
  }
}

std::size_t CameraBytes(const Options& options) {
  std::size_t bytes = 0;
  for (const CameraSetting& camera : CamerasOf(options)) {
    bytes += BytesOf(camera.values[0], camera.values[1]);
  }
  return bytes;
}

std::vector<OptionSpec> CameraOptions() {
  return {{"cameras", std::vector<std::string>{},
           "cameras whose pictures are observed beside the state: a dict of (height, width)"},
          {"draws_cameras", true, "draw these; their pictures are black otherwise"}};
}

}  // namespace envpool::mujoco
