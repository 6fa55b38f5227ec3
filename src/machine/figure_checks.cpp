// SPDX-License-Identifier: BSD-3-Clause
// Checks each measured figure against its interval, its bound and its neighbours.
#include "machine/figure_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "base/statistics.hpp"
#include "machine/figures.hpp"
#include "text/counted.hpp"
#include "text/units.hpp"

namespace plait::machine {
namespace {

constexpr double kReliableWidth = 0.10;
/// The waiting share from which on medians may be too slow although each figure was usable.
constexpr double kWaitingTolerated = 0.02;

/// What a contradiction must exceed to make a figure unusable, and to be an anomaly.
struct Tolerance {
  double unusable = 1.5;  ///< slower by this factor
  double anomaly = 1.1;
};
constexpr Tolerance kTimes{1.5, 1.1};
constexpr Tolerance kSpeeds{1 / 0.85, 1.1};
constexpr Tolerance kPairs{2, 2};

std::string text_of(const MutableFigure& figure) {
  return format_number(figure.value->median) + " " + figure.unit();
}

class Checker {
public:
  explicit Checker(Measured& measured) : measured_(measured), figures_(figures_of(measured)) {
    for (const MutableFigure& figure : figures_) {
      index_.emplace(Key{figure.kind, figure.path, figure.count, figure.bytes}, &figure);
    }
  }

  void check() {
    measured_.anomalies.clear();
    for (MutableFigure& figure : figures_) {
      check_width(figure);
      check_samples(figure);
    }
    check_bounds();
    check_copies();
    check_neighbours();
    check_init();
  }

private:
  static void mark(MutableFigure& figure, std::string reason) {
    if (figure.value->unusable.empty()) figure.value->unusable = std::move(reason);
  }

  static void check_width(MutableFigure& figure) {
    Statistic& value = *figure.value;
    value.unusable.clear();
    if (value.n == 0 || value.half_width() <= kWidestUsable) return;
    mark(figure, fmt::format("its interval is {} to {} {}", format_number(value.ci_low),
                             format_number(value.ci_high), figure.unit()));
  }

  /// Ranks of emulated nodes share cores, so figures between nodes may have no other samples.
  void check_samples(MutableFigure& figure) const {
    const Statistic& value = *figure.value;
    if (value.n == 0 || value.disturbed < value.n) return;
    if (is_between_nodes(measured_, figure.kind, figure.path)) return;
    mark(figure, fmt::format("a thread waited for a CPU in {}",
                             value.n == 1 ? "its only sample"
                                          : fmt::format("each of its {} samples", value.n)));
  }

  using Key = std::tuple<FigureKind, std::size_t, int, std::uint64_t>;

  /// The usable figure of this kind; null if there is none.
  [[nodiscard]] const MutableFigure* find(FigureKind kind, std::size_t path, int count,
                                          std::uint64_t bytes) const {
    const auto found = index_.find({kind, path, count, bytes});
    if (found == index_.end()) return nullptr;
    const MutableFigure* const figure = found->second;
    return figure->value->usable() && figure->value->median > 0 ? figure : nullptr;
  }

  MutableFigure* shortest_message(std::size_t path) {
    MutableFigure* shortest = nullptr;
    for (MutableFigure& figure : figures_) {
      if (figure.kind != FigureKind::pingpong || figure.path != path || !figure.value->usable() ||
          figure.value->median <= 0) {
        continue;
      }
      if (shortest == nullptr || figure.value->median < shortest->value->median) {
        shortest = &figure;
      }
    }
    return shortest;
  }

  /// Marks a time that exceeds `factor` times another one.
  static void at_most(MutableFigure& figure, const MutableFigure* other, double factor,
                      const char* what) {
    if (other == nullptr || figure.value->median <= factor * other->value->median) return;
    mark(figure,
         fmt::format("it takes {}, but {} takes {}", text_of(figure), what, text_of(*other)));
  }

  void check_bounds() {
    for (MutableFigure& figure : figures_) {
      const auto same = [&](FigureKind kind) {
        return find(kind, figure.path, figure.count, figure.bytes);
      };
      switch (figure.kind) {
        case FigureKind::bare_line:
          at_most(figure, shortest_message(figure.path), 1.5, "a whole MPI message");
          break;
        case FigureKind::bare_memcpy:
          at_most(figure, same(FigureKind::pingpong), 3, "an MPI message of that size");
          break;
        case FigureKind::pingpong:
          at_most(figure, same(FigureKind::pingping), 4, "an exchange both ways");
          break;
        case FigureKind::pingping:
          at_most(figure, same(FigureKind::pingpong), 4, "half a round trip");
          break;
        case FigureKind::bare_pingping:
          at_most(figure, same(FigureKind::bare_memcpy), 4, "a copy one way");
          break;
        case FigureKind::multi_pair:
          check_single_pair(figure);
          break;
        default:
          break;
      }
    }
  }

  /// One of several pairs against the same pair alone.
  void check_single_pair(MutableFigure& figure) {
    const MutableFigure* const alone =
        figure.count == 1 ? find(FigureKind::pingpong, figure.path, 1, figure.bytes) : nullptr;
    if (alone == nullptr) return;
    const double gbs = bandwidth_gbs(static_cast<double>(figure.bytes), alone->value->median);
    if (figure.value->median * 3 >= gbs) return;
    mark(figure, fmt::format("it is {}, but the same messages measured alone reach {} GB/s",
                             text_of(figure), format_number(gbs)));
  }

  /// STREAM copy bounds P(k), so a P(k) above it shows that STREAM copy is too low.
  void check_copies() {
    for (const JacobiResult& result : measured_.jacobi) {
      const std::optional<double> limit = jacobi_limit_mlups(measured_, result);
      if (!result.mlups.usable() || !limit || result.mlups.median <= 1.5 * *limit) continue;
      for (StreamResult& copy : measured_.stream) {
        if (copy.kernel != "copy" || copy.threads != result.cores ||
            copy.non_temporal != result.non_temporal || !copy.gbs.usable()) {
          continue;
        }
        copy.gbs.unusable =
            fmt::format("it is {} GB/s, but the Jacobi kernel moves {} GB/s",
                        format_number(copy.gbs.median), format_number(result.mlups.median * 16e-3));
      }
    }
  }

  static const Tolerance* tolerance_of(FigureKind kind) {
    switch (kind) {
      case FigureKind::stream:
      case FigureKind::jacobi:
      case FigureKind::peak:
        return &kSpeeds;
      case FigureKind::bare_multi_pair:
      case FigureKind::multi_pair:
      case FigureKind::multi_pair_pingping:
        return &kPairs;
      case FigureKind::bare_memcpy:
      case FigureKind::bare_pingping:
      case FigureKind::pingpong:
      case FigureKind::off_cache:
      case FigureKind::pingping:
      case FigureKind::back_to_back:
        return &kTimes;
      default:
        return nullptr;  // other algorithms and protocols may make larger ones faster
    }
  }

  void check_neighbours() {
    std::map<std::string, std::vector<MutableFigure*>> series;
    for (MutableFigure& figure : figures_) {
      if (tolerance_of(figure.kind) == nullptr || !figure.value->usable()) continue;
      // STREAM of different kernels and curves of different paths have different names.
      series[fmt::format("{} {}", static_cast<int>(figure.kind), figure.series)].push_back(&figure);
    }
    for (auto& [name, figures] : series) {
      // Each figure is compared with the best of those that cannot be better: rates on fewer cores,
      // times of longer messages.
      const bool rates = figures.front()->is_rate();
      std::ranges::stable_sort(figures, [&](const MutableFigure* a, const MutableFigure* b) {
        return rates ? a->count < b->count : a->bytes > b->bytes;
      });
      check_series(figures);
    }
  }

  /// MPI_Init is out of proportion if it takes more than a second and its time grows faster than
  /// the number of ranks.
  void check_init() {
    constexpr double kNoticed_us = 1e6;
    const MutableFigure* fewest = nullptr;
    for (const MutableFigure& figure : figures_) {
      if (figure.kind != FigureKind::mpi_init || !figure.value->usable()) continue;
      if (fewest != nullptr && figure.count > fewest->count && figure.value->ci_low > kNoticed_us &&
          figure.value->ci_low * fewest->count > fewest->value->ci_high * figure.count) {
        measured_.anomalies.push_back(fmt::format(
            "MPI_Init takes {} with {}, but {} with {}: longer by more than the number of ranks",
            format_seconds(figure.value->median * 1e-6), counted(figure.count, "rank"),
            format_seconds(fewest->value->median * 1e-6), counted(fewest->count, "rank")));
      }
      if (fewest == nullptr || figure.count < fewest->count) fewest = &figure;
    }
  }

  void check_series(const std::vector<MutableFigure*>& figures) {
    const Tolerance& tolerance = *tolerance_of(figures.front()->kind);
    const MutableFigure* best = nullptr;
    std::pair<double, std::string> oddest{0, {}};
    for (MutableFigure* const figure : figures) {
      const double slower = best == nullptr ? 0 : slowness(*figure, *best);
      const bool reliable = best != nullptr && is_reliable(*figure) && is_reliable(*best);
      if (reliable && slower > tolerance.anomaly && apart(*figure, *best)) {
        if (slower > oddest.first) oddest = {slower, anomaly(*figure, *best)};
      } else if (slower > tolerance.unusable) {
        mark(*figure, fmt::format("{} {}, but {} {}", figure->is_rate() ? "it is" : "it takes",
                                  text_of(*figure), best->name, text_of(*best)));
        continue;
      }
      if (best == nullptr || slowness(*best, *figure) > 1) best = figure;
    }
    if (oddest.first > 0) measured_.anomalies.push_back(oddest.second);
  }

  /// By which factor the first is slower than the second.
  static double slowness(const MutableFigure& a, const MutableFigure& b) {
    if (a.value->median <= 0 || b.value->median <= 0) return 0;
    const double ratio = a.value->median / b.value->median;
    return a.is_rate() ? 1 / ratio : ratio;
  }

  static bool apart(const MutableFigure& a, const MutableFigure& b) {
    return a.value->ci_low > b.value->ci_high || b.value->ci_low > a.value->ci_high;
  }

  [[nodiscard]] bool is_reliable(const MutableFigure& figure) const {
    const bool steady = !measured_.sentinel || !measured_.sentinel->changed;
    return steady && figure.value->n >= kFewestForInterval && figure.value->disturbed == 0 &&
           figure.value->half_width() <= kReliableWidth;
  }

  static std::string anomaly(const MutableFigure& figure, const MutableFigure& other) {
    return fmt::format("{} {} {}, {} than {} ({})", figure.name, figure.is_rate() ? "is" : "takes",
                       text_of(figure), figure.is_rate() ? "less" : "longer", other.name,
                       text_of(other));
  }

  Measured& measured_;
  std::vector<MutableFigure> figures_;
  std::map<Key, const MutableFigure*> index_;
};

}  // namespace

void check_figures(Measured& measured) {
  if (measured.source.empty()) Checker(measured).check();
}

Measured without_unusable(Measured measured) {
  const auto erase = [](auto& points, auto member) {
    std::erase_if(points, [&](const auto& point) { return !(point.*member).usable(); });
  };
  erase(measured.stream, &StreamResult::gbs);
  erase(measured.peak, &PeakResult::gflops);
  erase(measured.jacobi, &JacobiResult::mlups);
  erase(measured.hardware_threads, &HardwareThreads::one_per_core);
  erase(measured.hardware_threads, &HardwareThreads::all);
  erase(measured.openmp, &OpenMpCost::region_us);
  erase(measured.all_to_all, &AllToAllPoint::bandwidth_gbs);
  erase(measured.collectives, &CollectivePoint::time_us);
  erase(measured.mpi_init, &InitPoint::time_us);
  for (Path& path : measured.paths) {
    if (path.bare_line_us && !path.bare_line_us->usable()) path.bare_line_us.reset();
    erase(path.bare_memcpy, &MemcpyPoint::one_way_us);
    erase(path.bare_pingping, &PingPingPoint::time_us);
    erase(path.bare_multi_pair, &MultiPairPoint::bandwidth_gbs);
    erase(path.mpi_pingpong, &CurvePoint::half_round_trip_us);
    erase(path.mpi_pingpong_off_cache, &CurvePoint::half_round_trip_us);
    erase(path.mpi_pingping, &PingPingPoint::time_us);
    erase(path.mpi_multi_pair, &MultiPairPoint::bandwidth_gbs);
    erase(path.mpi_multi_pair_pingping, &MultiPairPoint::bandwidth_gbs);
    erase(path.mpi_overheads, &OverheadPoint::send_us);
    erase(path.mpi_overheads, &OverheadPoint::receive_us);
    erase(path.mpi_back_to_back, &BackToBackPoint::time_us);
  }
  return measured;
}

std::string unusable_sentence(const Measured& measured, std::size_t most) {
  const std::vector<Figure> figures = figures_of(measured);
  std::string named;
  std::size_t count = 0;
  for (const Figure& figure : figures) {
    if (figure.value->unusable.empty()) continue;
    if (++count > most) continue;
    named +=
        fmt::format("{}{} ({})", named.empty() ? "" : "; ", figure.name, figure.value->unusable);
  }
  if (count == 0) return {};
  if (count > most) named += fmt::format("; and {} more", count - most);
  return fmt::format("{} of {} {} unusable: {}", count, counted(figures.size(), "figure"),
                     count == 1 ? "is" : "are", named);
}

std::vector<std::string> reliability_notes(const Measured& measured) {
  std::vector<std::string> notes;
  if (measured.sentinel && measured.sentinel->changed) {
    notes.emplace_back(
        "the speed of the machine changed during the measurement; measure again on an idle "
        "machine");
  }
  if (measured.waited_for_cpu > kWaitingTolerated) {
    notes.push_back(fmt::format(
        "the threads waited {} of the time for a CPU while the machine was measured; measure again "
        "on an idle machine",
        format_percent(measured.waited_for_cpu)));
  }
  const std::string unusable = unusable_sentence(measured, 1);
  if (!unusable.empty()) notes.push_back(unusable + "; measure again on an idle machine");
  return notes;
}

}  // namespace plait::machine
