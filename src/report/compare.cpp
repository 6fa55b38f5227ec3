// SPDX-License-Identifier: BSD-3-Clause
// Compares two runs, or several runs of each side.
#include "report/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "base/shell_word.hpp"
#include "report/site_text.hpp"
#include "text/ratio.hpp"
#include "text/units.hpp"

namespace plait::report {
namespace {

// Single runs of the same program differ by this fraction by chance.
constexpr double kSame = 0.02;

using Figure = std::function<std::optional<double>(const Profile&)>;

double mean_over_ranks(const Profile& profile, double RankRow::*field) {
  double sum = 0;
  for (const RankRow& rank : profile.ranks) sum += rank.*field;
  return sum / static_cast<double>(std::max<std::size_t>(1, profile.ranks.size()));
}

std::optional<double> longest_rank(const Profile& profile) {
  double longest = 0;
  for (const RankRow& rank : profile.ranks) longest = std::max(longest, rank.wall_s);
  return profile.ranks.empty() ? std::nullopt : std::optional(longest);
}

Figure mean_of(double RankRow::*field) {
  return [field](const Profile& profile) -> std::optional<double> {
    if (profile.ranks.empty()) return {};
    return mean_over_ranks(profile, field);
  };
}

/// Of a part of the time without its share of waiting for a CPU, which is a part of its own.
Figure mean_of(double RankRow::*field, double RankRow::*without) {
  return [=](const Profile& profile) -> std::optional<double> {
    if (profile.ranks.empty()) return {};
    return std::max(0.0, mean_over_ranks(profile, field) - mean_over_ranks(profile, without));
  };
}

std::optional<double> waiting_for_cpu(const Profile& profile) {
  if (!profile.efficiencies.cpu.value) return {};  // not measured
  return mean_over_ranks(profile, &RankRow::compute_wait_s) +
         mean_over_ranks(profile, &RankRow::mpi_wait_s);
}

Figure efficiency_of(EfficiencyValue EfficiencyTable::*field) {
  return [field](const Profile& profile) { return (profile.efficiencies.*field).value; };
}

struct NamedFigure {
  const char* name;
  const char* unit;
  Figure value;
};

std::vector<NamedFigure> all_figures() {
  return {{"wall time of the command", "s",
           [](const Profile& profile) { return std::optional(profile.wall_s); }},
          {"job start and end", "s",
           [](const Profile& profile) -> std::optional<double> {
             const auto longest = longest_rank(profile);
             if (!longest) return {};
             return std::max(0.0, profile.wall_s - *longest);
           }},
          {"computation", "s", mean_of(&RankRow::compute_s, &RankRow::compute_wait_s)},
          {"MPI", "s", mean_of(&RankRow::mpi_s, &RankRow::mpi_wait_s)},
          {"waiting for a CPU", "s", waiting_for_cpu},
          {"idle OpenMP threads", "s", mean_of(&RankRow::omp_idle_s)},
          {"parallel efficiency", "fraction", efficiency_of(&EfficiencyTable::parallel)},
          {"CPU efficiency", "fraction", efficiency_of(&EfficiencyTable::cpu)},
          {"load balance", "fraction", efficiency_of(&EfficiencyTable::load_balance)},
          {"communication efficiency", "fraction", efficiency_of(&EfficiencyTable::communication)},
          {"OpenMP efficiency", "fraction", efficiency_of(&EfficiencyTable::threads)}};
}

std::optional<Spread> spread_over(const std::vector<Profile>& runs, const Figure& figure) {
  std::vector<double> values;
  for (const Profile& run : runs) {
    if (const auto value = figure(run)) values.push_back(*value);
  }
  return spread_of(values);
}

/// Calls of one side by name: medians over its runs.
struct CallFigures {
  double seconds = 0;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
};

std::map<std::string, CallFigures> calls_of(const std::vector<Profile>& runs) {
  struct Values {
    std::vector<double> seconds, count, bytes;
  };
  std::map<std::string, Values> values;
  for (const Profile& run : runs) {
    const auto ranks = static_cast<double>(std::max<std::size_t>(1, run.ranks.size()));
    for (const CallRow& call : run.calls) {
      if (starts_or_ends_mpi(call.name)) continue;
      values[call.name].seconds.push_back(call.time_s / ranks);
      values[call.name].count.push_back(static_cast<double>(call.count));
      values[call.name].bytes.push_back(static_cast<double>(call.bytes));
    }
  }
  const auto median = [&](std::vector<double> of) {
    of.resize(runs.size());  // zero for runs without the call
    return spread_of(of)->median;
  };
  std::map<std::string, CallFigures> calls;
  for (const auto& [name, of] : values) {
    calls[name] = {median(of.seconds), static_cast<std::uint64_t>(std::llround(median(of.count))),
                   static_cast<std::uint64_t>(std::llround(median(of.bytes)))};
  }
  return calls;
}

std::vector<CallChange> call_changes(const Side& a, const Side& b) {
  const auto of_a = calls_of(a.runs);
  const auto of_b = calls_of(b.runs);
  std::set<std::string> names;
  for (const auto& [name, unused] : of_a) names.insert(name);
  for (const auto& [name, unused] : of_b) names.insert(name);
  std::vector<CallChange> changes;
  const auto get = [](const auto& calls, const std::string& name) {
    const auto found = calls.find(name);
    return found == calls.end() ? CallFigures{} : found->second;
  };
  for (const std::string& name : names) {
    const CallFigures in_a = get(of_a, name);
    const CallFigures in_b = get(of_b, name);
    changes.push_back(
        {name, in_a.seconds, in_b.seconds, in_a.count, in_b.count, in_a.bytes, in_b.bytes});
  }
  std::stable_sort(changes.begin(), changes.end(), [](const CallChange& x, const CallChange& y) {
    return std::abs(x.b_s - x.a_s) > std::abs(y.b_s - y.a_s);
  });
  return changes;
}

std::set<std::string> findings_of_side(const Side& side) {
  std::set<std::string> all;
  for (const Profile& run : side.runs) {
    for (const Finding& finding : run.findings) all.insert(finding.id);
  }
  return all;
}

/// Titles of the findings whose kind the other side does not have.
std::vector<std::string> findings_only_in(const Side& one, const Side& other) {
  const std::set<std::string> known = findings_of_side(other);
  std::set<std::string> added;
  std::vector<std::string> only;
  for (const Profile& run : one.runs) {
    for (const Finding& finding : run.findings) {
      if (known.contains(finding.id) || !added.insert(finding.id).second) continue;
      only.push_back(finding.what);
    }
  }
  return only;
}

void add_difference(std::vector<std::string>& unfair, const std::string& what, const std::string& a,
                    const std::string& b) {
  const auto shown = [](const std::string& text) { return text.empty() ? "none" : text; };
  if (a != b) unfair.push_back(fmt::format("{}: {} in A, {} in B", what, shown(a), shown(b)));
}

std::string hosts_of(const Profile& run) {
  std::string hosts;
  for (const HostRanks& host : run.context.hosts) {
    hosts += fmt::format("{}{}", hosts.empty() ? "" : " ", host.name);
  }
  return hosts;
}

std::string launcher_of(const Profile& run) {
  return run.context.launcher.kind.empty()
             ? ""
             : run.context.launcher.kind + " " + run.context.launcher.version;
}

int threads_of(const Profile& run) {
  int threads = 1;
  for (const RankRow& rank : run.ranks) threads = std::max(threads, rank.threads);
  return threads;
}

void add_failures(std::vector<std::string>& unfair, const Side& side, const char* name) {
  for (const Profile& run : side.runs) {
    if (run.exit_code.value_or(1) != 0 || run.signal) {
      unfair.push_back(run.signal ? fmt::format("{} failed (signal {})", name, *run.signal)
                       : run.exit_code
                           ? fmt::format("{} failed (exit code {})", name, *run.exit_code)
                           : fmt::format("{} has not ended", name));
      return;
    }
    if (!run.complete) {
      unfair.push_back(fmt::format("{} is incomplete: {}", name,
                                   run.missing.empty() ? "ranks are missing" : run.missing[0]));
      return;
    }
  }
}

void add_program_difference(std::vector<std::string>& unfair, const std::vector<std::string>& a,
                            const std::vector<std::string>& b) {
  if (a.empty() || b.empty()) return;
  add_difference(unfair, "program", a.front(), b.front());
  const auto arguments = [](const std::vector<std::string>& program) {
    return program.size() > 1 ? command_text({program.begin() + 1, program.end()}) : "";
  };
  add_difference(unfair, "arguments", arguments(a), arguments(b));
}

std::vector<std::string> unfairness(const Side& a, const Side& b) {
  std::vector<std::string> unfair;
  add_failures(unfair, a, "A");
  add_failures(unfair, b, "B");
  const Profile& x = a.runs.front();
  const Profile& y = b.runs.front();
  add_program_difference(unfair, a.program, b.program);
  add_difference(unfair, "ranks", std::to_string(x.world_size), std::to_string(y.world_size));
  add_difference(unfair, "threads per rank", std::to_string(threads_of(x)),
                 std::to_string(threads_of(y)));
  add_difference(unfair, "MPI", x.context.mpi.library, y.context.mpi.library);
  add_difference(unfair, "launcher", launcher_of(x), launcher_of(y));
  add_difference(unfair, "hosts", hosts_of(x), hosts_of(y));
  add_difference(unfair, "processor", x.context.cpu_model, y.context.cpu_model);
  add_difference(unfair, "OpenMP", x.context.omp_runtime, y.context.omp_runtime);
  return unfair;
}

/// The part that changed most in the same direction as the wall time:
/// ": MPI_Allreduce fell from 5.20 s to 1.10 s".
std::string cause(const Comparison& comparison, double change) {
  struct Part {
    std::string name;
    double a, b;
  };
  std::vector<Part> parts;
  for (const FigureChange& figure : comparison.figures) {
    const bool part = figure.name == "computation" || figure.name == "idle OpenMP threads" ||
                      figure.name == "job start and end" || figure.name == "waiting for a CPU";
    if (part && figure.a && figure.b) {
      parts.push_back({figure.name, figure.a->median, figure.b->median});
    }
  }
  for (const CallChange& call : comparison.calls) parts.push_back({call.name, call.a_s, call.b_s});
  const Part* most = nullptr;
  for (const Part& part : parts) {
    const double along = change > 0 ? part.b - part.a : part.a - part.b;
    const double best = most == nullptr ? 0 : std::abs(most->b - most->a);
    if (along > best) most = &part;
  }
  if (most == nullptr) return "";
  return fmt::format(": {} {} from {} to {}", most->name, change > 0 ? "rose" : "fell",
                     format_seconds(most->a), format_seconds(most->b));
}

std::string sentence_of(const Comparison& comparison) {
  const FigureChange& wall = comparison.figures.front();
  const Spread& a = *wall.a;
  const Spread& b = *wall.b;
  if (a.median <= 0 || b.median <= 0) return "The wall time of one side is unknown.";
  const double ratio = a.median / b.median;
  const bool several = comparison.a_runs > 1 && comparison.b_runs > 1;
  const bool overlap = a.low <= b.high && b.low <= a.high;
  if (several ? overlap : std::abs(ratio - 1) < kSame) {
    const std::string of_a = format_seconds(a.median);
    const std::string of_b = format_seconds(b.median);
    return fmt::format("no difference: {} (within {})",
                       of_a == of_b ? of_a + " both" : of_a + " and " + of_b,
                       several ? "the spread of the runs" : format_percent(kSame, Zeros::dropped));
  }
  return fmt::format("B is {} times {} than A{}.", format_ratio(ratio > 1 ? ratio : 1 / ratio),
                     ratio > 1 ? "faster" : "slower", cause(comparison, b.median - a.median));
}

}  // namespace

std::optional<Spread> spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  const double median =
      values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
  return Spread{median, values.front(), values.back()};
}

Comparison compare_runs(const Side& a, const Side& b) {
  Comparison comparison;
  comparison.a_name = a.name;
  comparison.b_name = b.name;
  comparison.a_command = a.runs.front().command;
  comparison.b_command = b.runs.front().command;
  comparison.a_runs = static_cast<int>(a.runs.size());
  comparison.b_runs = static_cast<int>(b.runs.size());
  for (const NamedFigure& figure : all_figures()) {
    comparison.figures.push_back({figure.name, figure.unit, spread_over(a.runs, figure.value),
                                  spread_over(b.runs, figure.value)});
  }
  comparison.calls = call_changes(a, b);
  comparison.phases = compare_phases(a.analyses, b.analyses);
  comparison.functions = compare_functions(a.samples, b.samples);
  comparison.findings_gone = findings_only_in(a, b);
  comparison.findings_new = findings_only_in(b, a);
  comparison.unfair = unfairness(a, b);
  if (comparison.a_runs == 1 || comparison.b_runs == 1) {
    comparison.notes.emplace_back(
        "a single run does not show the spread; run each side several times, then: plait compare "
        "A1 A2 A3 --with B1 B2 B3");
  }
  const auto traced = [](const Side& side) {
    return std::ranges::any_of(side.analyses, [](const auto& of) { return of.is_object(); });
  };
  if (traced(a) != traced(b)) {
    comparison.notes.push_back(fmt::format(
        "phases are compared only if both sides have a trace; {} has none", traced(a) ? "B" : "A"));
  }
  comparison.sentence = sentence_of(comparison);
  return comparison;
}

}  // namespace plait::report
