// SPDX-License-Identifier: BSD-3-Clause
// The memory of a node: how much it has, and a check before a solver takes it.
#pragma once

#include <mpi.h>

#include <new>
#include <optional>
#include <string>

#include "plait/environment.hpp"

namespace plait {

/// Memory that programs can still get on this node, bytes; 0 if unknown.
double available_bytes();

/// Memory of this process that is in the node's memory now, bytes.
double resident_bytes();

/// Memory that this process may still take under its limit (ulimit -v), bytes.
double bytes_within_limit();

/// Before an allocation, because Linux lets a program allocate more than there is. Collective.
/// @param own_bytes  that this rank will take
/// @throws CollectiveError if the ranks of a node need more than it has, or one more than its limit
void check_node_memory(MPI_Comm comm, const std::string& input, double own_bytes,
                       const std::string& remedy);

/// Runs something that may fail on this rank alone; then all ranks fail. Collective.
/// @throws CollectiveError for an Error or for memory that cannot be had
template <class Action>
void agreed(MPI_Comm comm, const std::string& input, const Action& action) {
  std::optional<Error> wrong;
  try {
    action();
  } catch (const Error& error) {
    wrong.emplace(error);
  } catch (const std::bad_alloc&) {
    wrong.emplace(input, "no memory for it", "use a smaller problem or more nodes");
  }
  agree_on_error(comm, wrong ? &*wrong : nullptr);
}

}  // namespace plait
