// Between NumPy's arrays and the executor's views; the only user of NumPy's C API.
#pragma once

#include <pybind11/pybind11.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "environments/action_store.h"
#include "environments/pictures.h"
#include "results/block_pool.h"
#include "results/layout.h"
#include "results/slots.h"

namespace envpool {

namespace py = pybind11;

// Call once before anything else here.
void ImportNumpy();

// A Python object that owns a lease, to be the base of the arrays that point into its block.
py::object OwnerOf(BlockLease lease);

// A new writable array of so many rows of a column of the block that `owner` owns; of a copy, which
// keeps no block, if there is no owner.
py::object MakeArray(const NamedColumn& column, std::byte* block, std::size_t rows,
                     const py::object& owner);

// A new writable array over all bytes of slots: uint8 of shape (blocks, bytes of one).
py::object MemoryOf(const std::shared_ptr<Slots>& slots);

// A new writable array over pictures: uint8 of shape (count, height, width, 3).
py::object MakePixels(std::shared_ptr<Pictures> pictures, std::size_t count);

// Environment ids given as an array or sequence of integers. A copy, because the array may change
// while they are checked and used. `name` is the argument's.
std::vector<std::int32_t> ReadIds(py::handle object, const std::string& name);

// An array of actions for `field`, and what keeps its memory alive. Throws TypeError unless it has
// numbers, ValueError unless its rows have the field's shape.
struct ActionArray {
  py::object owner;
  ArrayView view;
};
ActionArray ReadActions(py::handle object, const Field& field);

// A new array of this shape, or a scalar if it has none: a copy.
py::object MakeCopy(DType dtype, const std::vector<int>& shape, const std::byte* memory);

// Writes what an environment observes, a number or an array, to the memory of one row of `field`.
// Throws ValueError if it has another shape, TypeError unless its type converts to the field's as
// numpy.stack(..., out=...) would convert it. If it `casts`, it takes all that Gymnasium writes to
// shared memory: whatever numpy.asarray makes an array of the field's type of, with as many
// elements in any shape, or with one that stands for all.
void CopyInto(py::handle value, const Field& field, std::byte* memory, bool casts);

// The addresses of a ufunc's inner loop for float64 and of what it is called with, for libraries
// that have to compute what NumPy computes on this processor: PyUFuncGenericFunction and data.
// `function` is a numpy.ufunc. Throws ValueError if it has no such loop.
std::array<std::int64_t, 2> LoopOf(const py::object& function);

}  // namespace envpool
