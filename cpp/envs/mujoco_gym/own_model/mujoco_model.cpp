// MujocoModel: a simulation of any model, whose episodes begin with random variations.
//
// It has neither rewards nor ends of its own: these are computed of a whole batch, in Python. Its
// tasks are a family of their own there; the library is that of Gymnasium's robots, because a
// second one would have all that they share once more.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "envpool/family.h"
#include "mujoco/model.h"
#include "mujoco/observation.h"
#include "mujoco/simulated_env.h"
#include "mujoco/variations/arrays.h"
#include "mujoco/variations/beginning.h"

namespace envpool::mujoco {
namespace {

// Loads the option `model`, a path or XML.
std::shared_ptr<const mjModel> ModelOf(const Options& options) {
  const std::string& model = options.Text("model");
  const std::size_t first = model.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) throw std::invalid_argument("model is empty, expected a model");
  if (model[first] == '<') return LoadModel(ModelText{.name = "model", .xml = model, .files = {}});
  try {
    return LoadModel(model);
  } catch (const std::invalid_argument& error) {
    constexpr std::string_view kOption = "xml_file ";  // as other families call it
    const std::string message = error.what();
    if (!message.starts_with(kOption)) throw;
    throw std::invalid_argument("model " + message.substr(kOption.size()));
  }
}

// What is observed under one key: parts one behind the other.
struct Observed {
  std::string key;
  std::vector<ArrayPart> parts;

  std::size_t Size() const {
    std::size_t size = 0;
    for (const ArrayPart& part : parts) size += part.size;
    return size;
  }
};

constexpr const char* kOnlyKey = "obs";  // where the observation is one array

// The option `observation`: names, or "key=name", where those of one key follow each other.
std::vector<Observed> ObservedBy(const Options& options, const mjModel& model) {
  std::vector<Observed> observed;
  for (const std::string& entry : options.Get<std::vector<std::string>>("observation")) {
    const std::size_t equals = entry.find('=');
    const bool has_key = equals < entry.find(':');
    const std::string key = has_key ? entry.substr(0, equals) : kOnlyKey;
    const std::string name = has_key ? entry.substr(equals + 1) : entry;
    if (observed.empty() || observed.back().key != key) observed.push_back({key, {}});
    observed.back().parts.push_back(FindArray(model, "observation", name));
  }
  return observed;
}

std::vector<ArrayPart> WatchedBy(const Options& options, const mjModel& model) {
  std::vector<ArrayPart> watched;
  for (const std::string& name : options.Get<std::vector<std::string>>("watch")) {
    watched.push_back(FindArray(model, "watch", name));
  }
  return watched;
}

Keys KeysOf(const std::vector<Observed>& observed) {
  Keys keys;
  for (const Observed& each : observed) keys.push_back({each.key, {static_cast<int>(each.Size())}});
  return keys;
}

// The keyframe in which episodes begin; -1: none.
int KeyframeOf(const Options& options, const mjModel& model) {
  const std::string& name = options.Text("keyframe");
  if (name.empty()) return -1;
  const int key = mj_name2id(&model, mjOBJ_KEY, name.c_str());
  if (key >= 0) return key;
  throw std::invalid_argument("keyframe is '" + name + "', which the model does not have");
}

class MujocoModel final : public SimulatedEnv<> {
 public:
  explicit MujocoModel(const Options& options)
      : SimulatedEnv(options, "model", ModelOf(options), Style::kGymnasium),
        keyframe_(KeyframeOf(options, World().Model())),
        observed_(ObservedBy(options, World().Model())),
        watched_(WatchedBy(options, World().Model())),
        beginning_(World(), options),
        observation_(KeysOf(observed_), FrameStack(options)) {
    for (const Observed& observed : observed_) NoteForces(observed.parts);
    NoteForces(watched_);
  }

  void Reset(Random& random, const Options& options) override {
    beginning_.Draw(random, options);
    World().Reset();
    World().Run([this](const mjModel& model, mjData& data) {
      if (keyframe_ >= 0) mj_resetDataKeyframe(&model, &data, keyframe_);
    });
    beginning_.ChangeState();
    World().Run([this](const mjModel& model, mjData& data) {
      mj_forward(&model, &data);
      if (needs_forces_) mj_rnePostConstraint(&model, &data);
    });
    Note(true);
  }

  StepResult Step(const Action& action, Random&) override {
    std::ranges::copy(action.Values<double>(), World().Control().begin());
    World().Run([this](const mjModel& model, mjData& data) {
      for (std::int64_t i = 0; i < FrameSkip(); ++i) mj_step(&model, &data);
      if (needs_forces_) mj_rnePostConstraint(&model, &data);
    });
    World().RequireStable();
    Note(false);
    return {};
  }

  void Observe(const Row& row) const override {
    for (std::size_t i = 0; i < watched_.size(); ++i) {
      Read(watched_[i], row.Info<double>(i).data());
    }
    if (ObservePictures(row)) return;
    ObserveCameras(row, std::max<std::size_t>(observed_.size(), 1));
    if (observed_.empty()) std::ranges::fill(row.Observation<double>(), 0.0);
    for (std::size_t key = 0; key < observed_.size(); ++key) {
      observation_.Join({&key, 1}, row.Observation<double>(key));
    }
  }

  void Serialize(Archive& archive) override {
    beginning_.Serialize(archive);
    World().Serialize(archive);
    for (const Observed& observed : observed_) SerializeData(observed.parts, archive);
    SerializeData(watched_, archive);
    archive(observation_);
    SerializePictures(archive);
  }

  std::string Fingerprint() const override {
    return "content of model=" + ContentOf(World().Shared());
  }

 private:
  void Read(const ArrayPart& part, double* out) const {
    part.Read(World().Model(), World().Data(), out);
  }

  void NoteForces(const std::vector<ArrayPart>& parts) {
    const auto needs = [](const ArrayPart& part) { return part.array->needs_forces; };
    needs_forces_ = needs_forces_ || std::ranges::any_of(parts, needs);
  }

  void Note(bool is_first) {
    if (NotePicture(is_first)) return;
    observation_.Advance();
    double* end = observation_.Newest().data();
    for (const Observed& observed : observed_) {
      for (const ArrayPart& part : observed.parts) {
        Read(part, end);
        end += part.size;
      }
    }
    if (is_first) observation_.Fill();
  }

  // What steps have computed is no function of the state.
  void SerializeData(const std::vector<ArrayPart>& parts, Archive& archive) {
    for (const ArrayPart& part : parts) {
      if (part.array->IsOfModel()) continue;
      std::vector<double> numbers(part.size);
      Read(part, numbers.data());
      archive(std::span(numbers));
      part.Write(const_cast<mjModel&>(World().Model()), World().Data(), numbers.data());
    }
  }

  const int keyframe_;
  const std::vector<Observed> observed_;
  const std::vector<ArrayPart> watched_;
  Beginning beginning_;
  Observation observation_;
  bool needs_forces_ = false;
};

Spec SpecOf(const Options& options) {
  const std::shared_ptr<const mjModel> model = ModelOf(options);
  KeyframeOf(options, *model);
  const std::vector<Observed> observed = ObservedBy(options, *model);
  VariationsOf(options, *model);
  const std::size_t frames = FrameStack(options);
  Spec spec;
  if (options.Flag("from_pixels")) {
    spec.observation = {PixelsField(options, frames)};
  } else if (const std::int64_t size = options.Integer("observed_size"); size > 0) {
    spec.observation = {Key{kOnlyKey, {static_cast<int>(size)}}.Stacked(frames)};
  } else if (observed.empty()) {
    throw std::invalid_argument("observation is empty, expected names of arrays");
  } else {
    if (observed[0].key != kOnlyKey) spec.observation_structure = Structure::kDict;
    for (const Key& key : KeysOf(observed)) spec.observation.push_back(key.Stacked(frames));
  }
  AddCameras(options, *model, spec);
  for (const ArrayPart& part : WatchedBy(options, *model)) {
    const std::string name = "watched.number_" + std::to_string(spec.info.size());
    spec.info.push_back(Box(name, DType::kFloat64, part.shape));
  }
  spec.action = {ControlsOf(*model)};
  return spec;
}

EnvType Describe() {
  using Texts = std::vector<std::string>;
  constexpr Limits kSizes = {.least = 0.0, .most = 1e6};
  EnvType described = {
      .name = "MujocoModel",
      .options = {{"model", "", "the model: a path, or XML"},
                  {"observation", Texts{"qpos", "qvel"},
                   "arrays that are observed, by their names"},
                  {"observed_size", std::int64_t{0},
                   "how many numbers the caller observes instead, if not 0", kSizes},
                  {"watch", Texts{}, "further arrays that rewards are computed from"},
                  RandomiseOption(),
                  {"keyframe", "", "the model's keyframe in which episodes begin"}},
      .reset_options = ArraysOfResets(),
      .spec = SpecOf,
      .create = Create<MujocoModel>,
      .memory =
          [](const Options& options) {
            std::size_t numbers = 0;
            for (const Observed& each : ObservedBy(options, *ModelOf(options))) {
              numbers += each.Size();
            }
            return MemoryOf(options, numbers);
          },
      .frame_size = [](const Options&) { return FrameSize{480, 480}; },
      .render_fps =
          [](const Options& options) { return StepsPerSecond(options, *ModelOf(options)); }};
  for (std::vector<OptionSpec> options :
       {StepOptions(1), PictureOptions("480", {}), CameraOptions()}) {
    std::ranges::move(options, std::back_inserter(described.options));
  }
  return described;
}

[[maybe_unused]] const bool registered = Register(Describe);

}  // namespace
}  // namespace envpool::mujoco
