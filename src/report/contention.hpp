// SPDX-License-Identifier: BSD-3-Clause
// Why the threads of a run waited for a CPU: its own threads, other programs, a quota, a
// hypervisor.
#pragma once

#include "report/job.hpp"
#include "report/profile.hpp"

namespace plait::report {

/// Divides the time in which a job's threads waited for a CPU by its cause.
/// Time in which control groups were stopped comes first. The rest is divided between the run's own
/// threads and other programs in proportion to what a waiting thread sees on its CPU: with n
/// threads of this run on each CPU, (n - 1) / n of their use of it, and the use by other programs.
/// What other programs used is what the ranks' CPUs did beside the CPU time of the ranks.
Contention contention_of(const Job& job, const std::vector<RankRow>& ranks);

}  // namespace plait::report
