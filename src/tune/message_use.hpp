// SPDX-License-Identifier: BSD-3-Clause
// The messages of a run that settings of an MPI library may change.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/profile.hpp"

namespace plait::tune {

/// Calls of one collective operation on communicators of one size, with similar amounts of data.
struct CollectiveUse {
  std::string operation;  ///< "MPI_Bcast"
  int ranks = 0;
  double share = 0;  ///< of the ranks' time
  std::uint64_t calls = 0;
  double mean_bytes = 0;         ///< of one call of one rank
  std::uint64_t from_bytes = 0;  ///< border to calls with less data; 0: there are none
  std::uint64_t to_bytes = 0;    ///< border to calls with more; kAllSizes: there are none
  bool is_largest_size = true;   ///< of this operation and number of ranks, the one with most time
};

/// What a run sends.
struct MessageUse {
  double mpi_share = 0;       ///< of the ranks' time
  double message_share = 0;   ///< in MPI outside collective operations
  double remote_share = 0;    ///< of the point-to-point messages: between nodes
  double file_share = 0;      ///< in MPI's calls for files
  double cpu_wait_share = 0;  ///< of the threads' time
  double threads_per_cpu = 0;
  int ranks_per_node = 1;
  std::size_t nodes = 1;
  std::vector<report::SizeRow> sizes;      ///< of point-to-point messages
  std::vector<CollectiveUse> collectives;  ///< most time first

  /// The share of the point-to-point messages with so many bytes. A class of sizes that is only
  /// partly in the range counts as a whole if its larger end is.
  [[nodiscard]] double share_of_sizes(double from_bytes, double to_bytes) const;
};

MessageUse message_use(const report::Profile& profile);

}  // namespace plait::tune
