// SPDX-License-Identifier: BSD-3-Clause
// The cost of a blocking library step compared with a hand-written MPI program, on 1 and 2 ranks.
#include "step_cost.hpp"

#include <filesystem>
#include <sstream>

#include "base/subprocess.hpp"
#include "contest.hpp"

namespace plait::bench {

std::vector<StepCost> step_costs(std::string& why) {
  const std::string program = PLAIT_JACOBI_STEP;
  if (program.empty() || !std::filesystem::exists(program)) {
    why = "no MPI was found at configure time";
    return {};
  }
  std::vector<StepCost> costs;
  for (const int ranks : {1, 2}) {
    if (static_cast<std::size_t>(ranks) > usable_cpus().size()) continue;
    const auto result = run_command({PLAIT_JACOBI_MPIEXEC, "-n", std::to_string(ranks), program},
                                    std::chrono::seconds(60), {},
                                    {{"OMP_NUM_THREADS", "1"},
                                     {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                                     {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                                     {"PRTE_ALLOW_RUN_AS_ROOT", "1"},
                                     {"PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}});
    if (result.exit_code != 0) {
      why = "the measured program failed: " + result.err;
      return {};
    }
    std::istringstream lines(result.out);
    StepCost cost;
    while (lines >> cost.cells >> cost.ranks >> cost.library_us >> cost.by_hand_us >> cost.ratio >>
           cost.low >> cost.high) {
      costs.push_back(cost);
    }
  }
  return costs;
}

}  // namespace plait::bench
