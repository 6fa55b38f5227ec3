// SPDX-License-Identifier: BSD-3-Clause
// Observes whether a run followed its plan.
#include "advise/observed.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/failure.hpp"
#include "base/layout.hpp"
#include "launcher/plan_placement.hpp"
#include "machine/discover.hpp"
#include "plait/error.hpp"
#include "report/map_lines.hpp"
#include "run/judge_run.hpp"
#include "run/preload_choice.hpp"
#include "trace/rank_record.hpp"

namespace plait::advise {
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
                     ? "nothing was mapped: the program created no topology to reorder"
                     : "the mapper kept the program's topologies: reordering would not help"};
}

SeenOfPlan places_seen(const launcher::Plan& plan, const launcher::LaunchCommand& command,
                       const fs::path& folder) {
  machine::MachineFile machine;
  machine.topology = machine::discover_local().topology;
  const placement::PlacementInput seen =
      run::placement_of(trace::read_records(folder / "records", nullptr), machine, command.argv);
  const auto differences = launcher::differences(plan, seen);
  return {differences.empty(), launcher::plan_sentence(plan, differences)};
}

}  // namespace

bool can_be_seen(const launcher::Plan& plan) {
  return plan.reorder || !plan.places.empty();
}

Assignments preloads(const launcher::Plan& plan, const launcher::LaunchCommand& command,
                     const fs::path& records) {
  if (!plan.reorder && records.empty()) return {};
  const fs::path folder = install_layout().preload;
  const run::PreloadChoice choice = run::choose_preload(command, folder);
  std::vector<std::string> objects;
  if (!records.empty()) objects.push_back(choice.object.string());
  if (plan.reorder) {
    const fs::path mapper =
        folder / fmt::format("libplait-mapper-{}.so", run::abi_name(choice.abi));
    if (!fs::exists(mapper)) {
      throw Failure(mapper.string(), "not found", "install Plait again");
    }
    objects.push_back(mapper.string());
  }
  Assignments variables{{"LD_PRELOAD", extended_preload(environment_value("LD_PRELOAD"), objects)}};
  if (plan.reorder) variables.emplace_back("PLAIT_MAP", plan.reorder_always ? "always" : "asked");
  if (!records.empty()) {
    variables.emplace_back("PLAIT_RECORDS", records.string());
    variables.emplace_back("PLAIT_OPTIONS", "placement");
  }
  return variables;
}

SeenOfPlan look_at(const launcher::Plan& plan, const launcher::LaunchCommand& command,
                   const fs::path& folder) {
  if (plan.places.empty()) return mapping_seen(folder);
  SeenOfPlan seen = places_seen(plan, command, folder);
  if (!plan.reorder || !seen.kept) return seen;
  const SeenOfPlan mapping = mapping_seen(folder);
  return {mapping.kept, mapping.kept ? seen.sentence + " " + mapping.sentence : mapping.sentence};
}

}  // namespace plait::advise
