#include "bindings/numpy_bridge.h"

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>
#include <numpy/ufuncobject.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "loading/require.h"

namespace envpool {

namespace {

int TypeNumber(DType dtype) {
  constexpr int kNumbers[] = {NPY_BOOL,   NPY_INT8,  NPY_UINT8,  NPY_INT16,   NPY_UINT16, NPY_INT32,
                              NPY_UINT32, NPY_INT64, NPY_UINT64, NPY_FLOAT32, NPY_FLOAT64};
  return kNumbers[static_cast<std::size_t>(dtype)];
}

// The DType of an array of booleans, integers or floats that a DType stands for: those of integers
// are ordered by size, the signed one first.
DType DTypeOfArray(PyArrayObject* array) {
  const auto after = [](DType first, int count) {
    return static_cast<DType>(static_cast<int>(first) + count);
  };
  const auto size = static_cast<unsigned>(PyArray_ITEMSIZE(array));
  switch (PyArray_DESCR(array)->kind) {
    case 'b': return DType::kBool;
    case 'i': return after(DType::kInt8, 2 * std::countr_zero(size));
    case 'u': return after(DType::kUInt8, 2 * std::countr_zero(size));
    default: return size == 4 ? DType::kFloat32 : DType::kFloat64;
  }
}

PyArrayObject* AsArray(const py::object& object) {
  return reinterpret_cast<PyArrayObject*>(object.ptr());
}

std::span<const npy_intp> ShapeOf(PyArrayObject* array) {
  return {PyArray_DIMS(array), static_cast<std::size_t>(PyArray_NDIM(array))};
}

// A new reference as an object. A Python exception gets the argument's name in front.
py::object Checked(PyObject* array, const std::string& name) {
  if (array != nullptr) return py::reinterpret_steal<py::object>(array);
  if (!PyErr_ExceptionMatches(PyExc_ValueError) && !PyErr_ExceptionMatches(PyExc_TypeError)) {
    throw py::error_already_set();
  }
  const py::error_already_set error;
  throw py::value_error(name + " is no array of numbers: " + std::string(py::str(error.value())));
}

// A C-contiguous array in native byte order of the numbers in `object`, without a copy if it is
// one.
py::object ToNumbers(py::handle object, const std::string& name) {
  constexpr int kFlags = NPY_ARRAY_CARRAY_RO | NPY_ARRAY_NOTSWAPPED;
  py::object array = Checked(PyArray_FROM_OF(object.ptr(), kFlags), name);
  const char kind = PyArray_DESCR(AsArray(array))->kind;
  const auto size = PyArray_ITEMSIZE(AsArray(array));
  if (kind == 'f' && size != 4 && size != 8) {
    // half and long double
    constexpr int kCast = kFlags | NPY_ARRAY_FORCECAST;
    array = Checked(PyArray_FROM_OTF(array.ptr(), NPY_FLOAT64, kCast), name);
  } else if (kind != 'b' && kind != 'i' && kind != 'u' && kind != 'f') {
    throw py::type_error(name + " has dtype " + std::string(py::str(array.attr("dtype"))) +
                         ", expected numbers");
  }
  return array;
}

// A Python object that owns `value`.
template <class T>
py::object Capsule(T value) {
  PyObject* capsule = PyCapsule_New(new T(std::move(value)), nullptr, [](PyObject* self) {
    delete static_cast<T*>(PyCapsule_GetPointer(self, nullptr));
  });
  if (capsule == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(capsule);
}

// A new writable array of these sizes over memory that `owner` owns.
py::object ArrayOver(void* memory, int type_number, std::span<const npy_intp> sizes,
                     const py::object& owner) {
  PyObject* array = PyArray_NewFromDescr(&PyArray_Type, PyArray_DescrFromType(type_number),
                                         static_cast<int>(sizes.size()), sizes.data(), nullptr,
                                         memory, NPY_ARRAY_CARRAY, nullptr);
  if (array == nullptr) throw py::error_already_set();
  auto result = py::reinterpret_steal<py::object>(array);
  if (PyArray_SetBaseObject(AsArray(result), owner.inc_ref().ptr()) < 0) {
    throw py::error_already_set();
  }
  return result;
}

std::string WrongShape(const Field& field, std::span<const npy_intp> shape) {
  const std::vector<npy_intp> expected(field.shape.begin(), field.shape.end());
  return field.name + " has shape " + ShapeText(shape) + ", expected " + ShapeText(expected);
}

// CopyInto of what converts only as Gymnasium's shared memory converts it.
void CastInto(py::handle value, const Field& field, std::byte* memory) {
  PyArray_Descr* type = PyArray_DescrFromType(TypeNumber(field.dtype));
  const auto array = py::reinterpret_steal<py::object>(
      PyArray_FromAny(value.ptr(), type, 0, 0, NPY_ARRAY_CARRAY_RO | NPY_ARRAY_FORCECAST, nullptr));
  if (!array) throw py::error_already_set();
  const auto size = static_cast<std::size_t>(PyArray_SIZE(AsArray(array)));
  if (size != field.Elements() && size != 1) {
    throw py::value_error(WrongShape(field, ShapeOf(AsArray(array))));
  }
  const auto* source = static_cast<const std::byte*>(PyArray_DATA(AsArray(array)));
  const std::size_t bytes = SizeOf(field.dtype);
  for (std::size_t i = 0; i < field.Elements(); ++i) {
    std::memcpy(memory + i * bytes, source + (size == 1 ? 0 : i * bytes), bytes);
  }
}

// A new array of these sizes with a copy of its elements.
py::object CopyOf(const std::byte* memory, DType dtype, std::span<const npy_intp> sizes) {
  PyObject* array =
      PyArray_SimpleNew(static_cast<int>(sizes.size()), sizes.data(), TypeNumber(dtype));
  if (array == nullptr) throw py::error_already_set();
  auto result = py::reinterpret_steal<py::object>(array);
  std::memcpy(PyArray_DATA(AsArray(result)), memory,
              static_cast<std::size_t>(PyArray_NBYTES(AsArray(result))));
  return result;
}

}  // namespace

void ImportNumpy() {
  if (_import_array() < 0) throw py::error_already_set();
}

py::object OwnerOf(BlockLease lease) { return Capsule(std::move(lease)); }

py::object MakeArray(const NamedColumn& column, std::byte* block, std::size_t rows,
                     const py::object& owner) {
  std::array<npy_intp, 1 + kMostDimensions> sizes;
  sizes[0] = static_cast<npy_intp>(rows);
  std::ranges::copy(column.shape, sizes.begin() + 1);
  const std::span<const npy_intp> shape(sizes.data(), 1 + column.shape.size());
  std::byte* const memory = block + column.offset;
  if (!owner) return CopyOf(memory, column.dtype, shape);
  return ArrayOver(memory, TypeNumber(column.dtype), shape, owner);
}

py::object MemoryOf(const std::shared_ptr<Slots>& slots) {
  const std::array<npy_intp, 2> sizes = {static_cast<npy_intp>(slots->Blocks()),
                                         static_cast<npy_intp>(slots->BlockBytes())};
  return ArrayOver(slots->Memory(), NPY_UINT8, sizes, py::cast(slots));
}

py::object MakePixels(std::shared_ptr<Pictures> pictures, std::size_t count) {
  constexpr int kChannels = 3;
  const auto [width, height] = pictures->Size();
  const std::array<npy_intp, 4> sizes = {static_cast<npy_intp>(count), height, width, kChannels};
  std::uint8_t* pixels = pictures->All().data();
  return ArrayOver(pixels, NPY_UINT8, sizes, Capsule(std::move(pictures)));
}

std::vector<std::int32_t> ReadIds(py::handle object, const std::string& name) {
  const py::object owner = ToNumbers(object, name);
  PyArrayObject* array = AsArray(owner);
  if (PyArray_NDIM(array) != 1) {
    throw py::value_error(name + " has shape " + ShapeText(ShapeOf(array)) + ", expected (n,)");
  }
  const auto count = static_cast<std::size_t>(PyArray_SIZE(array));
  const DType dtype = DTypeOfArray(array);
  if ((IsFloat(dtype) && count > 0) || dtype == DType::kBool) {
    const char* const hint =
        dtype == DType::kBool ? "; to reset by a mask use reset(options={'reset_mask': mask})" : "";
    throw py::type_error(name + " has dtype " + NameOf(dtype) + ", expected integers" + hint);
  }
  std::vector<std::int32_t> ids(count);
  VisitDType(dtype, [&]<class T>() {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      const auto* values = static_cast<const T*>(PyArray_DATA(array));
      for (std::size_t i = 0; i < count; ++i) {
        // The pool says of other ids whether they are in range, and where that ends.
        if (!std::in_range<std::int32_t>(values[i])) {
          throw py::value_error(name + "[" + std::to_string(i) + "] is " +
                                std::to_string(values[i]) + ", expected 0 <= env_id < num_envs");
        }
        ids[i] = static_cast<std::int32_t>(values[i]);
      }
    }
  });
  return ids;
}

ActionArray ReadActions(py::handle object, const Field& field) {
  ActionArray actions{ToNumbers(object, field.name), {}};
  PyArrayObject* array = AsArray(actions.owner);
  const std::span<const npy_intp> shape = ShapeOf(array);
  bool same = shape.size() == field.shape.size() + 1;
  for (std::size_t i = 0; same && i < field.shape.size(); ++i)
    same = shape[i + 1] == field.shape[i];
  if (!same) {
    std::string expected = "(n,";
    for (const int size : field.shape) expected += " " + std::to_string(size) + ",";
    if (!field.shape.empty()) expected.pop_back();
    throw py::value_error(field.name + " has shape " + ShapeText(shape) + ", expected " + expected +
                          ")");
  }
  actions.view = {static_cast<const std::byte*>(PyArray_DATA(array)), DTypeOfArray(array),
                  static_cast<std::size_t>(shape[0])};
  return actions;
}

py::object MakeCopy(DType dtype, const std::vector<int>& shape, const std::byte* memory) {
  if (!shape.empty()) {
    return CopyOf(memory, dtype, std::vector<npy_intp>(shape.begin(), shape.end()));
  }
  PyArray_Descr* type = PyArray_DescrFromType(TypeNumber(dtype));
  PyObject* scalar = PyArray_Scalar(const_cast<std::byte*>(memory), type, nullptr);
  Py_DECREF(type);
  if (scalar == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(scalar);
}

void CopyInto(py::handle value, const Field& field, std::byte* memory, bool casts) {
  auto array = py::reinterpret_borrow<py::object>(value);
  if (!PyArray_Check(value.ptr())) {
    array = py::reinterpret_steal<py::object>(PyArray_FROM_O(value.ptr()));
    if (!array) throw py::error_already_set();
  }
  const std::span<const npy_intp> shape = ShapeOf(AsArray(array));
  if (!std::ranges::equal(shape, field.shape)) {
    if (casts) return CastInto(value, field, memory);
    throw py::value_error(WrongShape(field, shape));
  }
  const int type_number = TypeNumber(field.dtype);
  if (PyArray_TYPE(AsArray(array)) == type_number && PyArray_ISCARRAY_RO(AsArray(array))) {
    std::memcpy(memory, PyArray_DATA(AsArray(array)), field.Bytes());
    return;
  }
  PyArray_Descr* type = PyArray_DescrFromType(type_number);
  const bool converts = PyArray_CanCastArrayTo(AsArray(array), type, NPY_SAME_KIND_CASTING) != 0;
  Py_DECREF(type);
  if (!converts) {
    if (casts) return CastInto(value, field, memory);
    throw py::type_error(field.name + " has dtype " + std::string(py::str(array.attr("dtype"))) +
                         ", expected " + NameOf(field.dtype));
  }
  const py::object row = ArrayOver(memory, type_number, shape, py::none());
  if (PyArray_CopyInto(AsArray(row), AsArray(array)) < 0) throw py::error_already_set();
}

std::array<std::int64_t, 2> LoopOf(const py::object& function) {
  const auto& ufunc = *reinterpret_cast<const PyUFuncObject*>(function.ptr());
  for (int loop = 0; loop < ufunc.ntypes; ++loop) {
    const char* const types = ufunc.types + loop * ufunc.nargs;
    if (std::all_of(types, types + ufunc.nargs, [](char type) { return type == NPY_DOUBLE; })) {
      return {reinterpret_cast<std::int64_t>(ufunc.functions[loop]),
              reinterpret_cast<std::int64_t>(ufunc.data == nullptr ? nullptr : ufunc.data[loop])};
    }
  }
  throw py::value_error(std::string(py::repr(function)) + " has no loop for float64");
}

}  // namespace envpool
