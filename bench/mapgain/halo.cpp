// SPDX-License-Identifier: BSD-3-Clause
// The measured program: a halo exchange on a grid, alternately in the order of the launcher and in
// the order of MPI_Cart_create with reorder = 1 (with the mapper preloaded).
//
// Usage: mpiexec -n N halo ROUNDS BYTES DIM...
// Prints what mapgain.cpp reads: "node N0 N1 ...", the node of each rank; "rank R0 R1 ...", the
// rank of each in the reordered grid; "sample PLAIN REORDERED RING" in seconds, one line per round;
// "wrong COUNT", the number of wrong values. RING: every node sends kProbeBytes to the next one at
// the same time.
#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "probe_bytes.hpp"

namespace {

using plait::bench::kProbeBytes;

struct Face {
  int neighbour;
  std::vector<std::uint32_t> out, in;
};

/// Waits like a process with its own core, but asleep: the emulated nodes share the cores of this
/// machine, and spinning processes would take them from the network.
void wait_asleep(std::vector<MPI_Request>& requests) {
  constexpr std::chrono::microseconds kNap{200};
  for (int done = 0; done == 0;) {
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
    if (done == 0) std::this_thread::sleep_for(kNap);
  }
}

class Halo {
public:
  Halo(const std::vector<int>& dims, std::size_t bytes, int reorder) {
    const std::vector<int> open(dims.size(), 0);
    MPI_Cart_create(MPI_COMM_WORLD, static_cast<int>(dims.size()), dims.data(), open.data(),
                    reorder, &comm_);
    MPI_Comm_rank(comm_, &rank_);
    for (int axis = 0; axis < static_cast<int>(dims.size()); ++axis) {
      int below = 0, above = 0;
      MPI_Cart_shift(comm_, axis, 1, &below, &above);
      for (const int neighbour : {below, above}) {
        if (neighbour != MPI_PROC_NULL)
          faces_.push_back({neighbour, std::vector<std::uint32_t>(bytes / 4),
                            std::vector<std::uint32_t>(bytes / 4)});
      }
    }
  }
  ~Halo() { MPI_Comm_free(&comm_); }
  Halo(const Halo&) = delete;
  Halo& operator=(const Halo&) = delete;

  [[nodiscard]] int rank() const { return rank_; }

  /// Runs one exchange and returns the time of the slowest process.
  double exchange(std::uint32_t round) {
    for (Face& face : faces_)
      for (std::size_t i = 0; i < face.out.size(); ++i)
        face.out[i] = value(rank_, face.neighbour, round, i);
    std::vector<MPI_Request> requests(2 * faces_.size());
    MPI_Barrier(comm_);
    const double start = MPI_Wtime();
    std::size_t next = 0;
    for (Face& face : faces_)
      MPI_Irecv(face.in.data(), static_cast<int>(face.in.size()), MPI_UINT32_T, face.neighbour, 0,
                comm_, &requests[next++]);
    for (Face& face : faces_)
      MPI_Isend(face.out.data(), static_cast<int>(face.out.size()), MPI_UINT32_T, face.neighbour, 0,
                comm_, &requests[next++]);
    wait_asleep(requests);
    const double own = MPI_Wtime() - start;
    double slowest = 0;
    requests.resize(1);
    MPI_Iallreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm_, requests.data());
    wait_asleep(requests);
    return slowest;
  }

  /// The number of values of the last exchange that differ from what the neighbour sent.
  [[nodiscard]] long wrong(std::uint32_t round) const {
    long count = 0;
    for (const Face& face : faces_)
      for (std::size_t i = 0; i < face.in.size(); ++i)
        count += face.in[i] != value(face.neighbour, rank_, round, i);
    return count;
  }

private:
  static std::uint32_t value(int from, int to, std::uint32_t round, std::size_t index) {
    const auto seed = static_cast<std::uint32_t>(from * 64 + to) * 2654435761U;
    return (seed ^ (round * 40503U)) + static_cast<std::uint32_t>(index) * 2246822519U;
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  std::vector<Face> faces_;
};

int node_of_process() {
  int node = 0;
  MPI_Comm neighbours = MPI_COMM_NULL;
  MPI_Comm_rank(MPI_COMM_WORLD, &node);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, node, MPI_INFO_NULL, &neighbours);
  MPI_Bcast(&node, 1, MPI_INT, 0, neighbours);
  MPI_Comm_free(&neighbours);
  return node;
}

/// Measures the network with one process per node.
class Probe {
public:
  explicit Probe(int node) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank == node ? 0 : MPI_UNDEFINED, rank, &leaders_);
    if (leaders_ == MPI_COMM_NULL) return;
    MPI_Comm_rank(leaders_, &index_);
    MPI_Comm_size(leaders_, &nodes_);
    out_.resize(kProbeBytes);
    in_.resize(kProbeBytes);
  }
  ~Probe() {
    if (leaders_ != MPI_COMM_NULL) MPI_Comm_free(&leaders_);
  }
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  /// Every node sends to the next one. Returns the time of the slowest. All processes take part,
  /// most of them asleep.
  double ring() {
    double own = 0, slowest = 0;
    if (leaders_ != MPI_COMM_NULL) {
      const int to = (index_ + 1) % nodes_, from = (index_ + nodes_ - 1) % nodes_;
      std::vector<MPI_Request> requests(2);
      MPI_Barrier(leaders_);
      const double start = MPI_Wtime();
      MPI_Irecv(in_.data(), kProbeBytes, MPI_BYTE, from, 0, leaders_, &requests[0]);
      MPI_Isend(out_.data(), kProbeBytes, MPI_BYTE, to, 0, leaders_, &requests[1]);
      wait_asleep(requests);
      own = MPI_Wtime() - start;
    }
    std::vector<MPI_Request> request(1);
    MPI_Iallreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, request.data());
    wait_asleep(request);
    return slowest;
  }

private:
  MPI_Comm leaders_ = MPI_COMM_NULL;
  int index_ = 0, nodes_ = 1;
  std::vector<char> out_, in_;
};

/// Prints one number of each process on rank 0.
void print_all(const char* what, int mine) {
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<int> all(static_cast<std::size_t>(size));
  MPI_Gather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank != 0) return;
  std::printf("%s", what);
  for (const int number : all) std::printf(" %d", number);
  std::printf("\n");
}

void measure(int rounds, std::size_t bytes, const std::vector<int>& dims) {
  Halo plain(dims, bytes, 0), reordered(dims, bytes, 1);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int node = node_of_process();
  Probe probe(node);
  print_all("node", node);
  print_all("rank", reordered.rank());
  long wrong = 0;
  // The first round opens connections.
  for (int round = -1; round < rounds; ++round) {
    const auto number = static_cast<std::uint32_t>(round + 1);
    const double before = plain.exchange(number), after = reordered.exchange(number);
    const double ring = probe.ring();
    wrong += plain.wrong(number) + reordered.wrong(number);
    if (rank == 0 && round >= 0) std::printf("sample %.9f %.9f %.9f\n", before, after, ring);
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("wrong %ld\n", wrong);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc < 4) MPI_Abort(MPI_COMM_WORLD, 2);
  std::vector<int> dims;
  for (int i = 3; i < argc; ++i) dims.push_back(std::atoi(argv[i]));
  measure(std::atoi(argv[1]), static_cast<std::size_t>(std::atol(argv[2])), dims);
  MPI_Finalize();
}
