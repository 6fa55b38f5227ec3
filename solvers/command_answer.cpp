// SPDX-License-Identifier: BSD-3-Clause
// What the ranks do with a command line that was parsed: the part that calls MPI.
#include <mpi.h>

#include <cstdio>
#include <fstream>

#include "command_line.hpp"
#include "plait/environment.hpp"

namespace plait {

bool is_answered(const CommandAnswer& answer, int rank) {
  if (answer.error) throw CollectiveError(*answer.error);
  if (answer.text.empty()) return false;
  if (rank == 0) std::fputs(answer.text.c_str(), stdout);
  return true;
}

void check_writable(const std::string& option, const std::string& path, int rank) {
  std::optional<Error> wrong;
  if (rank == 0 && !path.empty() && !std::ofstream(path, std::ios::app)) {
    wrong.emplace(option + " " + path, "cannot be written", "give a file in a folder that exists");
  }
  agree_on_error(MPI_COMM_WORLD, wrong ? &*wrong : nullptr);
}

}  // namespace plait
