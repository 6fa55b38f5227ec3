// SPDX-License-Identifier: BSD-3-Clause
// The current Slurm job, for commands that place or measure.
#include "advise/slurm_job.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace plait::advise {

void announce_job(const launcher::SlurmAllocation& allocation) {
  fmt::print(stderr, "{}\n", launcher::allocation_text(allocation));
}

launcher::Plan on_job_around(launcher::Plan plan) {
  const auto allocation = launcher::slurm_allocation();
  if (!allocation) return plan;
  launcher::Plan here = launcher::on_allocation(plan, *allocation);
  for (std::size_t rank = 0; rank < plan.places.size(); ++rank) {
    if (plan.places[rank].node == here.places[rank].node) continue;
    fmt::print(stderr, "{}; the plan's {} is now {}, and so on\n",
               launcher::allocation_text(*allocation), plan.places[rank].node,
               here.places[rank].node);
    break;
  }
  return here;
}

}  // namespace plait::advise
