// SPDX-License-Identifier: BSD-3-Clause
// The Slurm job around a command: its names, and what is said about it.
#include "cli/allocation.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace plait::cli {

void tell_allocation(const launch::SlurmAllocation& allocation) {
  fmt::print(stderr, "{}\n", launch::allocation_text(allocation));
}

launch::Plan on_job_around(launch::Plan plan) {
  const auto allocation = launch::slurm_allocation();
  if (!allocation) return plan;
  launch::Plan here = launch::on_allocation(plan, *allocation);
  for (std::size_t rank = 0; rank < plan.places.size(); ++rank) {
    if (plan.places[rank].node == here.places[rank].node) continue;
    fmt::print(stderr, "{}; the plan's {} stands for {}, and so on\n",
               launch::allocation_text(*allocation), plan.places[rank].node,
               here.places[rank].node);
    break;
  }
  return here;
}

}  // namespace plait::cli
