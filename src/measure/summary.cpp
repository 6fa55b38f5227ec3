// SPDX-License-Identifier: BSD-3-Clause
// The output of a measurement: a verdict, and a table with bounds in 80 columns.
#include "measure/summary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "machine/equal_cost.hpp"
#include "machine/figure_checks.hpp"
#include "machine/measured_text.hpp"
#include "machine/merge_measured.hpp"
#include "measure/summarize.hpp"
#include "text/counted.hpp"
#include "text/ratio.hpp"
#include "text/table.hpp"
#include "text/units.hpp"

namespace plait::measure {
namespace {

using machine::Measured;
using machine::Path;
using machine::Statistic;

std::string format_gbs(double gbs) {
  return format_bytes_per_second(gbs * 1e9);
}

std::string format_us(double us) {
  return format_seconds(us * 1e-6);
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

/// MPI's bandwidth, with the interval of the time of a message.
Statistic bandwidth_of(const machine::CurvePoint& point) {
  const auto bytes = static_cast<double>(point.bytes);
  Statistic gbs;
  gbs.n = point.half_round_trip_us.n;
  gbs.median = point.bandwidth_gbs;
  // The ends of the interval of a reciprocal are swapped.
  gbs.ci_low = bandwidth_gbs(bytes, point.half_round_trip_us.ci_high);
  gbs.ci_high = bandwidth_gbs(bytes, point.half_round_trip_us.ci_low);
  return gbs;
}

void add_path(const Path& path, Table& table) {
  const machine::CurvePoint* const empty = empty_message(path);
  std::string latency = "not measured";
  std::string ratio;
  if (empty != nullptr) {
    latency = machine::statistic_text(empty->half_round_trip_us, 1, format_us);
    if (path.bare_line_us && path.bare_line_us->median > 0) {
      ratio = format_ratio(empty->half_round_trip_us.median / path.bare_line_us->median) + " x";
    }
  }
  table.add({path.name, "0 B", latency,
             path.bare_line_us ? format_us(path.bare_line_us->median) + " line" : "-", ratio});

  const machine::CurvePoint* const best = best_mpi(path);
  const machine::MemcpyPoint* const bound =
      best != nullptr ? memcpy_of(path, best->bytes) : best_memcpy(path);
  if (best == nullptr && bound == nullptr) return;
  std::string bandwidth = "not measured";
  ratio.clear();
  if (best != nullptr) {
    bandwidth = machine::statistic_text(bandwidth_of(*best), 1, format_gbs);
    if (bound != nullptr && bound->bandwidth_gbs > 0) {
      ratio = format_percent(best->bandwidth_gbs / bound->bandwidth_gbs);
    }
  }
  table.add({fmt::format("  {} of {}", path.pairs.size(), counted(path.pairs_total, "pair")),
             format_bytes(best != nullptr ? best->bytes : bound->bytes), bandwidth,
             bound != nullptr ? format_gbs(bound->bandwidth_gbs) + " copy" : "-", ratio});
}

void add_memory(const Measured& measured, Table& table) {
  const auto add = [&](const char* what, const std::string& value, int cores, bool non_temporal) {
    table.add({what, counted(cores, "core"), value,
               non_temporal ? "non-temporal stores" : "ordinary stores"});
  };
  for (const bool most_threads : {false, true}) {
    const machine::StreamResult* const result = triad(measured, most_threads);
    if (result == nullptr || (most_threads && result->threads == 1)) continue;
    add("STREAM triad", machine::statistic_text(result->gbs, 1, format_gbs), result->threads,
        result->non_temporal);
  }
  int most = 0;
  for (const machine::JacobiResult& result : measured.jacobi) most = std::max(most, result.cores);
  for (const int cores : most > 1 ? std::vector<int>{1, most} : std::vector<int>{most}) {
    const machine::JacobiResult* best = nullptr;
    for (const machine::JacobiResult& result : measured.jacobi) {
      if (result.cores != cores) continue;
      if (best == nullptr || result.mlups.median > best->mlups.median) best = &result;
    }
    if (best == nullptr) continue;
    add("Jacobi P(k)", machine::statistic_text(best->mlups, 1e6, format_updates_per_second), cores,
        best->non_temporal);
  }
}

/// The cost of a message between nodes; empty when none was measured.
std::string between_nodes(const Measured& measured) {
  for (const Path& path : measured.paths) {
    const machine::CurvePoint* const empty = empty_message(path);
    const machine::CurvePoint* const best = best_mpi(path);
    if (path.id != "network" || empty == nullptr || best == nullptr) continue;
    return fmt::format(";\na message between nodes takes {} and reaches {}",
                       format_us(empty->half_round_trip_us.median),
                       format_gbs(best->bandwidth_gbs));
  }
  return {};
}

}  // namespace

std::string verdict(const machine::MachineFile& file) {
  if (!file.measured) return "Nothing was measured.";
  const Measured measured = machine::without_unusable(*file.measured);
  std::string text = file.host;
  const machine::StreamResult* const all = triad(measured, true);
  if (all != nullptr) {
    text += fmt::format(": {} {} from memory (STREAM triad)",
                        counted(all->threads, "core streams", "cores stream"),
                        format_gbs(all->gbs.median));
  }
  for (const Path& path : measured.paths) {
    const machine::CurvePoint* const empty = empty_message(path);
    const machine::CurvePoint* const best = best_mpi(path);
    if (empty == nullptr || best == nullptr || !path.bare_line_us) continue;
    const machine::MemcpyPoint* const bound = memcpy_of(path, best->bytes);
    text += fmt::format(";\nan MPI message ({}) takes {}, {} times as long as a cache line",
                        path.name, format_us(empty->half_round_trip_us.median),
                        format_ratio(empty->half_round_trip_us.median / path.bare_line_us->median));
    if (bound != nullptr && bound->bandwidth_gbs > 0) {
      text += fmt::format(",\nand reaches {}, {} of a memory copy", format_gbs(best->bandwidth_gbs),
                          format_percent(best->bandwidth_gbs / bound->bandwidth_gbs));
    }
    break;
  }
  text += between_nodes(measured);
  std::string overlap = machine::overlap_headline(measured);
  const std::size_t settings = overlap.find("; ");
  if (settings != std::string::npos) overlap.replace(settings, 2, ";\n");
  if (!overlap.empty()) text += ";\n" + overlap;
  if (text == file.host) text += ": no figure of all cores or of MPI messages is usable";
  return text + ".";
}

std::vector<std::string> remarks(const machine::MachineFile& file) {
  std::vector<std::string> sentences;
  if (!file.measured) return sentences;
  const Measured& measured = *file.measured;
  for (const std::string& anomaly : measured.anomalies)
    sentences.push_back("Odd: " + anomaly + ".");
  for (const machine::MixedVerdict& verdict : measured.mixed_verdicts) {
    if (!verdict.undecided) sentences.push_back("Here, " + verdict.sentence + ".");
  }
  for (const machine::EqualCost& cost : machine::equal_costs(measured)) {
    sentences.push_back(machine::equal_cost_sentence(cost) + ".");
  }
  const std::string threads = machine::hardware_threads_sentence(measured);
  if (!threads.empty()) sentences.push_back(threads + ".");
  if (measured.runs < 2) return sentences;
  const machine::Variability variability = machine::variability_of(measured);
  std::string text =
      fmt::format("Merged {}: their medians differ by {}", counted(measured.runs, "measurement"),
                  format_percent(variability.median));
  if (variability.largest > 0) {
    text += fmt::format(", at most {} ({})", format_percent(variability.largest), variability.of);
  }
  if (variability.outliers > 0) {
    text += fmt::format("; {} left out", counted(variability.outliers, "outlier"));
  }
  if (measured.runs < 3) text += "; three measurements show outliers: plait measure again";
  sentences.push_back(text + ".");
  return sentences;
}

std::string summary_table(const machine::MachineFile& file) {
  if (!file.measured) return {};
  const Measured measured = machine::without_unusable(*file.measured);
  const bool has_paths = !measured.paths.empty();
  const auto title = [&](const char* text) { return std::string(has_paths ? text : ""); };
  Table table({text_column(title("path"), truncate), number_column(title("message")),
               text_column(title("MPI (95 % interval)")), text_column(title("bound")),
               number_column(title("MPI is"))},
              {2});
  for (const Path& path : measured.paths) add_path(path, table);
  add_memory(measured, table);
  return table.text();
}

}  // namespace plait::measure
