// SPDX-License-Identifier: BSD-3-Clause
// Computes the POP efficiencies of a run from the times of its ranks and threads.
#pragma once

#include <optional>
#include <span>
#include <string>

namespace plait::model {

/// How a figure was determined.
enum class Kind {
  measured,      ///< follows from the record
  lower_bound,   ///< the true value is between this one and 1
  not_measured,  ///< unknown; the value is absent
};

/// The name of a kind in profile.json: "measured", "lower bound", "not measured".
std::string to_string(Kind kind);

/// One efficiency; 1 is perfect. The value is absent if and only if the kind is not_measured.
struct Efficiency {
  std::optional<double> value;
  Kind kind = Kind::not_measured;
};

/// The times of one rank, in seconds.
struct RankTime {
  double wall_s =
      0;             ///< from the end of MPI_Init to the start of MPI_Finalize (or the last record)
  double mpi_s = 0;  ///< part of wall_s inside MPI calls, of the thread that calls MPI
  double cpu_wait_s = 0;  ///< its threads waited for a CPU while others ran (thread seconds)
  int threads = 1;
  double compute_wait_s = 0;  ///< of wall_s - mpi_s, waiting for a CPU
  double mpi_wait_s = 0;      ///< of mpi_s, waiting for a CPU
};

/// The times of the OpenMP threads of one rank in parallel regions, in thread seconds.
struct ThreadTime {
  double busy_s = 0;  ///< in the bodies of the regions, without waiting
  double idle_s = 0;  ///< waiting in barriers, at the end of the region, for locks
};

/// The efficiencies in POP's multiplicative model (notes of the POP centre of excellence,
/// co-design.pop-coe.eu/metrics), with a factor for the time in which ranks waited for a CPU:
/// parallel = cpu x load balance x communication, communication = serialization x transfer. Without
/// such waiting, cpu is 1 and the others are POP's. The OpenMP runtime counts as useful here (the
/// MPI view).
struct Efficiencies {
  Efficiency parallel;
  Efficiency cpu;
  Efficiency load_balance;
  Efficiency communication;
  Efficiency serialization;
  Efficiency transfer;
  Efficiency threads;
  double cpu_wait_fraction = 0;  ///< time waiting for a CPU while others ran / time of all threads
};

/// The time in which a rank computed: outside MPI, and on a CPU.
double useful_s(const RankTime& rank);

/// (Run time - longest waiting for a CPU outside MPI) / run time, but at least the longest useful
/// time / run time. Ranks wait for the one that waited longest. It ignores waiting for a CPU inside
/// MPI, because a rank that waits for a message loses nothing by it. Absent without ranks.
Efficiency cpu_efficiency(std::span<const RankTime> ranks);

/// Mean useful time / longest useful time. Absent without ranks or without useful time.
Efficiency load_balance(std::span<const RankTime> ranks);

/// Longest useful time / (run time x cpu_efficiency()); the run time is that of the longest rank.
/// Absent without ranks.
Efficiency communication(std::span<const RankTime> ranks);

/// The lower bound on serialization and transfer without a trace: their product is the
/// communication efficiency and neither exceeds 1, so each is at least the communication
/// efficiency.
Efficiency bound_from_communication(const Efficiency& communication);

/// Useful thread time / (threads x time of the parallel regions) over all ranks. Not measured when
/// no thread time was recorded.
/// @param visible  false if no OpenMP runtime was found: the result is then not measured
Efficiency thread_efficiency(std::span<const ThreadTime> threads, bool visible);

/// Computes all efficiencies. Pure; neither communicates nor allocates.
Efficiencies efficiencies(std::span<const RankTime> ranks, std::span<const ThreadTime> threads,
                          bool openmp_visible);

/// The division of a run's time, as fractions of ranks x run time that add up to 1.
/// From parallel = cpu x communication x load balance: 1 = parallel + imbalance + communication +
/// cpu_wait.
struct Losses {
  double useful = 0;         ///< parallel efficiency
  double imbalance = 0;      ///< cpu x communication efficiency - parallel efficiency
  double communication = 0;  ///< cpu - cpu x communication efficiency
  double cpu_wait = 0;       ///< 1 - cpu efficiency
};

/// The losses that follow from the efficiencies; only useful when nothing was measured.
Losses losses(const Efficiencies& of);

}  // namespace plait::model
