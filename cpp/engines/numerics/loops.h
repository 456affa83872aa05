// NumPy's own inner loops, for functions whose results are not libm's on every processor.
//
// NumPy computes them with vector instructions, for single numbers as well, and so do we by calling
// the very code: whoever loads this library hands its addresses over. Without them it is libm.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace envpool::numerics {

double Exp(double x);
double Log(double x);
double Log1p(double x);
double Arcsinh(double x);
double Tanh(double x);
double Arctan2(double y, double x);
double Arccos(double x);
double Sin(double x);
double Cos(double x);
double Tan(double x);
double Arcsin(double x);
double Arctan(double x);
// numpy.power(x, y) of single numbers, which NumPy computes otherwise than those of arrays.
double Power(double x, double y);

// matrix @ vector, of any size: `matrix` has the rows of `result` one after the other. How BLAS
// adds many products is no order that could be told.
void MatrixTimesVector(std::span<const double> matrix, std::span<const double> vector,
                       std::span<double> result);

// The names of the functions, as NumPy has them.
const std::vector<std::string>& LoopNames();

// Sets the loop of a function: the addresses of the loop for float64 and of its data, as
// PyUFuncObject has them; nothing for libm. Throws std::invalid_argument if it is neither.
void SetLoop(const std::string& name, const std::vector<std::int64_t>& addresses);

}  // namespace envpool::numerics
