// SPDX-License-Identifier: BSD-3-Clause
// Two traces phase by phase: the same phases of both sides beside each other.
#include "report/compare_phases.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "measure/statistics.hpp"

namespace plait::report {
namespace {

using nlohmann::json;

/// Phases of a run or side that have the same signature.
struct Same {
  std::string signature;
  std::set<std::string> functions;
  bool loop = false;
  PhaseFigures figures;
};

std::optional<double> maybe(const json& of, const char* name) {
  return of.at(name).is_number() ? std::optional(of.at(name).get<double>()) : std::nullopt;
}

/// The phases of one run; pieces of one phase together, with the interval and the efficiencies of
/// the piece that has most repetitions.
std::vector<Same> phases_of(const json& analysis) {
  std::vector<Same> all;
  std::map<std::string, std::uint64_t> most;
  for (const json& phase : analysis.at("phases")) {
    const auto signature = phase.at("signature").get<std::string>();
    auto same = std::ranges::find(all, signature, &Same::signature);
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
    to.calls = to.mpi_s = to.dearest_s = 0;
    const double shares = static_cast<double>(std::max(1, to.ranks)) *
                          static_cast<double>(std::max<std::uint64_t>(1, repetitions));
    for (const json& call : phase.at("calls")) {
      const double seconds = call.at("seconds").get<double>() / shares;
      to.calls += call.at("count").get<double>() / shares;
      to.mpi_s += seconds;
      if (seconds > to.dearest_s && call.at("function").is_string()) {
        to.dearest = call.at("function").get<std::string>();
        to.dearest_s = seconds;
      }
    }
  }
  return all;
}

/// The first run's phases; times are medians over the runs that have them too.
std::vector<Same> phases_of_side(const std::vector<json>& runs) {
  std::vector<std::vector<Same>> of_runs;
  for (const json& run : runs) {
    if (run.is_object()) of_runs.push_back(phases_of(run));
  }
  if (of_runs.empty()) return {};
  std::vector<Same> side = of_runs.front();
  if (of_runs.size() == 1) return side;
  for (Same& phase : side) {
    std::vector<double> each;
    std::vector<double> whole;
    for (const std::vector<Same>& run : of_runs) {
      const auto same = std::ranges::find(run, phase.signature, &Same::signature);
      if (same == run.end()) continue;
      each.push_back(same->figures.each.median);
      whole.push_back(same->figures.seconds);
    }
    const measure::MedianInterval interval = measure::median_interval(each);
    phase.figures.each = {interval.median, interval.low, interval.high};
    phase.figures.seconds = measure::median(whole);
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
          {"dearest", of->dearest},
          {"dearest_s", of->dearest_s}};
}

}  // namespace

std::vector<PhaseChange> compare_phases(const std::vector<json>& a, const std::vector<json>& b) {
  const std::vector<Same> of_a = phases_of_side(a);
  const std::vector<Same> of_b = phases_of_side(b);
  if (of_a.empty() || of_b.empty()) return {};
  std::vector<const Same*> partner(of_a.size(), nullptr);
  std::vector<std::string> by(of_a.size());
  std::set<const Same*> taken;
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    const auto same = std::ranges::find(of_b, of_a[i].signature, &Same::signature);
    if (same == of_b.end()) continue;
    partner[i] = &*same;
    by[i] = "calls";
    taken.insert(&*same);
  }
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    if (partner[i] != nullptr || !of_a[i].loop) continue;
    const auto like = std::ranges::find_if(of_b, [&](const Same& one) {
      return one.loop && !taken.contains(&one) && one.functions == of_a[i].functions;
    });
    if (like == of_b.end()) continue;
    partner[i] = &*like;
    by[i] = "order";
    taken.insert(&*like);
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
  for (const Same& phase : of_b) {
    if (!taken.contains(&phase)) changes.push_back({{}, phase.figures, "", {}});
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

}  // namespace plait::report
