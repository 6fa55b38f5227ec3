// SPDX-License-Identifier: BSD-3-Clause
// The POP efficiencies of a run from the times of its ranks and threads.
#pragma once

#include <optional>
#include <span>
#include <string>

namespace plait::model {

/// How a figure was come by.
enum class Kind {
  measured,      ///< follows from what was recorded
  lower_bound,   ///< the true value lies between this one and 1
  not_measured,  ///< nothing is known; the value is absent
};

/// The word for a kind in profile.json: "measured", "lower bound", "not measured".
std::string to_string(Kind kind);

/// One efficiency, 1 being perfect. The value is absent exactly when the kind is not_measured.
struct Efficiency {
  std::optional<double> value;
  Kind kind = Kind::not_measured;
};

/// What one rank spent, in seconds.
struct RankTime {
  double wall_s = 0;   ///< from MPI_Init's end to MPI_Finalize's begin (or to the last record)
  double mpi_s = 0;    ///< of it, inside MPI calls (of the thread that calls MPI)
  double taken_s = 0;  ///< its threads were ready to run, but others ran (thread seconds)
  int threads = 1;
};

/// What the OpenMP threads of one rank spent in parallel regions, in thread seconds.
struct ThreadTime {
  double busy_s = 0;  ///< in the regions' bodies, without waiting
  double idle_s = 0;  ///< waiting in barriers, at the region's end, for locks
};

/// The efficiencies in POP's multiplicative model (notes of the POP centre of excellence,
/// co-design.pop-coe.eu/metrics): parallel = load balance x communication,
/// communication = serialization x transfer. OpenMP's runtime counts as useful here (the MPI view).
struct Efficiencies {
  Efficiency parallel;
  Efficiency load_balance;
  Efficiency communication;
  Efficiency serialization;
  Efficiency transfer;
  Efficiency threads;
  double taken_fraction = 0;  ///< time waiting for a CPU that others held / time of all threads
};

/// Mean useful time / longest useful time. Absent without ranks or without useful time.
Efficiency load_balance(std::span<const RankTime> ranks);

/// Longest useful time / run time (the longest rank's).
Efficiency communication(std::span<const RankTime> ranks);

/// Without a trace only serialization x transfer = communication is known, and none exceeds 1: each
/// is at least the communication efficiency, which is returned as a lower bound.
Efficiency bound_from_communication(const Efficiency& communication);

/// Useful thread time / (threads x time of the parallel regions) over all ranks. Not measured when
/// `visible` is false (no OpenMP runtime was seen) or no thread time was recorded.
Efficiency thread_efficiency(std::span<const ThreadTime> threads, bool visible);

/// All of them. Pure; neither communicates nor allocates.
Efficiencies efficiencies(std::span<const RankTime> ranks, std::span<const ThreadTime> threads,
                          bool openmp_visible);

/// How a run's time divides, as fractions of ranks x run time that sum to 1.
/// From parallel = load balance x communication: 1 = parallel + imbalance + communication.
struct Losses {
  double useful = 0;         ///< parallel efficiency
  double imbalance = 0;      ///< communication efficiency - parallel efficiency
  double communication = 0;  ///< 1 - communication efficiency
};

/// The losses that the efficiencies imply; all zero but `useful` = 1 when nothing was measured.
Losses losses(const Efficiencies& of);

}  // namespace plait::model
