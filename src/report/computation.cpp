// SPDX-License-Identifier: BSD-3-Clause
// Where ranks compute, from samples of call stacks: hot spots, and what differs between ranks.
#include "report/computation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "report/serial_part.hpp"
#include "report/site_text.hpp"
#include "report/terminal_parts.hpp"
#include "samples/hot_spots.hpp"
#include "samples/serial_part.hpp"
#include "text/counted.hpp"
#include "text/interval.hpp"
#include "text/ratio.hpp"
#include "text/table.hpp"
#include "text/terminal.hpp"
#include "text/units.hpp"
#include "text/wrap.hpp"

namespace plait::report {
namespace {

constexpr std::size_t kHotSpots = 5;       // in the terminal
constexpr std::size_t kMostHotSpots = 20;  // in the profile
constexpr double kWorthNaming = 1.05;      // times the mean
constexpr double kWorthListing = 0.05;     // of the excess of the busiest rank

HotSpotRow row_of(const samples::CallTree& tree, const samples::HotSpot& spot,
                  const std::vector<double>& code_of_ranks) {
  HotSpotRow row;
  row.place = place_in(tree, spot.function, spot.line);
  row.share = spot.share.value;
  row.low = spot.share.low;
  row.high = spot.share.high;
  row.time_s = spot.seconds;
  for (std::size_t rank = 0; rank < spot.ranks_s.size(); ++rank) {
    const double code_s = code_of_ranks[rank];
    row.ranks_share.push_back(code_s > 0 ? spot.ranks_s[rank] / code_s : 0);
  }
  row.worst_rank = spot.worst_rank;
  row.worst_ratio = spot.worst_ratio;
  row.worst_thread = spot.worst_thread;
  row.explains_imbalance = spot.explains_imbalance;
  return row;
}

std::vector<double> code_by_rank(const samples::CallTree& tree, int ranks) {
  std::vector<double> seconds(static_cast<std::size_t>(ranks));
  for (const samples::NodeCount& count : tree.counts) {
    const int rank = tree.threads[static_cast<std::size_t>(count.thread)].rank;
    if (count.state != samples::State::code || rank < 0 || rank >= ranks) continue;
    seconds[static_cast<std::size_t>(rank)] += static_cast<double>(count.samples) / tree.rate_hz;
  }
  return seconds;
}

/// "rank 1: 2.10": the rank with most time and its ratio to the mean, if it differs; then
/// "thread 2", if it is not the main thread that has most.
std::string worst_text(const Profile& profile, const HotSpotRow& spot) {
  std::vector<std::string> parts;
  if (profile.ranks.size() > 1 && spot.worst_ratio >= kWorthNaming) {
    parts.push_back(fmt::format("rank {}: {}", spot.worst_rank, format_ratio(spot.worst_ratio)));
  }
  if (spot.worst_thread > 0) parts.push_back(fmt::format("thread {}", spot.worst_thread));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// "excess by function: exp 75 %, element 25 %": what the hottest functions explain of the
/// difference between the busiest rank and the mean; empty if none does.
std::string excess_text(const Computation& of) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::min(kHotSpots, of.hot_spots.size()); ++i) {
    const HotSpotRow& spot = of.hot_spots[i];
    if (spot.explains_imbalance < kWorthListing) continue;
    parts.push_back(fmt::format("{} {}", spot.place.function,
                                format_percent(std::min(1.0, spot.explains_imbalance))));
  }
  return parts.empty() ? "" : fmt::format("excess by function: {}", fmt::join(parts, ", "));
}

Lines indented(const std::string& text, const TerminalOptions& options) {
  return labelled("  ", text, kAllLines, options);
}

}  // namespace

FunctionPlace place_in(const samples::CallTree& tree, int function, int line) {
  const samples::Function& of = tree.functions[static_cast<std::size_t>(function)];
  return {of.short_name, of.file, line > 0 ? line : of.line, of.module};
}

std::optional<Computation> computation_of(const samples::CallTree& tree, int ranks) {
  if (tree.counts.empty() || !(tree.rate_hz > 0)) return {};
  Computation of;
  of.rate_hz = tree.rate_hz;
  of.clock = tree.clock;
  of.sample_us = tree.sample_us;
  of.overhead_percent = tree.overhead_percent;
  for (const samples::SampledThread& thread : tree.threads) {
    of.lost += thread.lost;
    of.truncated += thread.truncated;
  }
  const std::vector<std::uint64_t> states = samples::samples_by_state(tree);
  of.samples = std::accumulate(states.begin(), states.end(), std::uint64_t{0});
  const auto share = [&](samples::State state) {
    return static_cast<double>(states[static_cast<std::size_t>(state)]) /
           static_cast<double>(of.samples);
  };
  of.code_share = share(samples::State::code);
  of.mpi_share = share(samples::State::mpi);
  of.openmp_share = share(samples::State::openmp);
  of.waiting_share = share(samples::State::waiting);
  const std::vector<double> code = code_by_rank(tree, ranks);
  for (const samples::HotSpot& spot : samples::hot_spots(tree, ranks, kMostHotSpots)) {
    of.hot_spots.push_back(row_of(tree, spot, code));
  }
  if (const auto differs = samples::difference(tree, ranks)) {
    of.difference = DifferenceRow{place_in(tree, differs->function, differs->line),
                                  differs->rank,
                                  differs->rank_s,
                                  differs->mean_s,
                                  differs->mean_s > 0 ? differs->rank_s / differs->mean_s : 0,
                                  differs->explains};
  }
  if (const auto serial = samples::serial_part(tree)) {
    of.serial = SerialRow{place_in(tree, serial->function, serial->line),
                          serial->share.value,
                          serial->share.low,
                          serial->share.high,
                          serial->seconds,
                          place_in(tree, serial->inside, serial->inside_line)};
  }
  return of;
}

std::string place_of(const FunctionPlace& of) {
  const auto file_name = [](const std::string& path) {
    return std::filesystem::path(path).filename().string();
  };
  if (!of.file.empty() && of.line > 0) {
    return fmt::format("{} ({}:{})", of.function, file_name(of.file), of.line);
  }
  return of.module.empty() || of.function.starts_with('[')
             ? of.function
             : fmt::format("{} ({})", of.function, file_name(of.module));
}

std::string difference_sentence(const Profile& profile, int rank) {
  if (!profile.computation || !profile.computation->difference) return "";
  const DifferenceRow& of = *profile.computation->difference;
  if (of.rank != rank || of.ratio < kWorthNaming) return "";
  return fmt::format("rank {} spends {} times the mean in {}", rank, format_ratio(of.ratio),
                     place_of(of.place));
}

std::vector<std::string> computation_lines(const Profile& profile, const TerminalOptions& options) {
  if (!profile.computation) return {};
  const Computation& of = *profile.computation;
  std::vector<std::string> states{fmt::format("{} in code", format_percent(of.code_share))};
  const auto add = [&](double share, const char* what) {
    if (share >= 0.001) states.push_back(fmt::format("{} {}", format_percent(share), what));
  };
  add(of.mpi_share, "in MPI");
  add(of.openmp_share, "idle in OpenMP");
  add(of.waiting_share, "waiting for a CPU");
  Lines lines = labelled(
      "samples: ",
      fmt::format("{} at {:g} Hz per thread of {}; {}", format_count(of.samples), of.rate_hz,
                  of.clock == "wall" ? "time" : "CPU time", fmt::join(states, ", ")),
      2, options, Paint::cyan);
  Table table({text_column("hottest in code", fitting_place), number_column("share"),
               text_column("95 %"), number_column("time"), text_column("most (x mean)")},
              {2, options.color});
  for (std::size_t i = 0; i < std::min(kHotSpots, of.hot_spots.size()); ++i) {
    const HotSpotRow& spot = of.hot_spots[i];
    table.add({printable(place_of(spot.place), options.utf8), format_percent(spot.share),
               format_range(spot.low, spot.high, format_percent, Ends::close),
               format_seconds(spot.time_s), worst_text(profile, spot)});
  }
  append(lines, table.lines());
  if (of.difference && of.difference->ratio >= kWorthNaming) {
    const DifferenceRow& differs = *of.difference;
    append(lines,
           indented(fmt::format("{} ({} against {}): {} of its excess in code",
                                difference_sentence(profile, differs.rank),
                                format_seconds(differs.rank_s), format_seconds(differs.mean_s),
                                format_percent(std::min(1.0, differs.explains))),
                    options));
    const std::string excess = excess_text(of);
    if (!excess.empty()) append(lines, indented(printable(excess, options.utf8), options));
  }
  if (const auto serial = serial_loss(profile)) {
    append(lines, indented(serial->text(), options));
  }
  std::string cost = fmt::format("sampling took {:.3g} % of the CPU time", of.overhead_percent);
  if (of.lost > 0) cost += fmt::format(", {} lost", counted(of.lost, "sample"));
  if (of.truncated > 0) cost += fmt::format(", {} without all callers", of.truncated);
  append(lines, indented(cost, options));
  return lines;
}

}  // namespace plait::report
