// SPDX-License-Identifier: BSD-3-Clause
// -laplace(u) = f in a periodic box, by Fourier transforms along x and y in slabs of z, and along z
// in slabs of y. While a part of the modes travels between the slabs, another one is transformed.
#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>
#include <plait/plait.hpp>
#include <vector>

using Complex = std::complex<double>;
constexpr int n = 32;  // points along each axis, a power of two

// Fourier sums of a line, by halving: `sign` is -1 forwards.
static void transform(Complex* line, std::int64_t stride, double sign, int size = n) {
  if (size == 1) return;
  transform(line, 2 * stride, sign, size / 2);
  transform(line + stride, 2 * stride, sign, size / 2);
  std::vector<Complex> low, high;
  for (int k = 0; k < size / 2; ++k) {
    const Complex even = line[2 * k * stride], odd = line[(2 * k + 1) * stride];
    const Complex turned = std::polar(1.0, sign * 2 * std::numbers::pi * k / size) * odd;
    low.push_back(even + turned);
    high.push_back(even - turned);
  }
  low.insert(low.end(), high.begin(), high.end());
  for (const Complex& sum : low) *line = sum, line += stride;
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
      const auto angle = [](std::int64_t i) { return 2 * std::numbers::pi * double(i) / n; };
      return std::sin(angle(at[0])) * std::cos(2 * angle(at[1])) * std::sin(3 * angle(at[2]));
    };
    z_slab.for_each(f.data(), [&](Complex& value, auto& at) { value = (1 + 4 + 9) * exact(at); });

    const auto forwards = [](Complex* line, auto stride, auto&) { transform(line, stride, -1); };
    const auto backwards = [](Complex* line, auto stride, auto&) { transform(line, stride, 1); };
    const auto divided = [&](Complex* line, auto stride, plait::Long3 at) {  // by the square of k
      const auto square = [](auto i) { return std::pow(double(i <= n / 2 ? i : i - n), 2); };
      transform(line, stride, -1);
      for (; at[2] < n; ++at[2]) {
        const double k2 = square(at[0]) + square(at[1]) + square(at[2]);
        line[stride * at[2]] *= k2 > 0 ? 1 / k2 : 0;  // the mean of u is 0
      }
      transform(line, stride, 1);
    };
    z_slab.for_each_line(f.data(), 0, forwards);
    stepper.step({f.data(), modes.data(), u.data()},
                 {[&](auto& x) { z_slab.for_each_line(f.data(), 1, x, forwards); },
                  [&](auto& x) { y_slab.for_each_line(modes.data(), 2, x, divided); },
                  [&](auto& x) { z_slab.for_each_line(u.data(), 1, x, backwards); }});
    z_slab.for_each_line(u.data(), 0, backwards);

    double largest = 0;
    z_slab.for_each(u.data(), [&](const Complex& value, auto& at) {
      largest = std::max(largest, std::abs(value / double(n * n * n) - exact(at)));
    });
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (environment.rank() == 0) std::printf("largest error %.1e\n", largest);
    return largest < 1e-13 ? 0 : 1;
  });
}
