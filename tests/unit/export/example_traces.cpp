// SPDX-License-Identifier: BSD-3-Clause
// Hand-made traces for the tests of exports.
#include "example_traces.hpp"

#include "trace/python_frame.hpp"

namespace plait::exports {

using trace::MadeTrace;

trace::PlaceNames names_of(const trace::Trace& trace) {
  std::vector<std::string> notes;
  return trace::name_places(trace, notes);
}

trace::Trace worked_example() {
  MadeTrace made(2, 1);
  made.compute(0, 1);
  made.send(0, 1, 1000000, 0);
  made.compute(0, 0.5);
  made.collective(0, "MPI_Allreduce", 8, 0.500984);
  made.compute(1, 0.2);
  made.receive(1, 0, 1000000, 0.800984);
  made.compute(1, 1);
  made.collective(1, "MPI_Allreduce", 8, 0);
  return made.take();
}

trace::Trace called_from_wrappers() {
  MadeTrace made(2, 1);
  for (const char* caller : {"step", "finish"}) {
    made.from(caller);
    for (int rank = 0; rank < 2; ++rank) made.collective(rank, "MPI_Allreduce", 8, 0.1);
  }
  trace::Trace trace = made.take();
  const std::string file = "/a/heat.py";
  const trace::CodeAddress reduce = trace::python_address("reduce", file, 7);
  trace.sites[1].frames = {reduce, trace::python_address("Solver.run.<locals>.step", file, 30)};
  trace.sites[2].frames = {reduce, trace::python_address("finish", file, 40)};
  return trace;
}

trace::Trace chain() {
  constexpr int kRanks = 4;
  MadeTrace made(kRanks, 2);
  for (int round = 0; round < 3; ++round) {
    for (int rank = 0; rank < kRanks; ++rank) {
      made.compute(rank, 0.1 * (rank + 1) + 0.037 * round);
      if (rank > 0) made.receive(rank, rank - 1, 4096, 0.01, round, true);
      made.compute(rank, 0.0213);
      if (rank + 1 < kRanks) made.send(rank, rank + 1, 4096, 0.001, round);
    }
  }
  for (int rank = 0; rank < kRanks; ++rank) made.other(rank, "MPI_Finalize", 0);
  return made.take();
}

trace::Trace all_kinds() {
  constexpr int kRanks = 4;
  MadeTrace made(kRanks, 2);
  const std::uint32_t half = made.comm({1, 3});
  const auto late = [](int rank, int step) { return 0.01 + 0.003 * ((rank * 7 + step * 3) % 5); };
  int step = 0;
  const auto all = [&](const char* function, std::uint64_t bytes, int root) {
    for (int rank = 0; rank < kRanks; ++rank) {
      made.compute(rank, late(rank, step));
      made.collective(rank, function, bytes, 0.002, root);
    }
    ++step;
  };
  made.from("solver");
  all("MPI_Barrier", 0, -1);
  all("MPI_Bcast", 1000, 2);
  all("MPI_Reduce", 1000, 1);
  all("MPI_Allreduce", 8, -1);
  all("MPI_Gather", 64, 3);
  all("MPI_Scatter", 64, 0);
  all("MPI_Allgather", 64, -1);
  all("MPI_Alltoall", 4096, -1);
  all("MPI_Scan", 8, -1);
  all("MPI_Reduce_scatter", 128, -1);
  for (const int rank : {1, 3}) {
    made.compute(rank, late(rank, 3));
    made.collective(rank, "MPI_Allreduce", 8, 0.001, -1, half);
    made.collective(rank, "MPI_Bcast", 8, 0.001, 1, half);
  }
  for (int rank = 0; rank < kRanks; ++rank) {
    const double begin = made.now(rank);
    const int next = (rank + 1) % kRanks, before = (rank + kRanks - 1) % kRanks;
    const std::uint32_t in = made.ireceive(rank, before, 200000, 0.0001, 5, rank == 2);
    const std::uint32_t out = made.isend(rank, next, 100000, 0.0001, 5);
    made.compute(rank, late(rank, 9));
    made.poll(rank, 0.00001);
    made.compute(rank, 0.004);
    made.wait(rank, {in, out}, 0.02);
    made.send_receive(rank, next, 80, before, 80, 0.01, 6);
    made.region(rank, "exchange", begin);
    made.other(rank, "MPI_Comm_rank", 0.00002);
  }
  all("MPI_Barrier", 0, -1);
  return made.take();
}

}  // namespace plait::exports
