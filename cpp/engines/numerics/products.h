// Products of short vectors and matrices, as NumPy's BLAS adds them up.
//
// How depends on the processor. Dot products are NumPy's own; whoever loads this library says how
// the kernels for a vector or a matrix times a matrix add.
#pragma once

#include <array>
#include <span>
#include <string>

namespace envpool::numerics {

using Vector = std::array<double, 3>;

inline Vector VectorAt(const double* x) { return {x[0], x[1], x[2]}; }

// a - b
inline Vector Difference(const Vector& a, const Vector& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

// x.dot(y), of at most 12 elements.
double Dot(std::span<const double> x, std::span<const double> y);

// numpy.linalg.norm(x), of at most 12 elements: the root of its dot product.
double Norm(std::span<const double> x);

// numpy.linalg.norm(a - b)
inline double Distance(const Vector& a, const Vector& b) { return Norm(Difference(a, b)); }

// x.dot(frame), where `frame` is a matrix of 3 x 3 by rows.
Vector InFrame(const Vector& x, const double* frame);

// The row of rows.dot(frame) that `row` becomes.
Vector RowInFrame(const Vector& row, const double* frame);

// Sets how "gemv", a vector times a matrix, or "gemm", a matrix times a matrix, adds: each product
// is "rounded" before it is added, or it is not, "fused". Throws std::invalid_argument if there is
// no such way.
void SetProduct(const std::string& kernel, const std::string& way);

}  // namespace envpool::numerics
