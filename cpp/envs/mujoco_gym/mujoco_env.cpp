#include "mujoco_gym/mujoco_env.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "envpool/numpy_math.h"
#include "numerics/products.h"
#include "numerics/settings.h"

namespace envpool::mujoco {
namespace {

// What this library cannot find out by itself.
[[maybe_unused]] const bool registered = numerics::Register(
    {{"asset_folder", "", "where models are that are named without a folder: Gymnasium's"}},
    [](const Options& settings) { SetAssetFolder(settings.Text("asset_folder")); });

}  // namespace

Range ReadRange(const Options& options, const std::string& name) {
  const auto& values = options.Get<std::vector<double>>(name);
  if (values.size() == 2 && values[0] <= values[1]) return {values[0], values[1]};
  std::ostringstream message;
  message << name << " is [";
  for (std::size_t i = 0; i < values.size(); ++i) message << (i == 0 ? "" : ", ") << values[i];
  message << "], expected two numbers, the lesser one first";
  throw std::invalid_argument(message.str());
}

int FindBody(const mjModel& model, const std::string& name) {
  const bool is_number = !name.empty() && name.size() < 10 &&
                         std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c); });
  const int id = is_number ? std::stoi(name) : mj_name2id(&model, mjOBJ_BODY, name.c_str());
  return id < static_cast<int>(model.nbody) ? id : -1;
}

void SetUniform(std::span<double> values, std::span<const double> base, double scale,
                Random& random) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = base[i] + random.Uniform(-scale, scale);
  }
}

MujocoEnv::MujocoEnv(const Options& options)
    : RobotEnv(options, Unstable::kGoesOn),
      version_(static_cast<int>(options.Integer("version"))),
      noise_(options.Has("reset_noise_scale") ? options.Number("reset_noise_scale") : 0.0) {}

void MujocoEnv::Require(std::size_t nq, std::size_t nv) const {
  const std::size_t positions = World().Qpos().size();
  const std::size_t velocities = World().Qvel().size();
  if (positions >= nq && velocities >= nv) return;
  throw std::invalid_argument(World().Name() + ": the model has " + std::to_string(positions) +
                              " positions and " + std::to_string(velocities) +
                              " velocities, expected at least " + std::to_string(nq) + " and " +
                              std::to_string(nv));
}

int MujocoEnv::RequireBody(const std::string& name) const {
  const int body = FindBody(World().Model(), name);
  if (body >= 0) return body;
  throw std::invalid_argument(World().Name() + ": the model has no body '" + name + "'");
}

void MujocoEnv::SetPlaceInfo() {
  const std::span<const double> place = World().Qpos().first(2);
  std::ranges::copy(place, info_.begin());
  info_[2] = numerics::Norm(place);
}

double MujocoEnv::ControlCost(const Action& action, double weight) const {
  const std::span<const double> values = action.Values<double>();
  if (action.CameAs() != DType::kFloat32) return weight * numpy::SumOfSquares(values);
  const float sum = numpy::LongSum(values.size(), [values](std::size_t i) {
    const auto value = static_cast<float>(values[i]);
    return value * value;
  });
  return static_cast<float>(weight) * sum;
}

std::span<const double> MujocoEnv::InitialPositions() const {
  return {World().Model().qpos0, World().Qpos().size()};
}

// qvel is 0 after mj_resetData, as Gymnasium's init_qvel is.
void MujocoEnv::ResetWithUniformNoise(Random& random) {
  SetUniform(World().Qpos(), InitialPositions(), noise_, random);
  SetUniform(World().Qvel(), World().Qvel(), noise_, random);
}

void MujocoEnv::ResetWithNormalNoise(Random& random) {
  SetUniform(World().Qpos(), InitialPositions(), noise_, random);
  for (double& velocity : World().Qvel()) velocity += noise_ * random.Normal();
}

RobotType AsInGymnasium(RobotType type) {
  constexpr Limits kVersions = {.least = 4.0, .most = 5.0};
  const std::vector<OptionSpec> common = {
      {"version", std::int64_t{5}, "the version of Gymnasium's environment", kVersions},
      {"post_constraint", true, "compute contact forces where they are used"}};
  type.options.insert(type.options.begin(), common.begin(), common.end());
  type.state_version = 3;
  return type;
}

OptionSpec ResetNoise(double scale) {
  return {"reset_noise_scale", scale, "scale of the initial state's noise", kFloat32NotNegative};
}

// Controls without limits have the range that the model says, as in Gymnasium.
Spec MujocoSpec(const Options& options, std::size_t size, std::vector<Field> info) {
  Spec spec = RobotSpec(options, size, std::move(info));
  const std::shared_ptr<const mjModel> model = ModelOf(options);
  Bounds low;
  Bounds high;
  for (int i = 0; i < static_cast<int>(model->nu); ++i) {
    low.push_back(model->actuator_ctrlrange[2 * i]);
    high.push_back(model->actuator_ctrlrange[2 * i + 1]);
  }
  spec.action = {
      Box("action", DType::kFloat64, {static_cast<int>(model->nu)}, std::move(low), std::move(high))
          .RecordType()};
  return spec;
}

}  // namespace envpool::mujoco
