// SPDX-License-Identifier: BSD-3-Clause
// The output of a measurement: a verdict, and a table with bounds in 80 columns.
#include "measure/summary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "machine/measured_text.hpp"
#include "measure/summarize.hpp"
#include "text/counted.hpp"

namespace plait::measure {
namespace {

using machine::Measured;
using machine::Path;
using machine::Statistic;

/// At least three significant digits.
std::string number(double value) {
  if (value >= 100) return fmt::format("{:.0f}", value);
  if (value >= 10) return fmt::format("{:.1f}", value);
  return fmt::format("{:.{}f}", value, value >= 1 ? 2 : 3);
}

std::string size_text(std::uint64_t bytes) {
  if (bytes >= 1 << 20) return fmt::format("{} MiB", bytes >> 20);
  if (bytes >= 1 << 10) return fmt::format("{} KiB", bytes >> 10);
  return fmt::format("{} B", bytes);
}

std::string interval(const Statistic& value) {
  if (value.n < 2) return "(one sample)";
  return fmt::format("[{}, {}]", number(value.ci_low), number(value.ci_high));
}

/// The point with the best bandwidth of MPI; null if MPI was not measured. Between nodes it is that
/// of the longest message, because buffers in network cards and traffic shapers make shorter ones
/// look faster.
const machine::CurvePoint* best_mpi(const Path& path) {
  const bool longest = path.id == "network";
  const auto best = std::max_element(
      path.mpi_pingpong.begin(), path.mpi_pingpong.end(), [&](const auto& a, const auto& b) {
        return longest ? a.bytes < b.bytes : a.bandwidth_gbs < b.bandwidth_gbs;
      });
  return best == path.mpi_pingpong.end() ? nullptr : &*best;
}

const machine::CurvePoint* empty_message(const Path& path) {
  for (const machine::CurvePoint& point : path.mpi_pingpong) {
    if (point.bytes == 0) return &point;
  }
  return nullptr;
}

const machine::MemcpyPoint* memcpy_of(const Path& path, std::uint64_t bytes) {
  for (const machine::MemcpyPoint& point : path.bare_memcpy) {
    if (point.bytes == bytes) return &point;
  }
  return nullptr;
}

const machine::MemcpyPoint* best_memcpy(const Path& path) {
  const auto best = std::max_element(
      path.bare_memcpy.begin(), path.bare_memcpy.end(),
      [](const auto& a, const auto& b) { return a.bandwidth_gbs < b.bandwidth_gbs; });
  return best == path.bare_memcpy.end() ? nullptr : &*best;
}

/// The fastest triad with the most threads, or with one thread; null if there is none.
const machine::StreamResult* triad(const Measured& measured, bool most_threads) {
  const machine::StreamResult* chosen = nullptr;
  for (const machine::StreamResult& result : measured.stream) {
    if (result.kernel != "triad" || (!most_threads && result.threads != 1)) continue;
    const bool better =
        chosen == nullptr || result.threads > chosen->threads ||
        (result.threads == chosen->threads && result.gbs.median > chosen->gbs.median);
    if (better) chosen = &result;
  }
  return chosen;
}

std::string row(const std::string& path, const std::string& size, const std::string& mpi,
                const std::string& bound, const std::string& ratio) {
  std::string line =
      fmt::format("  {:<16.16} {:>8}  {:<24} {:<17} {:>7}", path, size, mpi, bound, ratio);
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

std::string path_rows(const Path& path) {
  std::string text;
  const machine::CurvePoint* const empty = empty_message(path);
  const std::string line_text =
      path.bare_line_us ? fmt::format("{} us line", number(path.bare_line_us->median)) : "-";
  std::string latency = "not measured";
  std::string ratio;
  if (empty != nullptr) {
    const Statistic& us = empty->half_round_trip_us;
    latency = fmt::format("{} us {}", number(us.median), interval(us));
    if (path.bare_line_us && path.bare_line_us->median > 0) {
      ratio = fmt::format("{:.1f} x", us.median / path.bare_line_us->median);
    }
  }
  text += row(path.name, "0 B", latency, line_text, ratio);

  const machine::CurvePoint* const best = best_mpi(path);
  const machine::MemcpyPoint* const bound =
      best != nullptr ? memcpy_of(path, best->bytes) : best_memcpy(path);
  std::string bandwidth = "not measured";
  ratio.clear();
  if (best != nullptr) {
    Statistic gbs;  // the ends of the interval of a reciprocal are swapped
    const auto bytes = static_cast<double>(best->bytes);
    gbs.n = best->half_round_trip_us.n;
    gbs.ci_low = bandwidth_gbs(bytes, best->half_round_trip_us.ci_high);
    gbs.ci_high = bandwidth_gbs(bytes, best->half_round_trip_us.ci_low);
    bandwidth = fmt::format("{} GB/s {}", number(best->bandwidth_gbs), interval(gbs));
    if (bound != nullptr && bound->bandwidth_gbs > 0) {
      ratio = fmt::format("{:.0f} %", best->bandwidth_gbs / bound->bandwidth_gbs * 100);
    }
  }
  if (best == nullptr && bound == nullptr) return text;
  text += row(fmt::format("  {} of {}", path.pairs.size(), counted(path.pairs_total, "pair")),
              size_text(best != nullptr ? best->bytes : bound->bytes), bandwidth,
              bound != nullptr ? fmt::format("{} GB/s copy", number(bound->bandwidth_gbs)) : "-",
              ratio);
  return text;
}

std::string memory_rows(const Measured& measured) {
  std::string text;
  const auto add = [&](const char* what, const Statistic& value, const char* unit, int cores,
                       bool non_temporal) {
    text += fmt::format("  {:<16} {:>8}  {:<30} {}\n", what, counted(cores, "core"),
                        fmt::format("{} {} {}", number(value.median), unit, interval(value)),
                        non_temporal ? "non-temporal stores" : "ordinary stores");
  };
  for (const bool most_threads : {false, true}) {
    const machine::StreamResult* const result = triad(measured, most_threads);
    if (result == nullptr || (most_threads && result->threads == 1)) continue;
    add("STREAM triad", result->gbs, "GB/s", result->threads, result->non_temporal);
  }
  int most = 0;
  for (const machine::JacobiResult& result : measured.jacobi) most = std::max(most, result.cores);
  for (const int cores : most > 1 ? std::vector<int>{1, most} : std::vector<int>{most}) {
    const machine::JacobiResult* best = nullptr;
    for (const machine::JacobiResult& result : measured.jacobi) {
      if (result.cores != cores) continue;
      if (best == nullptr || result.mlups.median > best->mlups.median) best = &result;
    }
    if (best != nullptr) add("Jacobi P(k)", best->mlups, "MLUP/s", cores, best->non_temporal);
  }
  return text;
}

/// The cost of a message between nodes; empty when none was measured.
std::string between_nodes(const Measured& measured) {
  for (const Path& path : measured.paths) {
    const machine::CurvePoint* const empty = empty_message(path);
    const machine::CurvePoint* const best = best_mpi(path);
    if (path.id != "network" || empty == nullptr || best == nullptr) continue;
    return fmt::format(";\na message between nodes takes {} us and reaches {} GB/s",
                       number(empty->half_round_trip_us.median), number(best->bandwidth_gbs));
  }
  return {};
}

}  // namespace

std::string verdict(const machine::MachineFile& file) {
  if (!file.measured) return "Nothing was measured.";
  std::string text = file.host;
  const machine::StreamResult* const all = triad(*file.measured, true);
  if (all != nullptr) {
    text +=
        fmt::format(": {} {} GB/s from memory (STREAM triad)",
                    counted(all->threads, "core streams", "cores stream"), number(all->gbs.median));
  }
  for (const Path& path : file.measured->paths) {
    const machine::CurvePoint* const empty = empty_message(path);
    const machine::CurvePoint* const best = best_mpi(path);
    if (empty == nullptr || best == nullptr || !path.bare_line_us) continue;
    const machine::MemcpyPoint* const bound = memcpy_of(path, best->bytes);
    text += fmt::format(";\nan MPI message ({}) takes {} us, {:.1f} times as long as a cache line",
                        path.name, number(empty->half_round_trip_us.median),
                        empty->half_round_trip_us.median / path.bare_line_us->median);
    if (bound != nullptr && bound->bandwidth_gbs > 0) {
      text += fmt::format(",\nand reaches {} GB/s, {:.0f} % of a memory copy",
                          number(best->bandwidth_gbs),
                          best->bandwidth_gbs / bound->bandwidth_gbs * 100);
    }
    break;
  }
  text += between_nodes(*file.measured);
  std::string overlap = machine::overlap_headline(*file.measured);
  const std::size_t settings = overlap.find("; ");
  if (settings != std::string::npos) overlap.replace(settings, 2, ";\n");
  if (!overlap.empty()) text += ";\n" + overlap;
  return text + ".";
}

std::string summary_table(const machine::MachineFile& file) {
  if (!file.measured) return {};
  std::string text;
  if (!file.measured->paths.empty()) {
    text += row("path", "message", "MPI [95 % interval]", "bound", "MPI is");
    for (const Path& path : file.measured->paths) text += path_rows(path);
  }
  return text + memory_rows(*file.measured);
}

}  // namespace plait::measure
