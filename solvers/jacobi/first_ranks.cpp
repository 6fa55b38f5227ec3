// SPDX-License-Identifier: BSD-3-Clause
// Runs something on the first ranks of all, while the others sleep.
#include "first_ranks.hpp"

#include <chrono>
#include <optional>
#include <thread>

#include "plait/environment.hpp"

namespace plait::jacobi {

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
  // Rank 0 is a member, and an error of one member is one of all.
  int failed = error ? 1 : 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(&failed, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  int done = 0;
  while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (error) throw CollectiveError(*error);
  if (failed != 0) throw CollectiveError("this run", "failed on the ranks that took part", "");
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

}  // namespace plait::jacobi
