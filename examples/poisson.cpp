// SPDX-License-Identifier: BSD-3-Clause
// -laplace(u) = f in a periodic box, by Fourier transforms along x and y in slabs of z, and along z
// in slabs of y. While a part of the modes travels between the slabs, another one is transformed.
#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>
#include <plait/plait.hpp>

using Complex = std::complex<double>;
constexpr int n = 32, forwards = -1, backwards = 1;  // points along each axis; signs of transforms
constexpr double turn = 2 * std::numbers::pi / n;

// Fourier sums of a line by their definition, in place of an FFT.
template <int sign>
static void transform(Complex* line, std::int64_t stride, const plait::Long3&) {
  std::array<Complex, n> sums{};
  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < n; ++i) sums[k] += std::polar(1.0, sign * k * i * turn) * line[i * stride];
  }
  for (const Complex& sum : sums) *line = sum, line += stride;
}

int main(int argc, char** argv) {
  plait::Environment environment(argc, argv);
  return plait::guarded("poisson", [&] {
    const plait::TransposeShape shape{{n, n, n}, {2}, {1}, sizeof(Complex)};  // cut along z, then y
    plait::Transpose there(MPI_COMM_WORLD, shape, {4}), back(MPI_COMM_WORLD, reversed(shape), {4});
    plait::TransposeStepper stepper({&there, &back});  // 4 chunks of x, schedule of PLAIT_SCHEDULE
    const plait::TransposeArray &z_slab = there.source(), &y_slab = there.destination();
    auto f = z_slab.zeros<Complex>(), u = f, modes = y_slab.zeros<Complex>();
    const auto exact = [](const plait::Long3& at) {
      return std::sin(turn * at[0]) * std::cos(2 * turn * at[1]) * std::sin(3 * turn * at[2]);
    };
    z_slab.for_each(f.data(), [&](Complex& value, auto& at) { value = (1 + 4 + 9) * exact(at); });

    const auto divided = [](Complex* line, auto stride, plait::Long3 at) {  // by the square of k
      const auto square = [](auto i) { return std::pow(double(std::min(i, n - i)), 2); };
      transform<forwards>(line, stride, at);
      for (; at[2] < n; ++at[2]) {
        const double k2 = square(at[0]) + square(at[1]) + square(at[2]);
        line[stride * at[2]] *= k2 > 0 ? std::pow(n, -3) / k2 : 0;  // the mean of u is 0
      }
      transform<backwards>(line, stride, at);
    };
    z_slab.for_each_line(f.data(), 0, transform<forwards>);
    stepper.step({f.data(), modes.data(), u.data()},
                 {[&](auto& x) { z_slab.for_each_line(f.data(), 1, x, transform<forwards>); },
                  [&](auto& x) { y_slab.for_each_line(modes.data(), 2, x, divided); },
                  [&](auto& x) { z_slab.for_each_line(u.data(), 1, x, transform<backwards>); }});
    z_slab.for_each_line(u.data(), 0, transform<backwards>);

    z_slab.for_each(u.data(), [&](Complex& value, auto& at) { value -= exact(at); });
    double largest = 0;
    for (const Complex& error : u) largest = std::max(largest, std::abs(error));
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (environment.rank() == 0) std::printf("largest error %.1e\n", largest);
    return largest < 1e-13 ? 0 : 1;
  });
}
