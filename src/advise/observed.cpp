// SPDX-License-Identifier: BSD-3-Clause
// Observes whether a run followed its plan.
#include "advise/observed.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/layout.hpp"
#include "launcher/plan_placement.hpp"
#include "machine/discover.hpp"
#include "plait/error.hpp"
#include "report/map_lines.hpp"
#include "report/transport_lines.hpp"
#include "report/wait_lines.hpp"
#include "run/judge_run.hpp"
#include "run/mapper_choice.hpp"
#include "run/message_ways.hpp"
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

SeenOfPlan waiting_seen(const fs::path& folder) {
  const std::vector<report::NodeWaiting> nodes = report::read_waiting(folder);
  if (!nodes.empty()) return {true, fmt::format("Ranks waited by policy {}.", nodes[0].policy)};
  return {false, "the MPI library never gave its CPU away while a rank waited"};
}

SeenOfPlan transport_seen(const fs::path& folder) {
  const std::vector<report::NodeTransport> nodes = report::read_transports(folder);
  if (nodes.empty()) return {false, "no rank looked at Plait's transport"};
  for (const report::NodeTransport& node : nodes) {
    if (!node.refused.empty()) return {false, "Plait's transport was refused: " + node.refused};
    if (node.users < node.ranks) return {false, "the MPI library did not take Plait's transport"};
  }
  return {true, "Messages went through Plait's transport."};
}

}  // namespace

bool can_be_seen(const launcher::Plan& plan) {
  return plan.reorder || !plan.places.empty() || needs_records(plan);
}

bool needs_records(const launcher::Plan& plan) {
  return !plan.wait.empty() || !plan.transport.empty();
}

Assignments preloads(const launcher::Plan& plan, const launcher::LaunchCommand& command,
                     const fs::path& records) {
  if (!plan.reorder && records.empty()) return {};
  const run::PreloadChoice choice = run::choose_preload(command, install_layout().preload);
  std::vector<std::string> objects;
  if (!records.empty()) objects.push_back(choice.object.string());
  if (plan.reorder) objects.push_back(run::choose_mapper(command, choice.abi).string());
  const run::MessageWays ways{plan.wait, plan.transport};
  const auto value = [&](const std::string& name) {
    const auto set = plan.environment.find(name);
    return set == plan.environment.end() ? environment_value(name) : set->second;
  };
  run::check_message_ways(ways, value);
  for (const fs::path& object : run::message_objects(ways, choice.abi)) {
    objects.push_back(object.string());
  }
  Assignments variables{{"LD_PRELOAD", extended_preload(environment_value("LD_PRELOAD"), objects)}};
  if (plan.reorder) variables.emplace_back("PLAIT_MAP", plan.reorder_always ? "always" : "asked");
  if (!records.empty()) {
    variables.emplace_back("PLAIT_RECORDS", records.string());
    variables.emplace_back("PLAIT_OPTIONS", "placement");
  }
  const Assignments messages = run::message_variables(ways, choice.abi, value);
  variables.insert(variables.end(), messages.begin(), messages.end());
  return variables;
}

SeenOfPlan look_at(const launcher::Plan& plan, const launcher::LaunchCommand& command,
                   const fs::path& folder) {
  SeenOfPlan all{true, {}};
  const auto add = [&](bool wanted, const auto& look) {
    if (!wanted || !all.kept) return;
    const SeenOfPlan seen = look();
    if (!seen.kept) {
      all = seen;
    } else {
      all.sentence += (all.sentence.empty() ? "" : " ") + seen.sentence;
    }
  };
  add(!plan.places.empty(), [&] { return places_seen(plan, command, folder); });
  add(plan.reorder, [&] { return mapping_seen(folder); });
  add(!plan.wait.empty(), [&] { return waiting_seen(folder); });
  add(!plan.transport.empty(), [&] { return transport_seen(folder); });
  return all;
}

}  // namespace plait::advise
