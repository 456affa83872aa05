// MujocoModel: a simulation of any model, whose episodes begin with random variations.
//
// It has neither rewards nor ends of its own: these are computed of a whole batch, in Python.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "envpool/family.h"
#include "mujoco/model.h"
#include "mujoco/observation.h"
#include "mujoco/simulated_env.h"
#include "mujoco_model/arrays.h"
#include "mujoco_model/model_copy.h"
#include "mujoco_model/variation.h"

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

std::vector<Variation> VariationsOf(const Options& options, const mjModel& model) {
  std::vector<Variation> variations;
  for (const std::string& entry : options.Get<std::vector<std::string>>("randomise")) {
    variations.emplace_back(model, entry);
  }
  return variations;
}

// The keyframe in which episodes begin; -1: none.
int KeyframeOf(const Options& options, const mjModel& model) {
  const std::string& name = options.Text("keyframe");
  if (name.empty()) return -1;
  const int key = mj_name2id(&model, mjOBJ_KEY, name.c_str());
  if (key >= 0) return key;
  throw std::invalid_argument("keyframe is '" + name + "', which the model does not have");
}

// The name of the array that an option of resets stands for, whose names have no dots.
std::string NameOfOption(std::string option) {
  constexpr std::string_view kOptions = "opt_";
  if (option.starts_with(kOptions)) option[kOptions.size() - 1] = '.';
  return option;
}

class MujocoModel final : public SimulatedEnv<> {
 public:
  explicit MujocoModel(const Options& options)
      : SimulatedEnv(options, "model", ModelOf(options), Style::kGymnasium),
        keyframe_(KeyframeOf(options, World().Model())),
        observed_(ObservedBy(options, World().Model())),
        watched_(WatchedBy(options, World().Model())),
        variations_(VariationsOf(options, World().Model())),
        copy_(World(), variations_),
        observation_(KeysOf(observed_), FrameStack(options)) {
    for (const Observed& observed : observed_) NoteForces(observed.parts);
    NoteForces(watched_);
  }

  void Reset(Random& random, const Options& options) override {
    for (Variation& variation : variations_) variation.Draw(random);
    given_.clear();
    for (const auto& [option, value] : options.Entries()) {
      const auto& numbers = std::get<std::vector<double>>(value);
      if (!numbers.empty()) Give(NameOfOption(option), numbers);
    }
    copy_.Apply(World(), variations_, given_);
    World().Reset();
    World().Run([this](const mjModel& model, mjData& data) {
      if (keyframe_ >= 0) mj_resetDataKeyframe(&model, &data, keyframe_);
    });
    for (const Variation& variation : variations_) {
      if (variation.IsOfModel()) continue;
      const std::span<mjtNum> numbers = NumbersOf(variation.Part());
      variation.Apply(numbers, numbers);
    }
    for (const Given& given : given_) {
      if (given.part.array->IsOfModel()) continue;
      std::ranges::copy(given.numbers, NumbersOf(given.part).begin());
    }
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
    RequireStable();
    Note(false);
    return {};
  }

  void Observe(const Row& row) const override {
    for (std::size_t i = 0; i < watched_.size(); ++i) {
      std::ranges::copy(NumbersOf(watched_[i]), row.Info<double>(i).begin());
    }
    if (ObservePictures(row)) return;
    for (std::size_t key = 0; key < observed_.size(); ++key) {
      observation_.Join({&key, 1}, row.Observation<double>(key));
    }
  }

  void Serialize(Archive& archive) override {
    SerializeModel(archive);
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
  std::span<mjtNum> NumbersOf(const ArrayPart& part) {
    // A model's, unless they are this simulation's own, are not written to.
    return part.In(const_cast<mjModel&>(World().Model()), World().Data());
  }
  std::span<const mjtNum> NumbersOf(const ArrayPart& part) const {
    return part.In(World().Model(), World().Data());
  }

  // Takes the numbers of an array that a reset was given.
  void Give(const std::string& name, const std::vector<double>& numbers) {
    const ArrayPart part = FindArray(World().Model(), "options", name);
    if (numbers.size() != part.size) {
      throw std::invalid_argument("options['" + name + "'] has " + std::to_string(numbers.size()) +
                                  " numbers, expected " + std::to_string(part.size));
    }
    given_.push_back({part, numbers});
  }

  // The arrays of the model that this episode has changed, whatever it was that has changed them:
  // so that an environment with other variations can go on from here.
  void SerializeModel(Archive& archive) {
    std::map<std::string, std::vector<double>> changed;
    const auto add = [&](const ArrayPart& part) {
      if (!part.array->IsOfModel()) return;
      const std::string name = NameOf(*part.array);
      const auto numbers = NumbersOf(FindArray(World().Model(), "the state", name));
      changed[name].assign(numbers.begin(), numbers.end());
    };
    for (const Variation& variation : variations_) add(variation.Part());
    for (const Given& given : given_) add(given.part);
    std::vector<std::string> names;
    std::vector<std::vector<double>> numbers;
    for (const auto& [name, values] : changed) {
      names.push_back(name);
      numbers.push_back(values);
    }
    archive(names, numbers);
    archive.Require(names.size() == numbers.size(), "arrays without names");
    if (!archive.IsReader()) return;
    given_.clear();
    for (std::size_t i = 0; i < names.size(); ++i) Give(names[i], numbers[i]);
    copy_.Apply(World(), {}, given_);
  }

  void NoteForces(const std::vector<ArrayPart>& parts) {
    const auto needs = [](const ArrayPart& part) { return part.array->needs_forces; };
    needs_forces_ = needs_forces_ || std::ranges::any_of(parts, needs);
  }

  // MuJoCo itself warns, and goes on from the model's initial state, in the middle of an episode.
  void RequireStable() {
    for (const mjtWarning kind : {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC}) {
      if (World().Data().warning[kind].number > 0) throw std::runtime_error(World().TakeWarnings());
    }
  }

  void Note(bool is_first) {
    if (NotePicture(is_first)) return;
    observation_.Advance();
    auto end = observation_.Newest().begin();
    for (const Observed& observed : observed_) {
      for (const ArrayPart& part : observed.parts) {
        end = std::ranges::copy(NumbersOf(part), end).out;
      }
    }
    if (is_first) observation_.Fill();
  }

  // What steps have computed is no function of the state.
  void SerializeData(const std::vector<ArrayPart>& parts, Archive& archive) {
    for (const ArrayPart& part : parts) {
      if (!part.array->IsOfModel()) archive(NumbersOf(part));
    }
  }

  const int keyframe_;
  const std::vector<Observed> observed_;
  const std::vector<ArrayPart> watched_;
  std::vector<Variation> variations_;
  std::vector<Given> given_;  // of this episode
  ModelCopy copy_;
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
  } else if (observed.empty()) {
    throw std::invalid_argument("observation is empty, expected names of arrays");
  } else {
    if (observed[0].key != kOnlyKey) spec.observation_structure = Structure::kDict;
    for (const Key& key : KeysOf(observed)) spec.observation.push_back(key.Stacked(frames));
  }
  for (const ArrayPart& part : WatchedBy(options, *model)) {
    const std::string name = "watched.number_" + std::to_string(spec.info.size());
    spec.info.push_back(Box(name, DType::kFloat64, part.shape));
  }
  Bounds low;
  Bounds high;
  for (int i = 0; i < static_cast<int>(model->nu); ++i) {
    const bool is_limited = model->actuator_ctrllimited[i];
    low.push_back(is_limited ? model->actuator_ctrlrange[2 * i] : -kInfinity);
    high.push_back(is_limited ? model->actuator_ctrlrange[2 * i + 1] : kInfinity);
  }
  const int controls = static_cast<int>(model->nu);
  if (controls == 0) low = high = {0.0};
  spec.action = {Box("action", DType::kFloat64, {controls}, std::move(low), std::move(high))};
  return spec;
}

// All arrays that a reset may be given.
std::vector<OptionSpec> ResetOptions() {
  std::vector<OptionSpec> options;
  for (std::string name : NamesOfChangeableArrays()) {
    std::ranges::replace(name, '.', '_');
    options.push_back({name, std::vector<double>{}, "what the episode begins with; []: as always"});
  }
  return options;
}

EnvType Describe() {
  using Texts = std::vector<std::string>;
  EnvType described = {
      .name = "MujocoModel",
      .options = {{"model", "", "the model: a path, or XML"},
                  {"observation", Texts{"qpos", "qvel"},
                   "arrays that are observed, by their names"},
                  {"watch", Texts{}, "further arrays that rewards are computed from"},
                  {"randomise", Texts{}, "what differs from episode to episode, in order"},
                  {"keyframe", "", "the model's keyframe in which episodes begin"}},
      .reset_options = ResetOptions(),
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
  for (std::vector<OptionSpec> options : {StepOptions(1), PictureOptions("480", {})}) {
    std::ranges::move(options, std::back_inserter(described.options));
  }
  return described;
}

[[maybe_unused]] const bool registered = Register(Describe);

}  // namespace
}  // namespace envpool::mujoco
