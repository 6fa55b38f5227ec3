// SPDX-License-Identifier: BSD-3-Clause
// The samples of a run by the phases of its trace, and the hottest function of each phase.
#include "report/phase_samples.hpp"

#include <utility>
#include <vector>

#include "report/computation.hpp"
#include "report/computation_json.hpp"
#include "samples/hot_spots.hpp"

namespace plait::report {
namespace {

using nlohmann::json;

json hottest_json(const samples::CallTree& tree, int phase, int ranks) {
  const std::vector<samples::HotSpot> spots = samples::hot_spots_of_phase(tree, phase, ranks, 1);
  if (spots.empty()) return nullptr;
  const samples::HotSpot& spot = spots.front();
  json value = place_in(tree, spot.function, spot.line);
  value.update({{"share", spot.share.value},
                {"low", spot.share.low},
                {"high", spot.share.high},
                {"time_s", spot.seconds}});
  return value;
}

}  // namespace

std::vector<samples::SampledPhase> sampled_phases(const json& analysis) {
  std::vector<samples::SampledPhase> phases;
  for (const json& phase : analysis.at("phases")) {
    phases.push_back({phase.at("name").get<std::string>(), phase.at("begin_s").get<double>(),
                      phase.at("end_s").get<double>()});
  }
  return phases;
}

bool add_phase_samples(samples::TracedSamples& of_run, std::int64_t begin_ns, json& analysis) {
  std::vector<samples::SampledPhase> phases = sampled_phases(analysis);
  const std::vector<samples::PhaseCount> before = of_run.tree.phase_counts;
  bool changed = of_run.tree.phases != phases;
  samples::count_phases(of_run, std::move(phases), begin_ns);
  changed = changed || of_run.tree.phase_counts != before;
  const int ranks = static_cast<int>(analysis.at("waiting_s").size());
  int number = 0;
  for (json& phase : analysis.at("phases")) {
    json hottest = hottest_json(of_run.tree, number++, ranks);
    if (phase.contains("hottest") && phase.at("hottest") == hottest) continue;
    phase["hottest"] = std::move(hottest);
    changed = true;
  }
  return changed;
}

}  // namespace plait::report
