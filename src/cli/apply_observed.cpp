// SPDX-License-Identifier: BSD-3-Clause
// Whether a run kept to its plan: what is preloaded to see it, and what it saw.
#include "cli/apply_observed.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/layout.hpp"
#include "launch/judge_run.hpp"
#include "launch/plan_placing.hpp"
#include "launch/preload_choice.hpp"
#include "machine/discover.hpp"
#include "plait/error.hpp"
#include "report/map_lines.hpp"
#include "trace/rank_record.hpp"

namespace plait::cli {
namespace {

namespace fs = std::filesystem;

SeenOfPlan mapping_seen(const fs::path& folder) {
  const std::vector<report::MapDecision> decisions = report::read_map_decisions(folder);
  const auto reordered = std::count_if(decisions.begin(), decisions.end(),
                                       [](const auto& one) { return one.reordered; });
  if (reordered > 0) {
    return {true,
            fmt::format("The mapper reordered {} of {} topologies.", reordered, decisions.size())};
  }
  return {false, decisions.empty()
                     ? "nothing was mapped: the program made no topology to reorder"
                     : "the mapper found nothing to gain in the program's topologies"};
}

SeenOfPlan places_seen(const launch::Plan& plan, const launch::LaunchCommand& command,
                       const fs::path& folder) {
  machine::MachineFile machine;
  machine.topology = machine::discover_local().topology;
  const map::PlacementInput seen =
      launch::placement_of(trace::read_records(folder / "records", nullptr), machine, command.argv);
  const auto differences = launch::differences(plan, seen);
  return {differences.empty(), launch::plan_sentence(plan, differences)};
}

}  // namespace

bool can_be_seen(const launch::Plan& plan) {
  return plan.reorder || !plan.places.empty();
}

launch::Assignments preloads(const launch::Plan& plan, const launch::LaunchCommand& command,
                             const fs::path& records) {
  if (!plan.reorder && records.empty()) return {};
  const fs::path folder = install_layout().preload;
  const launch::PreloadChoice choice = launch::choose_preload(command, folder);
  std::vector<std::string> objects;
  if (!records.empty()) objects.push_back(choice.object.string());
  if (plan.reorder) {
    const fs::path mapper =
        folder / fmt::format("libplait-mapper-{}.so", launch::abi_name(choice.abi));
    if (!fs::exists(mapper)) {
      throw Error(mapper.string(), "this Plait was built without it", "build Plait anew", 1);
    }
    objects.push_back(mapper.string());
  }
  launch::Assignments variables{
      {"LD_PRELOAD", launch::extended_preload(launch::environment_value("LD_PRELOAD"), objects)}};
  if (plan.reorder) variables.emplace_back("PLAIT_MAP", plan.reorder_always ? "always" : "asked");
  if (!records.empty()) {
    variables.emplace_back("PLAIT_RECORDS", records.string());
    variables.emplace_back("PLAIT_OPTIONS", "placement");
  }
  return variables;
}

SeenOfPlan look_at(const launch::Plan& plan, const launch::LaunchCommand& command,
                   const fs::path& folder) {
  if (plan.places.empty()) return mapping_seen(folder);
  SeenOfPlan seen = places_seen(plan, command, folder);
  if (!plan.reorder || !seen.kept) return seen;
  const SeenOfPlan mapping = mapping_seen(folder);
  return {mapping.kept, mapping.kept ? seen.sentence + " " + mapping.sentence : mapping.sentence};
}

}  // namespace plait::cli
