// SPDX-License-Identifier: BSD-3-Clause
// Combines measurements of one machine: later ones with earlier ones, repeated figures with
// doubtful ones.
#include "machine/merge_measured.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/statistics.hpp"
#include "machine/figure_checks.hpp"
#include "machine/figures.hpp"

namespace plait::machine {
namespace {

constexpr double kOutlier = 0.2;
constexpr std::size_t kFewestForOutliers = 3;

std::vector<RunMedian> runs_of(const Statistic& value) {
  if (!value.runs.empty()) return value.runs;
  return {{value.median, value.ci_low, value.ci_high, value.n, false}};
}

std::vector<double> counted_medians(const std::vector<RunMedian>& runs) {
  std::vector<double> medians;
  for (const RunMedian& run : runs) {
    if (!run.left_out) medians.push_back(run.median);
  }
  return medians;
}

void leave_outliers_out(std::vector<RunMedian>& runs) {
  for (RunMedian& run : runs) run.left_out = false;
  if (runs.size() < kFewestForOutliers) return;
  const double middle = median(counted_medians(runs));
  const auto deviation = [&](const RunMedian& run) { return std::abs(run.median / middle - 1); };
  std::vector<double> deviations;
  for (const RunMedian& run : runs) deviations.push_back(deviation(run));
  const double usual = median(deviations);
  for (RunMedian& run : runs) {
    run.left_out = deviation(run) > kOutlier && deviation(run) > 2 * usual;
  }
}

/// What the notes say about the network, which must be the same for figures to be merged.
std::vector<std::string> network_notes(const MachineFile& file) {
  std::vector<std::string> notes;
  for (const std::string& note : file.notes) {
    if (note.starts_with("between nodes:")) notes.push_back(note);
  }
  return notes;
}

const Path* network_of(const Measured& measured) {
  const auto found = std::ranges::find(measured.paths, "network", &Path::id);
  return found == measured.paths.end() ? nullptr : &*found;
}

bool same_network(const MachineFile& earlier, const MachineFile& later) {
  const Path* const before = network_of(*earlier.measured);
  const Path* const after = network_of(*later.measured);
  return before != nullptr && after != nullptr && before->pairs == after->pairs &&
         network_notes(earlier) == network_notes(later);
}

template <class T>
void take_if_missing(std::vector<T>& into, const std::vector<T>& from) {
  if (into.empty()) into = from;
}

/// Takes what only a measurement with --nodes gives.
void take_missing(MachineFile& later, const MachineFile& earlier) {
  Measured& into = *later.measured;
  const Measured& from = *earlier.measured;
  const Path* const network = network_of(from);
  if (network != nullptr && network_of(into) == nullptr) {
    into.paths.push_back(*network);
    const auto notes = network_notes(earlier);
    later.notes.insert(later.notes.end(), notes.begin(), notes.end());
  }
  for (Path& path : into.paths) {
    const auto same = std::ranges::find(from.paths, path.id, &Path::id);
    if (same != from.paths.end()) take_if_missing(path.mpi_eager, same->mpi_eager);
  }
  take_if_missing(into.all_to_all, from.all_to_all);
  take_if_missing(into.overlap, from.overlap);
  take_if_missing(into.overlap_verdicts, from.overlap_verdicts);
  take_if_missing(into.mixed, from.mixed);
  take_if_missing(into.mixed_verdicts, from.mixed_verdicts);
  take_if_missing(into.collectives, from.collectives);
}

bool same_sizes(const Measured& a, const Measured& b) {
  const auto differs = [](const auto& ones, const auto& others, auto count, auto size) {
    for (const auto& one : ones) {
      for (const auto& other : others) {
        if (one.*count == other.*count && one.*size != other.*size) return true;
      }
    }
    return false;
  };
  return !differs(a.stream, b.stream, &StreamResult::threads, &StreamResult::array_bytes) &&
         !differs(a.jacobi, b.jacobi, &JacobiResult::cores, &JacobiResult::grid);
}

}  // namespace

int replace_unusable(Measured& measured, const Measured& again) {
  int replaced = 0;
  const std::vector<Figure> repeated = figures_of(again);
  for (MutableFigure& figure : figures_of(measured)) {
    if (figure.value->unusable.empty()) continue;
    const auto found = std::ranges::find_if(repeated, [&](const Figure& other) {
      return other.kind == figure.kind && other.name == figure.name && other.value->n > 0;
    });
    if (found == repeated.end()) continue;
    const bool faster = figure.is_rate() ? found->value->median > figure.value->median
                                         : found->value->median < figure.value->median;
    if (!faster && found->value->half_width() >= figure.value->half_width()) continue;
    *figure.value = *found->value;
    ++replaced;
  }
  update_bandwidths(measured);
  check_figures(measured);
  return replaced;
}

Statistic merged(const Statistic& earlier, const Statistic& later) {
  if (earlier.n == 0 || !earlier.usable()) return later;
  if (later.n == 0 || !later.usable()) return earlier;
  Statistic result;
  std::vector<RunMedian> runs = runs_of(earlier);
  result.samples = earlier.samples;
  const std::vector<RunMedian> more = runs_of(later);
  runs.insert(runs.end(), more.begin(), more.end());
  result.samples.insert(result.samples.end(), later.samples.begin(), later.samples.end());
  while (runs.size() > kMostRuns) {
    const auto dropped =
        std::min<std::size_t>(static_cast<std::size_t>(runs.front().n), result.samples.size());
    result.samples.erase(result.samples.begin(),
                         result.samples.begin() + static_cast<std::ptrdiff_t>(dropped));
    runs.erase(runs.begin());
  }
  leave_outliers_out(runs);
  const std::vector<double> medians = counted_medians(runs);
  result.median = median(medians);
  double narrowest = later.half_width();
  for (const RunMedian& run : runs) {
    result.n += run.n;
    if (run.left_out || run.median <= 0) continue;
    narrowest = std::min(narrowest, (run.ci_high - run.ci_low) / 2 / run.median);
  }
  const auto [low, high] = std::ranges::minmax(medians);
  result.ci_low = std::min(low, result.median * (1 - narrowest));
  result.ci_high = std::max(high, result.median * (1 + narrowest));
  result.min = std::min(earlier.min, later.min);
  if (!result.samples.empty()) result.min = *std::ranges::min_element(result.samples);
  result.ci_low = std::max(result.ci_low, std::min(result.min, low));
  result.disturbed = std::min(result.n, earlier.disturbed + later.disturbed);
  result.runs = std::move(runs);
  return result;
}

bool can_merge(const MachineFile& earlier, const MachineFile& later) {
  const auto measured_here = [](const MachineFile& file) {
    return file.origin == "measured" && file.measured && file.measured->source.empty();
  };
  const Topology& a = earlier.topology;
  const Topology& b = later.topology;
  return measured_here(earlier) && measured_here(later) && earlier.host == later.host &&
         earlier.cpu_model == later.cpu_model && earlier.os == later.os &&
         earlier.plait_version == later.plait_version && a.packages == b.packages &&
         a.caches == b.caches && a.cores == b.cores && a.allowed_pus == b.allowed_pus &&
         same_sizes(*earlier.measured, *later.measured);
}

void merge_into(MachineFile& later, const MachineFile& earlier, Part part) {
  Measured& into = *later.measured;
  const Measured& from = *earlier.measured;
  const bool same_mpi = !into.mpi || !from.mpi || *into.mpi == *from.mpi;
  const bool network = same_mpi && same_network(earlier, later);
  const std::vector<Figure> known = figures_of(from);
  for (MutableFigure& figure : figures_of(into)) {
    const auto found = std::ranges::find_if(known, [&](const Figure& other) {
      return other.kind == figure.kind && other.name == figure.name;
    });
    if (found == known.end() || (is_of_mpi(figure.kind) && !same_mpi)) continue;
    const bool between = is_between_nodes(from, found->kind, found->path);
    if ((between && !network) || (!between && part == Part::between_nodes)) continue;
    *figure.value = merged(*found->value, *figure.value);
  }
  if (part == Part::everything) {
    into.runs = std::min(from.runs + 1, static_cast<int>(kMostRuns));
    if (same_mpi) take_missing(later, earlier);
    if (same_mpi && !into.mpi) into.mpi = from.mpi;
  }
  update_bandwidths(into);
  check_figures(into);
}

Variability variability_of(const Measured& measured) {
  Variability found;
  std::vector<double> differences;
  for (const Figure& figure : figures_of(measured)) {
    const std::vector<RunMedian>& runs = figure.value->runs;
    const std::vector<double> medians = counted_medians(runs);
    found.outliers += static_cast<int>(runs.size() - medians.size());
    if (medians.size() < 2 || figure.value->median <= 0) continue;
    const auto [low, high] = std::ranges::minmax(medians);
    differences.push_back((high - low) / figure.value->median);
    if (differences.back() <= found.largest) continue;
    found.largest = differences.back();
    found.of = figure.name;
  }
  found.median = median(differences);
  return found;
}

}  // namespace plait::machine
