// SPDX-License-Identifier: BSD-3-Clause
// Makes a plan from ranks on cores, and checks whether a run followed its plan.
#include "launcher/plan_placement.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "launcher/plan_parts.hpp"
#include "plait/error.hpp"
#include "text/counted.hpp"

namespace plait::launcher {
namespace {

/// "n0" of "n0.cluster.org": launchers and gethostname(2) differ in the domain.
std::string short_name(const std::string& host) {
  return host.substr(0, host.find('.'));
}

bool same_node(const std::string& asked, const std::string& seen) {
  return asked.empty() || asked == "localhost" || short_name(asked) == short_name(seen);
}

std::string cpus_text(const machine::CpuSet& pus) {
  return pus.empty() ? "not bound" : fmt::format("cpus {}", pus.format());
}

std::string at_text(const std::string& node, const machine::CpuSet& pus) {
  return node.empty() ? cpus_text(pus) : fmt::format("{} of {}", cpus_text(pus), node);
}

std::string evidence_text(const PlaceDifference& one) {
  const std::string asked = at_text(one.asked.node, one.asked.pus);
  const std::string of = one.program.empty() ? "" : fmt::format(" ({})", one.program);
  return fmt::format("rank {}{}: {} planned, {}", one.rank, of, asked,
                     one.node.empty() ? "not seen" : at_text(one.node, one.seen) + " seen");
}

}  // namespace

Plan plan_of(const placement::Placement& placement, const placement::Intent& intent,
             const machine::Topology& node, const std::vector<std::string>& hosts) {
  Plan plan;
  plan.ranks = static_cast<int>(placement.ranks.size());
  plan.threads = placement.threads;
  // Open MPI counts only the cores that it sees; within a cpuset, numbers differ from the node's.
  const bool all_allowed = node.allowed_pus.count() == node.total_pus();
  for (const placement::RankSpot& spot : placement.ranks) {
    RankPlaces places;
    places.node = hosts[static_cast<std::size_t>(spot.node)];
    places.pus = spot.pus;
    if (all_allowed && spot.whole_cores) places.cores = machine::CpuSet::of(spot.cores);
    plan.places.push_back(std::move(places));
  }
  if (placement.shared && placement.threads > 1) {
    // Bound by OpenMP, thread i of every rank of a place would run on the same core.
    plan.environment["OMP_PROC_BIND"] = "false";
  } else if (placement.threads > 1) {
    plan.environment["OMP_PLACES"] = intent.hardware_threads ? "threads" : "cores";
    plan.environment["OMP_PROC_BIND"] = "close";
  }
  return plan;
}

void check_places(const Plan& plan, const machine::Topology& node, const std::string& host) {
  machine::CpuSet there;
  for (const machine::Core& core : node.cores) there |= machine::CpuSet::of(core.pus);
  for (std::size_t rank = 0; rank < plan.places.size(); ++rank) {
    const RankPlaces& place = plan.places[rank];
    if (!same_node(place.node, host) || place.pus.subset_of(there)) continue;
    throw Error(plan_title(plan),
                fmt::format("has rank {} on {}, but {} has cpus {}", rank, cpus_text(place.pus),
                            host, there.format()),
                "make the plan for this machine");
  }
}

std::vector<PlaceDifference> differences(const Plan& plan, const placement::PlacementInput& seen) {
  std::vector<PlaceDifference> result;
  for (std::size_t i = 0; i < plan.places.size(); ++i) {
    PlaceDifference one;
    one.rank = static_cast<int>(i);
    one.asked = plan.places[i];
    if (const PlanPart* const part = part_of_rank(plan, one.rank)) one.program = part->program;
    const auto rank = std::find_if(seen.ranks.begin(), seen.ranks.end(),
                                   [&](const auto& place) { return place.rank == one.rank; });
    if (rank != seen.ranks.end()) {
      one.node = seen.hosts[static_cast<std::size_t>(rank->host)].name;
      for (const placement::ThreadPlace& thread : rank->threads) one.seen |= thread.allowed;
    }
    // Bound threads need not use all hardware threads of their rank.
    const bool within =
        one.asked.pus.empty() || (!one.seen.empty() && one.seen.subset_of(one.asked.pus));
    const bool there = !one.node.empty() && same_node(one.asked.node, one.node);
    if (!there || !within) result.push_back(std::move(one));
  }
  return result;
}

std::string plan_sentence(const Plan& plan, const std::vector<PlaceDifference>& differences) {
  const auto ranks = plan.places.size();
  if (differences.empty()) {
    return ranks == 1 ? "The rank ran where the plan puts it."
                      : fmt::format("All {} ranks ran where the plan puts them.", ranks);
  }
  return fmt::format("{} of {} did not run where the plan puts {}: {}.", differences.size(),
                     counted(ranks, "rank"), differences.size() == 1 ? "it" : "them",
                     evidence_text(differences.front()));
}

placement::PlacementFinding places_finding(const Plan& plan,
                                           const std::vector<PlaceDifference>& differences) {
  placement::PlacementFinding finding;
  finding.id = "places_differ";
  finding.severity = "high";
  finding.what = fmt::format("{} of {} ranks did not run where the plan puts them",
                             differences.size(), plan.places.size());
  constexpr std::size_t kShown = 3;
  for (std::size_t i = 0; i < std::min(kShown, differences.size()); ++i) {
    finding.evidence += (i == 0 ? "" : "; ") + evidence_text(differences[i]);
  }
  if (differences.size() > kShown) finding.evidence += " ...";
  finding.cost = "the predictions of the plan may not apply";
  finding.host = differences.front().node;
  finding.ranks_here = static_cast<int>(plan.places.size());
  for (int rank = 0; rank < finding.ranks_here; ++rank) {
    finding.threads_per_rank = std::max(finding.threads_per_rank, threads_of_rank(plan, rank));
  }
  return finding;
}

}  // namespace plait::launcher
