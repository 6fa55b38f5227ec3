// SPDX-License-Identifier: BSD-3-Clause
// Reads the inputs of the hybrid models from a machine file: speeds for CG and HPL, bandwidths.
#include "model/hybrid_inputs.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "model/hybrid_programs.hpp"
#include "plait/error.hpp"

namespace plait::model {
namespace {

using machine::Statistic;

/// The fastest figure of each number of cores.
class Fastest {
public:
  /// @param unit  what the figure counts, in the unit of the table
  void add(int cores, const Statistic& figure, double unit) {
    if (!figure.usable() || figure.median <= 0) return;
    const double low = figure.ci_low > 0 ? figure.ci_low : figure.median;
    const SpeedPoint point{cores, figure.median * unit, low * unit,
                           std::max(figure.ci_high, figure.median) * unit};
    const auto [known, first] = points_.try_emplace(cores, point);
    if (!first && point.cells_per_s > known->second.cells_per_s) known->second = point;
  }

  [[nodiscard]] bool empty() const { return points_.empty(); }

  [[nodiscard]] SpeedTable table(const ReachedShare& share) const {
    std::vector<SpeedPoint> points;
    for (const auto& [cores, point] : points_) {
      points.push_back(
          {cores, point.cells_per_s * share.value, point.low * share.low, point.high * share.high});
    }
    return SpeedTable::with_intervals(std::move(points));
  }

private:
  std::map<int, SpeedPoint> points_;
};

/// @param unit    bytes that count as one in the table
/// @param option  that can be given instead
SpeedTable memory_table(const machine::Measured& measured, const std::string& machine, double unit,
                        const std::string& option) {
  Fastest fastest;
  for (const machine::StreamResult& stream : measured.stream) {
    fastest.add(stream.threads, stream.gbs, 1e9 / unit);
  }
  if (fastest.empty()) {
    for (const machine::JacobiResult& jacobi : measured.jacobi) {
      const double bytes = jacobi.non_temporal ? 16 : 24;
      fastest.add(jacobi.cores, jacobi.mlups, 1e6 * bytes / unit);
    }
  }
  if (fastest.empty()) {
    throw Error(machine, "no usable memory bandwidth was measured on this machine",
                "run plait measure there, or give " + option);
  }
  return fastest.table(kCgOfBound);
}

}  // namespace

SpeedTable cg_speed(const machine::Measured& measured, const std::string& machine) {
  return memory_table(measured, machine, kCgBytesPerFlop, "--speed");
}

SpeedTable memory_speed(const machine::Measured& measured, const std::string& machine) {
  return memory_table(measured, machine, 1, "--memory-bandwidth");
}

SpeedTable hpl_speed(const machine::Measured& measured, const std::string& machine) {
  Fastest fastest;
  for (const machine::PeakResult& peak : measured.peak) {
    machine::Statistic figure = peak.gflops;
    // Virtual cores that share a physical one at times reach their peak at other times.
    for (const double sample : figure.samples) figure.ci_high = std::max(figure.ci_high, sample);
    fastest.add(peak.cores, figure, 1e9);
  }
  if (fastest.empty()) {
    throw Error(machine, "the floating-point peak was not measured on this machine",
                "run plait measure there, or give --speed");
  }
  return fastest.table(kGemmOfPeak);
}

ThreeBandwidths three_bandwidths(const HybridInputs& inputs, std::uint64_t bytes) {
  ThreeBandwidths result;
  if (const auto link = inputs.network(bytes)) {
    result.mpi = bandwidth_of(*link, inputs.cores);
    result.hybrid = link->pair_bytes_per_s.value;
  }
  if (const auto link = inputs.inside(bytes)) result.inside = bandwidth_of(*link, inputs.cores);
  return result;
}

}  // namespace plait::model
