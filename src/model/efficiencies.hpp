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
};

/// The times of the OpenMP threads of one rank in parallel regions, in thread seconds.
struct ThreadTime {
  double busy_s = 0;  ///< in the bodies of the regions, without waiting
  double idle_s = 0;  ///< waiting in barriers, at the end of the region, for locks
};

/// The efficiencies in POP's multiplicative model (notes of the POP centre of excellence,
/// co-design.pop-coe.eu/metrics): parallel = load balance x communication,
/// communication = serialization x transfer. The OpenMP runtime counts as useful here (the MPI
/// view).
struct Efficiencies {
  Efficiency parallel;
  Efficiency load_balance;
  Efficiency communication;
  Efficiency serialization;
  Efficiency transfer;
  Efficiency threads;
  double cpu_wait_fraction = 0;  ///< time waiting for a CPU while others ran / time of all threads
};

/// Mean useful time / longest useful time. Absent without ranks or without useful time.
Efficiency load_balance(std::span<const RankTime> ranks);

/// Longest useful time / run time (that of the longest rank). Absent without ranks.
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
/// From parallel = load balance x communication: 1 = parallel + imbalance + communication.
struct Losses {
  double useful = 0;         ///< parallel efficiency
  double imbalance = 0;      ///< communication efficiency - parallel efficiency
  double communication = 0;  ///< 1 - communication efficiency
};

/// The losses that follow from the efficiencies; {1, 0, 0} when nothing was measured.
Losses losses(const Efficiencies& of);

}  // namespace plait::model
