// SPDX-License-Identifier: BSD-3-Clause
// Transforms, compact differences, Poisson's equation, subgrid models and exact sums, each against
// its definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <vector>

#include "compact.hpp"
#include "eddy_viscosity.hpp"
#include "exact_sum.hpp"
#include "fft.hpp"
#include "projection.hpp"

namespace plait::boussinesq {
namespace {

constexpr double pi = std::numbers::pi;

std::vector<Pair> random_column(int n) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Pair> column(static_cast<std::size_t>(n));
  for (Pair& pair : column) {
    for (int lane = 0; lane < lane_count; ++lane) {
      pair.re[lane] = uniform(random);
      pair.im[lane] = uniform(random);
    }
  }
  return column;
}

Complex number(const Pair& pair, int lane) {
  return {pair.re[lane], pair.im[lane]};
}

TEST(Fft, EqualsItsDefinitionForAllFactors) {
  for (const int n : {1, 2, 3, 4, 5, 6, 8, 12, 14, 30, 60, 64}) {
    const std::vector<Pair> line = random_column(n);
    for (const bool inverse : {false, true}) {
      std::vector<Pair> work = line, scratch(line.size());
      const Fft fft(n);
      const Pair* result = fft.transform(work.data(), scratch.data(), inverse);
      for (int k = 0; k < n; ++k) {
        Complex sum;
        for (int j = 0; j < n; ++j) {
          const double angle = 2 * pi * (j * k % n) / n * (inverse ? 1 : -1);
          sum += number(line[static_cast<std::size_t>(j)], 3) * std::polar(1.0, angle);
        }
        EXPECT_NEAR(std::abs(sum - number(result[k], 3)), 0, 1e-13 * n) << n << " " << k;
      }
    }
  }
}

TEST(RealFft, KeepsTheLowestModesAndReturnsTheirValues) {
  for (const int n : {2, 12, 16, 30}) {
    const int kept = (n - 1) / 3 + 1;
    const RealFft fft(n, kept);
    const std::vector<Pair> line = random_column(n / 2);
    std::vector<Pair> work = line, scratch(line.size()), modes(line.size());
    fft.to_modes(work.data(), scratch.data(), modes.data());
    const auto value = [&](const Pair* pairs, int j) {
      return j % 2 == 0 ? pairs[j / 2].re[5] : pairs[j / 2].im[5];
    };
    for (int k = 0; k < kept; ++k) {
      Complex sum;
      for (int j = 0; j < n; ++j)
        sum += value(line.data(), j) * std::polar(1.0, -2 * pi * j * k / n);
      EXPECT_NEAR(std::abs(sum - number(modes[static_cast<std::size_t>(k)], 5)), 0, 1e-13 * n);
    }
    std::vector<Pair> back(line.size());
    const Pair* points = fft.to_values(modes.data(), back.data(), scratch.data());
    for (int j = 0; j < n; ++j) {
      double sum = modes[0].re[5];
      for (int k = 1; k < kept; ++k) {
        sum += 2 *
               (number(modes[static_cast<std::size_t>(k)], 5) * std::polar(1.0, 2 * pi * j * k / n))
                   .real();
      }
      EXPECT_NEAR(value(points, j), sum, 1e-13 * n);
    }
  }
}

/// Largest errors of the derivatives of an even and an odd function, the second one, the filter.
std::vector<double> errors(int cells, bool periodic) {
  const Grid grid{{8, 8, periodic ? cells : cells + 1}, {1, 1, periodic ? 2.0 : 1.0}, periodic};
  const Compact compact(grid);
  const auto n = static_cast<std::size_t>(grid.planes());
  std::vector<Pair> even(n), odd(n), out(n);
  std::vector<double> largest(5);
  const auto compare = [&](std::size_t which, const auto& expected) {
    for (std::size_t i = 0; i < n; ++i) {
      const double z = grid.z(static_cast<int>(i));
      largest[which] = std::max(largest[which], std::abs(out[i].re[0] - expected(z)));
    }
  };
  const double k = 3 * pi;
  const auto f = [&](double z) { return std::exp(std::cos(k * z)); };
  const auto g = [&](double z) { return std::sin(k * z) * f(z); };
  for (std::size_t i = 0; i < n; ++i) {
    even[i].re[0] = f(grid.z(static_cast<int>(i)));
    odd[i].re[0] = g(grid.z(static_cast<int>(i)));
  }
  const auto df = [&](double z) { return -k * g(z); };
  const auto dg = [&](double z) {
    return k * (std::cos(k * z) - std::pow(std::sin(k * z), 2)) * f(z);
  };
  compact.first(Parity::even, even.data(), out.data());
  compare(0, df);
  compact.first(Parity::odd, odd.data(), out.data());
  compare(1, dg);
  compact.second(Parity::even, even.data(), out.data());
  compare(2, [&](double z) { return -k * dg(z); });
  compact.filter(Parity::even, even.data(), out.data());
  compare(3, f);
  compact.filter(Parity::odd, odd.data(), out.data());
  compare(4, g);
  return largest;
}

TEST(Compact, IsOfSixthOrderUpToLidsAndPeriodic) {
  for (const bool periodic : {false, true}) {
    const int scale = periodic ? 2 : 1;
    const auto coarse = errors(32 * scale, periodic), middle = errors(64 * scale, periodic),
               fine = errors(128 * scale, periodic);
    for (std::size_t i = 0; i < coarse.size(); ++i) {
      EXPECT_GE(coarse[i] / middle[i], 60) << i << periodic;
      EXPECT_GE(middle[i] / fine[i], 60) << i << periodic;
    }
  }
}

/// Errors between open ends, on their planes and inside: first and second derivative, filter.
std::vector<double> open_errors(int cells) {
  const Grid grid{{8, 8, cells + 1}, {1, 1, 1}, false, true};
  const Compact compact(grid);
  const auto n = static_cast<std::size_t>(grid.planes());
  std::vector<Pair> f(n), first(n), second(n), filtered(n);
  const auto value = [](double z) { return std::sin(4 * z + 0.3); };
  for (std::size_t i = 0; i < n; ++i) f[i].re[2] = value(grid.z(static_cast<int>(i)));
  compact.first(Parity::even, f.data(), first.data());
  compact.second(Parity::odd, f.data(), second.data());
  compact.filter(Parity::odd, f.data(), filtered.data());
  std::vector<double> largest(5);
  for (std::size_t i = 0; i < n; ++i) {
    const double z = grid.z(static_cast<int>(i));
    const double error1 = std::abs(first[i].re[2] - 4 * std::cos(4 * z + 0.3));
    const double error2 = std::abs(second[i].re[2] + 16 * value(z));
    largest[0] = std::max(largest[0], error1);
    largest[1] = std::max(largest[1], error2);
    largest[2] = std::max(largest[2], std::abs(filtered[i].re[2] - value(z)));
    if (z < 0.4 || z > 0.6) continue;
    largest[3] = std::max(largest[3], error1);
    largest[4] = std::max(largest[4], error2);
  }
  EXPECT_EQ(filtered[0].re[2], f[0].re[2]);
  return largest;
}

TEST(Compact, IsOfThirdOrderAtOpenEndsAndOfSixthInside) {
  const auto coarse = open_errors(32), fine = open_errors(64);
  const double orders[] = {3, 3, 2, 6, 6};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_GE(std::log2(coarse[i] / fine[i]), orders[i] - 0.25) << i << " " << coarse[i];
  }
}

TEST(Compact, HasTheModifiedWaveNumberOfEachWave) {
  for (const bool periodic : {false, true}) {
    const Grid grid{{8, 8, periodic ? 24 : 25}, {1, 1, 1}, periodic};
    const Compact compact(grid);
    const auto n = static_cast<std::size_t>(grid.planes());
    for (int m = 0; m <= (periodic ? 12 : 24); ++m) {
      std::vector<Pair> wave(n), out(n);
      const double k = (periodic ? 2 : 1) * pi * m;
      for (std::size_t i = 0; i < n; ++i) {
        wave[i].re[0] = std::cos(k * grid.z(static_cast<int>(i)));
      }
      compact.first(Parity::even, wave.data(), out.data());
      const double number = compact.first_wave_number(m);
      for (std::size_t i = 0; i < n; ++i) {
        const double expected = -number * std::sin(k * grid.z(static_cast<int>(i)));
        EXPECT_NEAR(out[i].re[0], expected, 1e-13 * 2 / grid.spacing(2)) << m << " " << i;
      }
      EXPECT_LE(number, compact.largest_first());
    }
  }
}

TEST(Compact, FiltersEachWaveByItsTransferFunction) {
  const Grid grid{{8, 8, 17}, {1, 1, 1}, false};
  Compact compact(grid);
  for (const double a : {0.49, 0.3}) {
    compact.set_filter(a);
    for (int m = 0; m <= 16; ++m) {
      const double t = pi * m / 16;
      const double sum = (11 + 10 * a) / 16 + (15 + 34 * a) / 32 * std::cos(t) +
                         (-3 + 6 * a) / 16 * std::cos(2 * t) + (1 - 2 * a) / 32 * std::cos(3 * t);
      std::vector<Pair> wave(17), out(17);
      for (std::size_t i = 0; i < 17; ++i) {
        wave[i].re[0] = std::cos(t * static_cast<double>(i));
        wave[i].im[0] = std::sin(t * static_cast<double>(i));
      }
      compact.filter(Parity::even, wave.data(), out.data());
      for (std::size_t i = 0; i < 17; ++i) {
        EXPECT_NEAR(out[i].re[0], sum / (1 + 2 * a * std::cos(t)) * wave[i].re[0], 1e-13);
      }
      for (Pair& pair : wave) pair.re = pair.im;
      compact.filter(Parity::odd, wave.data(), out.data());
      for (std::size_t i = 0; i < 17; ++i) {
        EXPECT_NEAR(out[i].re[0], sum / (1 + 2 * a * std::cos(t)) * wave[i].im[0], 1e-13);
      }
    }
  }
}

TEST(Projection, IsExactAndBothMethodsAgree) {
  const Grid grid{{8, 8, 25}, {2 * pi, 2 * pi, 3}, false};
  const Compact compact(grid);
  const Projection cosine(grid, compact, PoissonMethod::cosine);
  const Projection banded(grid, compact, PoissonMethod::banded);
  Lanes kx{};
  for (int lane = 0; lane < lane_count; ++lane) kx[lane] = lane;
  std::vector<Pair> scratch(std::max(cosine.scratch(), banded.scratch())), div(25);
  std::vector<std::vector<Pair>> results;
  for (const Projection* projection : {&cosine, &banded}) {
    std::vector<Pair> u = random_column(25), v = random_column(25), w = random_column(25);
    w[0] = w[24] = Pair{};
    projection->project(kx, 0, u.data(), v.data(), w.data(), scratch.data());
    projection->divergence(kx, 0, u.data(), v.data(), w.data(), div.data());
    for (const Pair& pair : div) {
      for (int lane = 0; lane < lane_count; ++lane) {
        EXPECT_NEAR(pair.re[lane], 0, projection == &cosine ? 1e-13 : 1e-11) << lane;
      }
    }
    results.push_back(w);
  }
  for (std::size_t i = 0; i < 25; ++i) {
    for (int lane = 0; lane < lane_count; ++lane) {
      EXPECT_NEAR(std::abs(number(results[0][i], lane) - number(results[1][i], lane)), 0, 1e-11);
    }
  }
}

TEST(Projection, IsExactWithoutSlip) {
  const Grid grid{{8, 8, 33}, {2 * pi, 2 * pi, 3}, false, true};
  const Compact compact(grid);
  const Projection projection(grid, compact, PoissonMethod::banded);
  Lanes kx{};
  for (int lane = 0; lane < lane_count; ++lane) kx[lane] = lane;
  std::vector<Pair> scratch(projection.scratch()), div(33);
  std::vector<Pair> u = random_column(33), v = u, w = random_column(33);
  for (int times = 0; times < 2; ++times) {
    const std::vector<Pair> before = w;
    projection.project(kx, 0, u.data(), v.data(), w.data(), scratch.data());
    projection.divergence(kx, 0, u.data(), v.data(), w.data(), div.data());
    for (std::size_t i = 0; i < 33; ++i) {
      for (int lane = 0; lane < lane_count; ++lane) {
        EXPECT_NEAR(std::abs(number(div[i], lane)), 0, 1e-11) << i << " " << lane;
        // A field without divergence stays as it is.
        if (times > 0) {
          EXPECT_NEAR(std::abs(number(w[i], lane) - number(before[i], lane)), 0, 1e-12);
        }
      }
    }
    for (const Pair* column : {u.data(), v.data(), w.data()}) {
      EXPECT_EQ(number(column[0], 3), Complex());
      EXPECT_EQ(number(column[32], 3), Complex());
    }
  }
}

double in_all_lanes(Lanes (*viscosity)(const Gradient&), const double (&gradient)[3][3]) {
  Gradient lanes;
  for (int n = 0; n < 9; ++n) lanes[n / 3][n % 3] = all_lanes(gradient[n / 3][n % 3]);
  const Lanes result = viscosity(lanes);
  for (int lane = 1; lane < lane_count; ++lane) EXPECT_EQ(result[lane], result[0]) << lane;
  return result[0];
}
double sigma(const double (&gradient)[3][3]) {
  return in_all_lanes([](const Gradient& g) { return sigma_viscosity(g); }, gradient);
}
double smagorinsky(const double (&gradient)[3][3]) {
  return in_all_lanes([](const Gradient& g) { return smagorinsky_viscosity(g); }, gradient);
}

TEST(Subgrid, SigmaVanishesInRotationShearAndTwoComponents) {
  const double rotation[3][3] = {{0, -1, 0}, {1, 0, 0}, {0, 0, 0}};
  const double shear[3][3] = {{0, 0, 2}, {0, 0, 0}, {0, 0, 0}};
  const double planar[3][3] = {{1, 2, 0}, {3, -1, 0}, {0, 0, 0}};
  const double axisymmetric[3][3] = {{2, 0, 0}, {0, -1, 0}, {0, 0, -1}};
  const double uniform[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const double none[3][3] = {};
  for (const auto* gradient : {&rotation, &shear, &planar, &axisymmetric, &uniform, &none}) {
    EXPECT_NEAR(sigma(*gradient), 0, 1e-7);
  }
  // Singular values 3, 2, 1.
  const double diagonal[3][3] = {{2, 0, 0}, {0, -3, 0}, {0, 0, 1}};
  EXPECT_NEAR(sigma(diagonal), 1.35 * 1.35 * 1.0 / 9, 1e-14);
  EXPECT_NEAR(smagorinsky(shear), 0.17 * 0.17 * 2, 1e-15);
  EXPECT_EQ(smagorinsky(rotation), 0);
}

TEST(Subgrid, SigmaIsThatOfTheSingularValues) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int times = 0; times < 1000; ++times) {
    // Rotations of both sides leave the singular values of a diagonal matrix as they are.
    double values[3], gradient[3][3] = {};
    for (double& value : values) value = std::pow(10, 4 * uniform(random) - 4);
    for (int d = 0; d < 3; ++d) gradient[d][d] = values[d];
    for (int turn = 0; turn < 6; ++turn) {
      const double angle = 2 * pi * uniform(random);
      const int p = turn % 3, q = (turn + 1) % 3;
      for (int n = 0; n < 3; ++n) {
        double& one = turn < 3 ? gradient[p][n] : gradient[n][p];
        double& other = turn < 3 ? gradient[q][n] : gradient[n][q];
        const double before = one;
        one = std::cos(angle) * one - std::sin(angle) * other;
        other = std::sin(angle) * before + std::cos(angle) * other;
      }
    }
    std::sort(values, values + 3, std::greater<>());
    const double expected = 1.35 * 1.35 * values[2] * (values[0] - values[1]) *
                            (values[1] - values[2]) / (values[0] * values[0]);
    EXPECT_NEAR(sigma(gradient), expected, 1e-7 * values[0]) << times;
  }
}

TEST(Subgrid, CosinesOfAThirdOfAnAngle) {
  for (int n = 0; n <= 1000; ++n) {
    const double angle = pi / 3 * n / 1000;
    const Cosines found = cosines_of_third(all_lanes(std::cos(3 * angle)));
    // Where two roots meet, the rounding of the cosine becomes its square root.
    EXPECT_NEAR(found.first[0], std::cos(angle), 1e-7) << n;
    EXPECT_NEAR(found.second[0], std::cos(angle - 2 * pi / 3), 1e-7) << n;
    if (n % 1000 < 10 || n % 1000 > 990) continue;
    EXPECT_NEAR(found.first[0], std::cos(angle), 1e-13) << n;
  }
}

TEST(ExactSum, DoesNotDependOnTheOrder) {
  std::mt19937_64 random(3);
  std::vector<double> numbers;
  for (int i = 0; i < 300; ++i) {
    const int exponent = static_cast<int>(random() % 200) - 100;
    numbers.push_back(std::ldexp(static_cast<double>(random() >> 11) - 0x1p52, exponent));
  }
  ExactSum forwards, backwards;
  for (const double value : numbers) forwards.add(value);
  for (std::size_t i = numbers.size(); i-- > 0;) backwards.add(numbers[i]);
  EXPECT_EQ(forwards.value(), backwards.value());
  for (const double value : numbers) forwards.add(-value);
  EXPECT_EQ(forwards.value(), 0);
  ExactSum simple;
  for (const double value : {-1e-3, 5e-324, 1e300, -1e300, -0.25}) simple.add(value);
  EXPECT_EQ(simple.value(), -0.251);
  simple.add(std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(simple.value()));
}

}  // namespace
}  // namespace plait::boussinesq
