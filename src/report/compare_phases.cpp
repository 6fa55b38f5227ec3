// SPDX-License-Identifier: BSD-3-Clause
// Compares two traces phase by phase.
#include "report/compare_phases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/statistics.hpp"
#include "text/counted.hpp"
#include "text/interval.hpp"
#include "text/ratio.hpp"
#include "text/table.hpp"
#include "text/units.hpp"

namespace plait::report {
namespace {

using nlohmann::json;
using Lines = std::vector<std::string>;

/// The pieces of a run or side that have the same signature.
struct SignaturePhase {
  std::string signature;
  std::set<std::string> functions;
  bool loop = false;
  PhaseFigures figures;
};

std::optional<double> maybe(const json& of, const char* name) {
  return of.at(name).is_number() ? std::optional(of.at(name).get<double>()) : std::nullopt;
}

/// The phases of one run. Pieces of a phase are added up; interval and efficiencies are those of
/// the piece with most repetitions.
std::vector<SignaturePhase> phases_of(const json& analysis) {
  std::vector<SignaturePhase> all;
  std::map<std::string, std::uint64_t> most;
  for (const json& phase : analysis.at("phases")) {
    const auto signature = phase.at("signature").get<std::string>();
    auto same = std::ranges::find(all, signature, &SignaturePhase::signature);
    if (same == all.end()) {
      all.push_back({signature, {}, !phase.at("pattern").empty(), {}});
      same = all.end() - 1;
    }
    PhaseFigures& to = same->figures;
    const auto repetitions = phase.at("repetitions").get<std::uint64_t>();
    to.repetitions += repetitions;
    to.seconds += phase.at("end_s").get<double>() - phase.at("begin_s").get<double>();
    if (repetitions <= most[signature]) continue;
    most[signature] = repetitions;
    for (const json& function : phase.at("pattern")) {
      if (function.is_string()) same->functions.insert(function.get<std::string>());
    }
    const json& efficiencies = phase.at("efficiencies");
    to.name = phase.at("name").get<std::string>();
    to.ranks = phase.at("ranks").get<int>();
    to.each = {phase.at("median_s").get<double>(), phase.at("low_s").get<double>(),
               phase.at("high_s").get<double>()};
    to.parallel = maybe(efficiencies, "parallel");
    to.load_balance = maybe(efficiencies, "load_balance");
    to.serialization = maybe(efficiencies, "serialization");
    to.transfer = maybe(efficiencies, "transfer");
    to.calls = to.mpi_s = to.top_call_s = 0;
    const double shares = static_cast<double>(std::max(1, to.ranks)) *
                          static_cast<double>(std::max<std::uint64_t>(1, repetitions));
    for (const json& call : phase.at("calls")) {
      const double seconds = call.at("seconds").get<double>() / shares;
      to.calls += call.at("count").get<double>() / shares;
      to.mpi_s += seconds;
      if (seconds > to.top_call_s && call.at("function").is_string()) {
        to.top_call = call.at("function").get<std::string>();
        to.top_call_s = seconds;
      }
    }
  }
  return all;
}

/// The first run's phases; times are medians over all runs that have the phase.
std::vector<SignaturePhase> phases_of_side(const std::vector<json>& runs) {
  std::vector<std::vector<SignaturePhase>> of_runs;
  for (const json& run : runs) {
    if (run.is_object()) of_runs.push_back(phases_of(run));
  }
  if (of_runs.empty()) return {};
  std::vector<SignaturePhase> side = of_runs.front();
  if (of_runs.size() == 1) return side;
  for (SignaturePhase& phase : side) {
    std::vector<double> each;
    std::vector<double> whole;
    for (const std::vector<SignaturePhase>& run : of_runs) {
      const auto same = std::ranges::find(run, phase.signature, &SignaturePhase::signature);
      if (same == run.end()) continue;
      each.push_back(same->figures.each.median);
      whole.push_back(same->figures.seconds);
    }
    const MedianInterval interval = median_interval(each);
    phase.figures.each = {interval.median, interval.low, interval.high};
    phase.figures.seconds = median(whole);
  }
  return side;
}

std::optional<Interval> ratio_of(const Interval& a, const Interval& b) {
  if (a.low <= 0 || a.median <= 0) return {};
  return Interval{b.median / a.median, b.low / a.high, b.high / a.low};
}

json interval_json(const Interval& of) {
  return {{"median", of.median}, {"low", of.low}, {"high", of.high}};
}

json figures_json(const std::optional<PhaseFigures>& of) {
  if (!of) return nullptr;
  const auto value = [](const std::optional<double>& one) { return one ? json(*one) : json(); };
  return {{"name", of->name},
          {"ranks", of->ranks},
          {"repetitions", of->repetitions},
          {"seconds", of->seconds},
          {"each_s", interval_json(of->each)},
          {"parallel", value(of->parallel)},
          {"load_balance", value(of->load_balance)},
          {"serialization", value(of->serialization)},
          {"transfer", value(of->transfer)},
          {"calls", of->calls},
          {"mpi_s", of->mpi_s},
          {"dearest", of->top_call},
          {"dearest_s", of->top_call_s}};
}

// --- terminal ------------------------------------------------------------------------------------

constexpr std::size_t kMostPhases = 12;

std::string times(const std::optional<PhaseFigures>& of) {
  if (!of) return "-";
  if (of->repetitions == 1) return format_seconds(of->each.median);
  return fmt::format("{} x {}", format_count(of->repetitions), format_seconds(of->each.median));
}

std::string change_of(const std::optional<Interval>& ratio) {
  if (!ratio) return "";
  if (ratio->low == ratio->high) return format_ratio(ratio->median) + " times";
  return format_interval(ratio->median, ratio->low, ratio->high, format_ratio, Ends::close);
}

using Efficiency = std::optional<double> PhaseFigures::*;

void add_efficiency(Table& table, const PhaseChange& of, const char* name, Efficiency field) {
  const std::optional<double>& a = (*of.a).*field;
  const std::optional<double>& b = (*of.b).*field;
  if (!a || !b) return;
  table.add(
      {fmt::format("  {}", name), format_percent(*a), format_percent(*b), format_points(*b - *a)});
}

/// Efficiencies, MPI time and calls of a phase that both sides repeat.
void add_details(Table& table, const PhaseChange& of) {
  add_efficiency(table, of, "parallel", &PhaseFigures::parallel);
  add_efficiency(table, of, "load balance", &PhaseFigures::load_balance);
  add_efficiency(table, of, "serialization", &PhaseFigures::serialization);
  add_efficiency(table, of, "transfer", &PhaseFigures::transfer);
  const auto by = [](double a, double b) {
    return a > 0 ? format_ratio(b / a) + " times" : std::string();
  };
  table.add({"  MPI per rank", format_seconds(of.a->mpi_s), format_seconds(of.b->mpi_s),
             by(of.a->mpi_s, of.b->mpi_s)});
  table.add({"  calls per rank", format_number(of.a->calls, Zeros::dropped),
             format_number(of.b->calls, Zeros::dropped), by(of.a->calls, of.b->calls)});
  const auto top_call = [](const PhaseFigures& figures) {
    const std::string& name = figures.top_call;
    return name.starts_with("MPI_") ? name.substr(4) : name;
  };
  table.add({"  top call", top_call(*of.a), top_call(*of.b)});
}

}  // namespace

std::vector<PhaseChange> compare_phases(const std::vector<json>& a, const std::vector<json>& b) {
  const std::vector<SignaturePhase> of_a = phases_of_side(a);
  const std::vector<SignaturePhase> of_b = phases_of_side(b);
  if (of_a.empty() || of_b.empty()) return {};
  std::vector<const SignaturePhase*> partner(of_a.size(), nullptr);
  std::vector<std::string> by(of_a.size());
  std::set<const SignaturePhase*> matched;
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    const auto same = std::ranges::find(of_b, of_a[i].signature, &SignaturePhase::signature);
    if (same == of_b.end()) continue;
    partner[i] = &*same;
    by[i] = "calls";
    matched.insert(&*same);
  }
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    if (partner[i] != nullptr || !of_a[i].loop) continue;
    const auto like = std::ranges::find_if(of_b, [&](const SignaturePhase& one) {
      return one.loop && !matched.contains(&one) && one.functions == of_a[i].functions;
    });
    if (like == of_b.end()) continue;
    partner[i] = &*like;
    by[i] = "order";
    matched.insert(&*like);
  }
  std::vector<PhaseChange> changes;
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    PhaseChange& change = changes.emplace_back();
    change.a = of_a[i].figures;
    change.aligned_by = by[i];
    if (partner[i] == nullptr) continue;
    change.b = partner[i]->figures;
    change.ratio = ratio_of(change.a->each, change.b->each);
  }
  for (const SignaturePhase& phase : of_b) {
    if (!matched.contains(&phase)) changes.push_back({{}, phase.figures, "", {}});
  }
  return changes;
}

json phases_to_json(const std::vector<PhaseChange>& phases) {
  json all = json::array();
  for (const PhaseChange& change : phases) {
    all.push_back({{"a", figures_json(change.a)},
                   {"b", figures_json(change.b)},
                   {"aligned_by", change.aligned_by},
                   {"ratio", change.ratio ? interval_json(*change.ratio) : json()}});
  }
  return all;
}

Lines phase_lines(const std::vector<PhaseChange>& phases, const TerminalOptions& options) {
  if (phases.empty()) return {};
  const auto ranks = [&](std::optional<PhaseFigures> PhaseChange::*side) {
    int most = 0;
    for (const PhaseChange& phase : phases) {
      if (phase.*side) most = std::max(most, (phase.*side)->ranks);
    }
    return counted(most, "rank");
  };
  Column a = number_column("A: " + ranks(&PhaseChange::a));
  Column b = number_column("B: " + ranks(&PhaseChange::b));
  a.shorten = b.shorten = truncate;
  Table table({text_column("phases", truncate), a, b, number_column("B / A (interval)")},
              {0, options.color});
  bool by_order = false;
  for (std::size_t i = 0; i < std::min(kMostPhases, phases.size()); ++i) {
    const PhaseChange& of = phases[i];
    const std::string name = printable(of.a ? of.a->name : of.b->name, options.utf8);
    by_order = by_order || of.aligned_by == "order";
    table.add({name + (of.aligned_by == "order" ? " *" : ""), times(of.a), times(of.b),
               of.a && of.b ? change_of(of.ratio)
               : of.a       ? "only in A"
                            : "only in B"});
    if (of.a && of.b && of.a->repetitions > 1 && of.b->repetitions > 1) add_details(table, of);
  }
  Lines lines = table.lines();
  if (phases.size() > kMostPhases) {
    lines.push_back(fmt::format("and {} more phases", phases.size() - kMostPhases));
  }
  if (by_order)
    lines.emplace_back("* matched by functions and order, because the call sites differ");
  return lines;
}

}  // namespace plait::report
