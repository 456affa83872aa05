#include "mujoco/pictures/view.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace envpool::mujoco {

namespace {

[[noreturn]] void Refuse(const std::string& option, const std::string& entry,
                         const std::string& expected) {
  throw std::invalid_argument(option + " has the entry '" + entry + "', expected " + expected);
}

// "name=1,2,3"
CameraSetting ReadSetting(const std::string& option, const std::string& entry) {
  const std::size_t equals = entry.find('=');
  if (equals == std::string::npos) Refuse(option, entry, "name=number,number,...");
  CameraSetting setting{entry.substr(0, equals), {}};
  std::string_view rest = std::string_view(entry).substr(equals + 1);
  while (!rest.empty()) {
    double value;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc()) Refuse(option, entry, "name=number,number,...");
    setting.values.push_back(value);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    if (rest.starts_with(',')) rest.remove_prefix(1);
  }
  return setting;
}

mjvOption ReadVisualOptions(const Options& options, Style style) {
  mjvOption visual;
  mjv_defaultOption(&visual);
  if (style == Style::kDmControl) visual.flags[mjVIS_RANGEFINDER] = 0;
  for (const CameraSetting& setting : ReadSettings(options, "visual_options")) {
    int flag = -1;
    const char* const name_end = setting.name.data() + setting.name.size();
    const char* const flag_end = std::from_chars(setting.name.data(), name_end, flag).ptr;
    if (flag_end != name_end || flag < 0 || flag >= mjNVISFLAG || setting.values.size() != 1) {
      Refuse("visual_options", setting.name,
             "a flag from 0 to " + std::to_string(mjNVISFLAG - 1) + " and 0 or 1");
    }
    visual.flags[flag] = setting.values[0] != 0.0;
  }
  return visual;
}

std::shared_ptr<RendererPool> RenderersOf(const Options& options,
                                          std::shared_ptr<const mjModel> model) {
  const auto number = [&](const char* name) { return static_cast<int>(options.Integer(name)); };
  const RenderQuality quality{.shadow_size = number("render_shadow_size"),
                              .multisamples = number("render_multisamples"),
                              .shadows = options.Flag("render_shadows"),
                              .reflections = options.Flag("render_reflections")};
  return ShareRenderers(std::move(model), quality, number("max_geom"));
}

int FindCamera(const mjModel& model, const std::string& name) {
  if (name.empty()) return -1;
  const int camera = mj_name2id(&model, mjOBJ_CAMERA, name.c_str());
  if (camera < 0) {
    throw std::invalid_argument("camera_name is '" + name + "', but the model has no such camera");
  }
  return camera;
}

}  // namespace

std::vector<CameraSetting> ReadSettings(const Options& options, const std::string& option) {
  std::vector<CameraSetting> settings;
  for (const std::string& entry : options.Get<std::vector<std::string>>(option)) {
    settings.push_back(ReadSetting(option, entry));
  }
  return settings;
}

View::View(const Options& options, std::shared_ptr<const mjModel> model, Style style)
    : model_(model),
      renderers_(RenderersOf(options, std::move(model))),
      style_(style),
      settings_(ReadSettings(options, "default_camera_config")),
      named_camera_(FindCamera(*model_, options.Text("camera_name"))),
      visual_(ReadVisualOptions(options, style)) {
  // Refuses what is wrong with them.
  static_cast<void>(Configured(ModelCamera(*model_), *model_, settings_));
}

mjvCamera View::Camera(const mjData& data, int id) {
  if (id < 0) id = named_camera_;
  if (id >= 0) return FixedCamera(*model_, id);
  if (style_ == Style::kDmControl) {
    return Configured(ModelCamera(*model_), *model_, settings_);
  }
  if (lookat_.empty()) lookat_ = MedianOfGeoms(*model_, data);
  return Configured(GymnasiumCamera(*model_, lookat_), *model_, settings_);
}

void View::Draw(const mjModel& model, mjData& data, const Frame& frame) {
  const mjvCamera camera = Camera(data, frame.camera);
  const auto renderer = renderers_->Borrow(frame.width, frame.height);
  renderer->Draw(model, data, visual_, camera, frame.width, frame.height, frame.pixels);
}

void View::Serialize(Archive& archive) {
  std::vector<double> lookat = lookat_;
  archive(lookat);
  archive.Require(lookat.empty() || lookat.size() == 3, "a camera that looks at no point");
  lookat_ = std::move(lookat);
}

std::vector<OptionSpec> ViewOptions(std::vector<std::string> camera) {
  constexpr Limits kGeoms = {.least = 1.0, .most = 65536.0};
  constexpr Limits kQuality = {.least = -1.0, .most = 65536.0};
  return {
      {"default_camera_config", std::move(camera), "settings of the camera -1, a dict"},
      {"camera_name", "", "the camera that -1 stands for, if it is one of the model's"},
      {"visual_options", std::vector<std::string>(), "MuJoCo's visualisation flags, a dict"},
      {"max_geom", std::int64_t{1000}, "how many geoms a picture can have", kGeoms},
      {"render_shadow_size", std::int64_t{-1}, "side of the shadow map, pixels; -1: the model's",
       kQuality},
      {"render_multisamples", std::int64_t{-1}, "samples per pixel; -1: the model's", kQuality},
      {"render_shadows", true, "draw shadows"},
      {"render_reflections", true, "draw reflections"},
  };
}

}  // namespace envpool::mujoco
