#include "mujoco/variations/model_copy.h"

#include <mujoco/mjxmacro.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace envpool::mujoco {

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
#define X(type, name, nr, nc)                                              \
  if (UseOfConstants(#name).is_output) {                                   \
    Own(model, &mjModel::name, static_cast<std::size_t>(model.nr) * (nc)); \
  }
  MJMODEL_POINTERS
#undef X
}

void ModelCopy::Change(Simulation& simulation, const ArrayType& array) {
  if (!array.IsOfModel()) return;
  is_changed_ = true;
  mjModel& model = simulation.Copy();
  if (array.model != nullptr) Own(model, array.model, array.Size(model));
  if (array.floats != nullptr) Own(model, array.floats, array.Size(model));
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
    // An array that is changed twice is changed from what the first has made of it.
    if (variation.IsOfModel()) variation.Apply(model, simulation.Data());
  }
  for (const Given& each : given) {
    if (!each.part.array->IsOfModel()) continue;
    each.part.Write(model, simulation.Data(), each.numbers.data());
  }
  if (!needs_constants_) return;
  // Run clears the mark that an engine's error has left, but mj_setConst would not mend the data.
  if (simulation.IsDamaged()) simulation.Reset();
  simulation.Run([&model](const mjModel&, mjData& data) { mj_setConst(&model, &data); });
}

}  // namespace envpool::mujoco
