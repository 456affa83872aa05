#include "mujoco/variations/model_copy.h"

#include <mujoco/mjxmacro.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <set>
#include <span>
#include <string_view>
#include <utility>

namespace envpool::mujoco {

namespace {

// The arrays of mjModel that mj_setConst writes to.
bool IsOutput(std::string_view name) {
  static const std::set<std::string_view> kOutputs = [] {
    std::set<std::string_view> outputs;
    const auto add = [&outputs](const char* array, std::initializer_list<int> groups) {
      const auto writes = [](int use) { return (use & mjSC_OUT) != 0; };
      if (std::ranges::any_of(groups, writes)) outputs.insert(array);
    };
#define X(name, ...) add(#name, {__VA_ARGS__});
    MJSETCONST_ARRAYS
#undef X
    return outputs;
  }();
  return kOutputs.contains(name);
}

}  // namespace

template <class T>
void ModelCopy::Own(mjModel& model, T* mjModel::* member, std::size_t size) {
  const bool is_own = std::ranges::any_of(arrays_, [&](const Array& array) {
    return array.bytes.data() == static_cast<const void*>(model.*member);
  });
  if (is_own || size == 0) return;
  Array array{std::vector<std::byte>(size * sizeof(T)), model.*member};
  std::memcpy(array.bytes.data(), array.original, array.bytes.size());
  arrays_.push_back(std::move(array));
  model.*member = reinterpret_cast<T*>(arrays_.back().bytes.data());
}

void ModelCopy::OwnOutputs(mjModel& model) {
#undef MJ_M
#define MJ_M(n) model.n
#define X(type, name, nr, nc) \
  if (IsOutput(#name)) Own(model, &mjModel::name, static_cast<std::size_t>(model.nr) * (nc));
  MJMODEL_POINTERS
#undef X
}

void ModelCopy::Change(Simulation& simulation, const ArrayType& array) {
  if (!array.IsOfModel()) return;
  is_changed_ = true;
  mjModel& model = simulation.Copy();
  if (array.model != nullptr) Own(model, array.model, array.Size(model));
  if (array.is_input && !std::exchange(needs_constants_, true)) OwnOutputs(model);
}

ModelCopy::ModelCopy(Simulation& simulation, const std::vector<Variation>& variations)
    : option_(simulation.Model().opt), statistic_(simulation.Model().stat) {
  for (const Variation& variation : variations) Change(simulation, *variation.Part().array);
}

void ModelCopy::Apply(Simulation& simulation, const std::vector<Variation>& variations,
                      const std::vector<Given>& given) {
  for (const Given& each : given) Change(simulation, *each.part.array);
  if (!is_changed_) return;
  mjModel& model = simulation.Copy();
  model.opt = option_;
  model.stat = statistic_;
  for (Array& array : arrays_) std::memcpy(array.bytes.data(), array.original, array.bytes.size());
  for (const Variation& variation : variations) {
    if (!variation.IsOfModel()) continue;
    // An array that is changed twice is changed from what the first has made of it.
    const std::span<mjtNum> numbers = variation.Part().In(model, simulation.Data());
    variation.Apply(numbers, numbers);
  }
  for (const Given& each : given) {
    if (!each.part.array->IsOfModel()) continue;
    std::ranges::copy(each.numbers, each.part.In(model, simulation.Data()).begin());
  }
  if (!needs_constants_) return;
  // Run clears the mark that an engine's error has left, but mj_setConst would not mend the data.
  if (simulation.IsDamaged()) simulation.Reset();
  simulation.Run([&model](const mjModel&, mjData& data) { mj_setConst(&model, &data); });
}

}  // namespace envpool::mujoco
