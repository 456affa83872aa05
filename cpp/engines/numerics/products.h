// Products of short vectors and matrices, as NumPy's BLAS adds them up.
//
// Whether it rounds each product before it is added depends on the processor, and on the kernel:
// one for a dot product, others for a vector or a matrix times a matrix.
#pragma once

#include <array>
#include <span>
#include <string>

namespace envpool::numerics {

using Vector = std::array<double, 3>;

// x.dot(y), of at most 12 elements.
double Dot(std::span<const double> x, std::span<const double> y);

// numpy.linalg.norm(x), of at most 12 elements.
double Norm(std::span<const double> x);

// x.dot(frame), where `frame` is a matrix of 3 x 3 by rows.
Vector InFrame(const Vector& x, const double* frame);

// The row of rows.dot(frame) that `row` becomes.
Vector RowInFrame(const Vector& row, const double* frame);

// How a kernel ("dot", "gemv" or "gemm") adds: "fused" or "rounded". Throws std::invalid_argument
// if there is no such way.
void SetProduct(const std::string& kernel, const std::string& way);

}  // namespace envpool::numerics
