// SPDX-License-Identifier: BSD-3-Clause
// The phases of two traces beside each other, on a terminal.
#include <fmt/format.h>

#include "base/counted.hpp"
#include "report/compare_phases.hpp"
#include "report/style.hpp"
#include "report/text.hpp"

namespace plait::report {
namespace {

using Lines = std::vector<std::string>;

constexpr std::size_t kMostPhases = 12;

std::string row(const std::string& name, const std::string& a, const std::string& b,
                const std::string& change) {
  return pad(truncate(name, 19), 20) + pad(truncate(a, 19), 20, true) +
         pad(truncate(b, 19), 20, true) + pad(truncate(change, 19), 20, true);
}

std::string times(const std::optional<PhaseFigures>& of) {
  if (!of) return "-";
  if (of->repetitions == 1) return format_seconds(of->each.median);
  return fmt::format("{} x {}", format_count(of->repetitions), format_seconds(of->each.median));
}

std::string ratio_text(const std::optional<Interval>& ratio) {
  if (!ratio) return "";
  if (ratio->low == ratio->high) return fmt::format("{:.2f} times", ratio->median);
  return fmt::format("{:.2f} ({:.2f}-{:.2f})", ratio->median, ratio->low, ratio->high);
}

using Efficiency = std::optional<double> PhaseFigures::*;

void add_efficiency(Lines& lines, const PhaseChange& of, const char* name, Efficiency field) {
  const std::optional<double>& a = (*of.a).*field;
  const std::optional<double>& b = (*of.b).*field;
  if (!a || !b) return;
  lines.push_back(row(fmt::format("  {}", name), format_percent(*a), format_percent(*b),
                      fmt::format("{:+.1f} points", (*b - *a) * 100)));
}

/// What lies behind the times of a phase that both sides repeat.
void add_details(Lines& lines, const PhaseChange& of) {
  add_efficiency(lines, of, "parallel", &PhaseFigures::parallel);
  add_efficiency(lines, of, "load balance", &PhaseFigures::load_balance);
  add_efficiency(lines, of, "serialization", &PhaseFigures::serialization);
  add_efficiency(lines, of, "transfer", &PhaseFigures::transfer);
  const auto by = [](double a, double b) {
    return a > 0 ? fmt::format("{:.2f} times", b / a) : std::string();
  };
  lines.push_back(row("  MPI, a rank", format_seconds(of.a->mpi_s), format_seconds(of.b->mpi_s),
                      by(of.a->mpi_s, of.b->mpi_s)));
  lines.push_back(row("  calls, a rank", fmt::format("{:.1f}", of.a->calls),
                      fmt::format("{:.1f}", of.b->calls), by(of.a->calls, of.b->calls)));
  const auto dearest = [](const PhaseFigures& figures) {
    const std::string& name = figures.dearest;
    return name.starts_with("MPI_") ? name.substr(4) : name;
  };
  lines.push_back(row("  dearest call", dearest(*of.a), dearest(*of.b), ""));
}

}  // namespace

Lines phase_lines(const std::vector<PhaseChange>& phases, const TerminalOptions& options) {
  if (phases.empty()) return {};
  const auto ranks = [&](std::optional<PhaseFigures> PhaseChange::*side) {
    int most = 0;
    for (const PhaseChange& phase : phases) {
      if (phase.*side) most = std::max(most, (phase.*side)->ranks);
    }
    return counted(most, "rank");
  };
  Lines lines{paint(row("phases, each", fmt::format("A: {}", ranks(&PhaseChange::a)),
                        fmt::format("B: {}", ranks(&PhaseChange::b)), "B / A (interval)"),
                    Paint::dim, options.color)};
  bool by_order = false;
  for (std::size_t i = 0; i < std::min(kMostPhases, phases.size()); ++i) {
    const PhaseChange& of = phases[i];
    const std::string name = printable(of.a ? of.a->name : of.b->name, options.utf8);
    by_order = by_order || of.aligned_by == "order";
    lines.push_back(
        row(name + (of.aligned_by == "order" ? " *" : ""), times(of.a), times(of.b),
            of.a && of.b ? ratio_text(of.ratio) : std::string(of.a ? "only in A" : "only in B")));
    if (of.a && of.b && of.a->repetitions > 1 && of.b->repetitions > 1) add_details(lines, of);
  }
  if (phases.size() > kMostPhases) {
    lines.push_back(fmt::format("and {} more phases", phases.size() - kMostPhases));
  }
  if (by_order) lines.emplace_back("* aligned by functions and order: the call sites differ");
  for (std::string& line : lines) line.erase(line.find_last_not_of(' ') + 1);
  return lines;
}

}  // namespace plait::report
