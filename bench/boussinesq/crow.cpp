// SPDX-License-Identifier: BSD-3-Clause
// The growth of Crow's instability in plait-boussinesq beside linear theory: S. C. Crow, Stability
// theory for a pair of trailing vortices, AIAA Journal 8, 1970, 2172-2179, with the images of a
// box.
#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>

#include "base/json_file.hpp"
#include "bench.hpp"
#include "plait/error.hpp"

namespace plait::bench {
namespace {

constexpr double pi = std::numbers::pi;

/// With lids, and as long as the wave.
struct Box {
  double length, width, height;
};

/// A run of a pair of distance 1 and velocity 1.
struct PairRun {
  std::string size;
  Box box;
  double start;  ///< height of the pair
  double core, viscosity;
  std::string until;
};

/// The cosine integral of a small argument.
double cosine_integral(double x) {
  double sum = std::numbers::egamma + std::log(x), term = 1;
  for (int n = 1; n < 20; ++n) {
    term *= -x * x / ((2 * n - 1) * (2 * n));
    sum += term / (2 * n);
  }
  return sum;
}

/// Rotation of a wave on a vortex by its own velocity, over k^2 G / (2 pi) (Crow, equation 12).
double self_induction(double k, double cutoff) {
  const double x = k * cutoff;
  return ((std::cos(x) - 1) / (x * x) + std::sin(x) / x - cosine_integral(x)) / 2;
}

/// The cutoff distance that gives a vortex with this core its velocity. In a ring of radius R, a
/// vortex of vorticity exp(-r^2 / a^2) has log(8 R / a) - 0.558, and a filament log(4 R / d).
double cutoff_of(double core) {
  return core / std::sqrt(1.2564312086261697) / 2 * std::exp(0.558);
}

/// The growth of displacements (y, z) = (p, q) exp(ikx) of a vortex: its rate is an eigenvalue.
class Displacements {
public:
  explicit Displacements(double k) : k_(k) {}

  /// A vortex at a distance of (y, z) whose displacement is (mirror_y p, mirror_z q).
  void add(double circulation, double y, double z, double mirror_y, double mirror_z) {
    const double s2 = y * y + z * z, n = k_ * std::sqrt(s2), c = circulation / (4 * pi);
    const double k0 = 2 * k_ * k_ * std::cyl_bessel_k(0.0, n);
    const double k1 = 2 * n * std::cyl_bessel_k(1.0, n) / s2;
    const double own = 4 / (s2 * s2), other = 2 * n * n * std::cyl_bessel_k(2.0, n) / (s2 * s2);
    yy_ += c * z * y * (own - mirror_y * other);
    yz_ += c * (-2 / s2 + z * z * own + mirror_z * (k0 + k1 - z * z * other));
    zy_ += c * (2 / s2 - y * y * own + mirror_y * (y * y * other - k1 - k0));
    zz_ -= c * y * z * (own - mirror_z * other);
  }
  void add_self(double circulation, double cutoff) {
    const double rotation = circulation * k_ * k_ / (2 * pi) * self_induction(k_, cutoff);
    yz_ += rotation;
    zy_ -= rotation;
  }
  [[nodiscard]] double growth() const {
    const double half = (yy_ + zz_) / 2, determinant = yy_ * zz_ - yz_ * zy_;
    return half + std::sqrt(std::complex<double>(half * half - determinant)).real();
  }

private:
  double k_;
  double yy_ = 0, yz_ = 0, zy_ = 0, zz_ = 0;
};

/// The rate at which a wave of a pair of distance 1 and velocity 1 grows.
/// @param z       height of the pair between the lids of the box
/// @param images  of the box, on each side; 0: none, and no lids
double theory(const Box& box, double cutoff, double z, int images) {
  constexpr double circulation = 2 * pi;
  Displacements right(2 * pi / box.length);
  right.add_self(circulation, cutoff);
  for (int j = -images; j <= images; ++j) {
    for (int k = -images; k <= images; ++k) {
      const double y = -j * box.width, below = -2 * k * box.height;
      if (j != 0 || k != 0) right.add(circulation, y, below, 1, 1);
      right.add(-circulation, y + 1, below, -1, 1);
      if (images == 0) continue;
      right.add(-circulation, y, below + 2 * z, 1, -1);
      right.add(circulation, y + 1, below + 2 * z, -1, -1);
    }
  }
  return right.growth();
}

/// What a run shows while its wave grows from 2 to 10 % of the distance.
struct Growth {
  double rate = 0, middle_time = 0, middle_z = 0, sinking = 0;
};

/// @throws Error if fewer than three samples are in between
Growth growth_of(const nlohmann::json& samples) {
  double n = 0, t = 0, w = 0, tt = 0, tw = 0, z = 0, tz = 0;
  for (const auto& sample : samples) {
    const auto& vortex = sample.at("vortices").at(0);
    const double wave = vortex.at("wave_amplitude").get<double>();
    if (wave < 0.02 || wave > 0.1) continue;
    const double time = sample.at("time").get<double>(), log = std::log(wave),
                 height = vortex.at("z").get<double>();
    n += 1, t += time, w += log, tt += time * time, tw += time * log;
    z += height, tz += time * height;
  }
  if (n < 3) {
    throw Error("samples", "fewer than three have a wave between 2 and 10 % of the distance",
                "run longer (--until), or measure more often (--every)");
  }
  const double spread = n * tt - t * t;
  return {(n * tw - t * w) / spread, t / n, z / n, -(n * tz - t * z) / spread};
}

double measured_over_theory(const PairRun& run) {
  const TemporaryFile file("crow");
  run_solver(kBoussinesq, 2,
             {"--size", run.size, "--length",
              fmt::format("{}x{}x{}", run.box.length, run.box.width, run.box.height), "--pair",
              fmt::format("{},{},1,{},{},0.01,1", run.box.width / 2, run.start, 2 * pi, run.core),
              "--viscosity", fmt::format("{}", run.viscosity), "--until", run.until,
              "--smooth-every", "4", "--every", "20", "--vortices", "--json", file.path()},
             std::chrono::minutes(60));
  const nlohmann::json result = read_json_file(file.path(), "plait-boussinesq", 1);
  const Growth growth = growth_of(result.at("runs").at(0).at("samples"));
  // Viscosity widens cores: a^2 = core^2 / 1.256 grows by 4 nu t.
  const double core =
      std::sqrt(run.core * run.core + 1.2564312086261697 * 4 * run.viscosity * growth.middle_time);
  const double alone = theory(run.box, cutoff_of(core), growth.middle_z, 0);
  const double in_box = theory(run.box, cutoff_of(core), growth.middle_z, 6);
  fmt::print("  cores of {:.2f} b0, box {} x {} x {} b0, {} points\n", run.core, run.box.length,
             run.box.width, run.box.height, run.size);
  fmt::print("  grows at {:.3f} w0/b0 and sinks at {:.3f} w0 around time {:.2f}\n", growth.rate,
             growth.sinking, growth.middle_time);
  fmt::print("  theory: {:.3f} w0/b0 for this core alone, {:.3f} with images\n", alone, in_box);
  std::fflush(stdout);
  return growth.rate / in_box;
}

}  // namespace

void compare_with_crow() {
  // Crow's example: an elliptic distribution of lift.
  constexpr double thin = 0.063;
  const Box free{8.6, 0, 0};
  fmt::print(
      "\nCrow's instability; theory for the cores of an aircraft {:.3f} w0/b0, of 0.2 b0 {:.3f}\n",
      theory(free, thin, 0, 0), theory(free, cutoff_of(0.2), 0, 0));
  const double ratio = measured_over_theory({"16x160x181", {8.6, 8, 9}, 6, 0.14, 3e-4, "3.2"});
  fmt::print("RESULT crow_growth_over_theory {:.3f} ratio\n", ratio);
}

}  // namespace plait::bench
