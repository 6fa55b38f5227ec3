// SPDX-License-Identifier: BSD-3-Clause
// The list of commands.
#include "cli/commands.hpp"

namespace plait::cli {

std::unique_ptr<Command> plait_command() {
  auto plait = std::make_unique<Command>(
      "plait", "Measure a machine, and find where an MPI+OpenMP program loses time on it");
  add_measure(*plait);
  add_machine(*plait);
  add_run(*plait);
  add_check(*plait);
  add_where(*plait);
  add_report(*plait);
  add_collect(*plait);
  add_compare(*plait);
  add_advise(*plait);
  add_apply(*plait);
  add_sweep(*plait);
  add_tune(*plait);
  add_place(*plait);
  add_map(*plait);
  add_predict(*plait);
  add_replay(*plait);
  add_cluster(*plait);
  add_export(*plait);
  add_import(*plait);
  add_doctor(*plait);
  add_self_description(*plait);
  plait->describe("plait help COMMAND shows the options of a command.");
  plait->example("plait measure --quick");
  plait->example("plait run -- mpiexec -n 4 ./app");
  return plait;
}

}  // namespace plait::cli
