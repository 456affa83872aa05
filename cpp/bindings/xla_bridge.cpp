#include "bindings/xla_bridge.h"

#include "xla/handlers.h"

namespace envpool {

namespace {

py::object CapsuleOf(xla::Handler* handler) {
  PyObject* capsule = PyCapsule_New(reinterpret_cast<void*>(handler), nullptr, nullptr);
  if (capsule == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(capsule);
}

}  // namespace

py::dict DescribeColumns(const Layout& layout) {
  py::dict columns;
  for (const NamedColumn& column : layout.all) {
    py::tuple shape(column.shape.size());
    for (std::size_t i = 0; i < column.shape.size(); ++i) shape[i] = column.shape[i];
    columns[column.name.c_str()] = py::make_tuple(NameOf(column.dtype), shape, column.per_player);
  }
  return columns;
}

py::dict XlaHandlers() {
  py::dict on_cpu, on_gpu;
  on_cpu["step"] = CapsuleOf(xla::HandleStep);
  on_cpu["send"] = CapsuleOf(xla::HandleSend);
  on_cpu["recv"] = CapsuleOf(xla::HandleReceive);
  on_cpu["reset"] = CapsuleOf(xla::HandleReset);
  on_gpu["step"] = CapsuleOf(xla::HandleStepOnGpu);
  on_gpu["send"] = CapsuleOf(xla::HandleSendOnGpu);
  on_gpu["recv"] = CapsuleOf(xla::HandleReceiveOnGpu);
  on_gpu["reset"] = CapsuleOf(xla::HandleResetOnGpu);
  py::dict handlers;
  handlers["cpu"] = on_cpu;
  handlers["CUDA"] = on_gpu;
  return handlers;
}

}  // namespace envpool
