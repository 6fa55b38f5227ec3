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
constexpr std::int64_t n = 32;  // points along each axis, a power of two

// Fourier sums of `size` values at a distance of `stride`, by halving: `sign` is -1 forwards.
static std::vector<Complex> sums(const Complex* in, std::int64_t size, std::int64_t stride,
                                 double sign) {
  if (size == 1) return {*in};
  const auto even = sums(in, size / 2, 2 * stride, sign);
  const auto odd = sums(in + stride, size / 2, 2 * stride, sign);
  std::vector<Complex> out(even.size() * 2);
  for (std::size_t k = 0; k < even.size(); ++k) {
    const double angle = sign * 2 * std::numbers::pi * static_cast<double>(k) / double(size);
    out[k] = even[k] + std::polar(1.0, angle) * odd[k];
    out[k + even.size()] = even[k] - std::polar(1.0, angle) * odd[k];
  }
  return out;
}

static void transform(Complex* line, std::int64_t stride, double sign) {
  for (const Complex& sum : sums(line, n, stride, sign)) *line = sum, line += stride;
}

int main(int argc, char** argv) {
  plait::Environment environment(argc, argv);
  return plait::guarded("poisson", [&] {
    const plait::TransposeShape shape{{n, n, n}, {2}, {1}, sizeof(Complex)};  // cut along z, then y
    plait::Transpose there(MPI_COMM_WORLD, shape, {4});                       // in 4 chunks of x
    plait::Transpose back(MPI_COMM_WORLD, reversed(shape), {4});
    plait::TransposeStepper stepper({&there, &back});  // with the schedule from PLAIT_SCHEDULE
    const std::int64_t planes = there.source().extents[2], first_z = there.source().own.first;
    const std::int64_t rows = there.destination().extents[1],
                       first_y = there.destination().own.first;
    std::vector<Complex> f(static_cast<std::size_t>(n * n * planes)), u = f;
    std::vector<Complex> modes(static_cast<std::size_t>(n * rows * n));

    const auto exact = [&](std::int64_t i) {  // at point i of the slab
      const double h = 2 * std::numbers::pi / n;
      return std::sin(h * double(i % n)) * std::cos(2 * h * double(i / n % n)) *
             std::sin(3 * h * double(i / (n * n) + first_z));
    };
    for (std::int64_t i = 0; i < n * n * planes; ++i) f.data()[i] = (1 + 4 + 9) * exact(i);

    const auto along_x = [&](Complex* slab, double sign) {
      for (std::int64_t line = 0; line < n * planes; ++line) transform(slab + n * line, 1, sign);
    };
    const auto along_y = [&](Complex* slab, const plait::IndexRange& x, double sign) {
      for (std::int64_t z = 0; z < planes; ++z) {
        for (auto i = x.first; i < x.last; ++i) transform(slab + i + n * n * z, n, sign);
      }
    };
    const auto along_z = [&](const plait::IndexRange& x) {  // and divides by the square of k
      const auto k = [](std::int64_t i) { return double(i <= n / 2 ? i : i - n); };
      for (std::int64_t y = 0; y < rows; ++y) {
        for (auto i = x.first; i < x.last; ++i) {
          Complex* line = modes.data() + i + n * y;
          transform(line, n * rows, -1);
          for (std::int64_t z = 0; z < n; ++z) {
            const double k2 = k(i) * k(i) + k(y + first_y) * k(y + first_y) + k(z) * k(z);
            line[n * rows * z] *= k2 > 0 ? 1 / k2 : 0;  // the mean of u is 0
          }
          transform(line, n * rows, 1);
        }
      }
    };
    along_x(f.data(), -1);
    const plait::TransposeArrays arrays[] = {{{f.data()}, {modes.data()}},
                                             {{modes.data()}, {u.data()}}};
    const plait::TransposeStepper::Work works[] = {
        [&](const plait::IndexRange& x) { along_y(f.data(), x, -1); }, along_z,
        [&](const plait::IndexRange& x) { along_y(u.data(), x, 1); }};
    stepper.step(arrays, works);
    along_x(u.data(), 1);

    double largest = 0;
    for (std::int64_t i = 0; i < n * n * planes; ++i) {
      largest = std::max(largest, std::abs(u.data()[i] / double(n * n * n) - exact(i)));
    }
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (environment.rank() == 0) std::printf("largest error %.1e\n", largest);
    return largest < 1e-13 ? 0 : 1;
  });
}
