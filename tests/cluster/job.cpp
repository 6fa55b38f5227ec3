// SPDX-License-Identifier: BSD-3-Clause
// Checks on a cluster: which ranks share memory, and how fast the link of two nodes is.
//
// Usage: job blocks NODES RANKS_PER_NODE   succeeds if each node has that many consecutive ranks
//        job bandwidth LOW HIGH [first]    succeeds if messages of 64 to 256 KiB reach LOW to HIGH
//                                          MB/s; `first`: with real-time priority, and 77 if they
//                                          do not and that priority is not allowed
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr int kSkipped = 77;

/// True if every node has `per_node` consecutive ranks.
bool in_blocks(int nodes, int per_node) {
  int rank = 0, size = 0, on_node = 0, ranks_on_node = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &on_node);
  MPI_Comm_size(node, &ranks_on_node);
  MPI_Comm_free(&node);
  int good = size == nodes * per_node && ranks_on_node == per_node && on_node == rank % per_node;
  int all = 0;
  MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all == 1;
}

/// Keeps other programs off this rank's core while it lives, if wanted and allowed.
class BeforeOthers {
public:
  explicit BeforeOthers(bool wanted) : refused_(wanted && !set(SCHED_FIFO, 1)) {}
  ~BeforeOthers() { set(SCHED_OTHER, 0); }
  BeforeOthers(const BeforeOthers&) = delete;
  BeforeOthers& operator=(const BeforeOthers&) = delete;
  [[nodiscard]] bool refused() const { return refused_; }

private:
  static bool set(int policy, int priority) {
    const sched_param wanted{priority};
    return sched_setscheduler(0, policy, &wanted) == 0;
  }

  bool refused_ = false;
};

/// Seconds for one message from rank 0 to rank 1: half of a round trip.
double message_s(std::vector<char>& data, int bytes, int rank) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (const int sender : {0, 1}) {
    if (rank == sender) {
      MPI_Send(data.data(), bytes, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD);
    } else {
      MPI_Recv(data.data(), bytes, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  return (MPI_Wtime() - start) / 2;
}

/// Compares the best of several rounds, because other load only makes messages slower. Also prints
/// the median. The exit code of `bandwidth`.
int in_band(double low_mbs, double high_mbs, bool first) {
  constexpr int kRounds = 15, kSizes = 3;
  int rank = 0, good = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<char> data(std::size_t{256} << 10);
  std::vector<std::vector<double>> times(kSizes);
  message_s(data, static_cast<int>(data.size()), rank);  // connects
  const BeforeOthers priority(first);
  for (int round = 0; round < kRounds; ++round) {
    for (int size = 0; size < kSizes; ++size) {
      times[static_cast<std::size_t>(size)].push_back(message_s(data, 64 << (10 + size), rank));
    }
  }
  for (int size = 0; size < kSizes; ++size) {
    auto& of_size = times[static_cast<std::size_t>(size)];
    std::sort(of_size.begin(), of_size.end());
    const double megabytes = 1e-6 * (64 << (10 + size)), mbs = megabytes / of_size.front();
    if (rank == 0) {
      std::printf("%d KiB: %.2f MB/s at best, %.2f median\n", 64 << size, mbs,
                  megabytes / of_size[kRounds / 2]);
    }
    good = static_cast<int>(good != 0 && mbs >= low_mbs && mbs <= high_mbs);
  }
  MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (good == 1) return 0;
  return priority.refused() ? kSkipped : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string what = argc > 1 ? argv[1] : "";
  int code = 1;
  if (what == "blocks" && argc == 4) {
    code = in_blocks(std::atoi(argv[2]), std::atoi(argv[3])) ? 0 : 1;
  }
  if (what == "bandwidth" && argc >= 4) {
    code = in_band(std::atof(argv[2]), std::atof(argv[3]), argc > 4);
  }
  MPI_Finalize();
  return code;
}
