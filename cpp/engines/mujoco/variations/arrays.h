// ArrayPart: a part of a model's or simulation's numbers, found by a name.
//
// A name is an array of mjData ("qpos"), of mjModel ("geom_friction") or of mjOption
// ("opt.gravity"); behind a colon the object whose row is meant ("site_xpos:hand"), and in brackets
// a slice of its numbers, as in Python ("qpos[1:]").
#pragma once

#include <mujoco/mujoco.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace envpool::mujoco {

// An array of numbers: as many rows as there are objects of a kind, each with some columns.
struct ArrayType {
  // Where its memory is: one of these is set.
  mjtNum* mjData::* data = nullptr;
  mjtNum* mjModel::* model = nullptr;
  float* mjModel::* floats = nullptr;
  mjtNum* (*option)(mjModel& model) = nullptr;
  mjtNum* (*scalar)(mjData& data) = nullptr;

  using Count = std::size_t (*)(const mjModel& model);
  std::string_view rows_of = {};      // MuJoCo's name of the number of rows, such as "nbody"
  mjtSize mjModel::* rows = nullptr;  // this number; null: there is one
  Count columns = nullptr;
  bool is_input = false;      // mj_setConst computes other arrays from it
  bool needs_forces = false;  // only mj_rnePostConstraint computes it

  bool IsOfModel() const { return model != nullptr || floats != nullptr || option != nullptr; }
  std::size_t Rows(const mjModel& of) const {
    return rows == nullptr ? 1 : static_cast<std::size_t>(of.*rows);
  }
  std::size_t Size(const mjModel& of) const { return Rows(of) * columns(of); }
};

struct ArrayPart {
  const ArrayType* array = nullptr;
  std::size_t begin = 0;
  std::size_t size = 0;
  std::vector<int> shape = {};  // as NumPy has it: a single number has none

  // Copies its numbers to `out`, which has room for them.
  void Read(const mjModel& model, const mjData& data, mjtNum* out) const;
  // A model's numbers may only be written to if they are the caller's own.
  void Write(mjModel& model, mjData& data, const mjtNum* numbers) const;
};

// What mj_setConst does with an array of mjModel.
struct ConstantsUse {
  bool is_input = false;  // before it writes to it, if it does
  bool is_output = false;
};
ConstantsUse UseOfConstants(std::string_view name);

// The name by which an array is found.
std::string NameOf(const ArrayType& array);

// The names of the arrays of the state that simulations begin with, and of those of a model.
std::vector<std::string> NamesOfChangeableArrays();

// Throws std::invalid_argument, which says `what` the name is of and names similar ones, if there
// is no such array or object, or the slice is none of its numbers.
ArrayPart FindArray(const mjModel& model, const std::string& what, const std::string& name);

}  // namespace envpool::mujoco
