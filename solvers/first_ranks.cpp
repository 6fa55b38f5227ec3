// SPDX-License-Identifier: BSD-3-Clause
// Series of runs in one launch: runs on the first ranks of all, and the tables of them.
#include "first_ranks.hpp"

#include <chrono>
#include <cstdio>
#include <optional>
#include <thread>

#include "plait/environment.hpp"

namespace plait {

void on_first_ranks(int ranks, const std::function<void(MPI_Comm)>& body) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const bool member = rank < ranks;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, member ? 0 : MPI_UNDEFINED, rank, &comm);
  std::optional<CollectiveError> error;
  if (member) {
    try {
      body(comm);
    } catch (const CollectiveError& thrown) {
      error.emplace(thrown);
    }
    MPI_Comm_free(&comm);
  }
  // Rank 0 is a member, and all members have the same errors.
  int failed = error ? 1 : 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(&failed, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  int done = 0;
  while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (error) throw CollectiveError(*error);
  if (failed != 0) throw CollectiveError("run", "failed on the ranks that took part", "");
}

std::vector<int> rank_counts(int most, bool thirds) {
  std::vector<int> counts;
  for (int count = 1; count < most; count *= 2) {
    counts.push_back(count);
    if (thirds && count > 1 && count / 2 * 3 < most) counts.push_back(count / 2 * 3);
  }
  counts.push_back(most);
  return counts;
}

std::string speedup_titles() {
  return " speedup   eff.";
}

std::string speedup_cells(double speedup, double parts) {
  char text[64];
  std::snprintf(text, sizeof text, "%8.2f %4.0f %%", speedup, 100 * speedup / parts);
  return text;
}

}  // namespace plait
