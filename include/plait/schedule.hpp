// SPDX-License-Identifier: BSD-3-Clause
// How a step uses its threads and when it communicates; chosen at run time.
#pragma once

#include <chrono>
#include <span>
#include <string>

#include "plait/box.hpp"

namespace plait {

/// How computation and communication are interleaved in a step. All kinds give the same bits.
enum class ScheduleKind {
  blocking,     ///< exchange, then compute; with one thread per rank pure MPI, with more threads
                ///< vector mode (Stengel 2010, 4.1.1), also called masteronly
  nonblocking,  ///< updates the interior between MPI_Isend/Irecv and MPI_Waitall
  polled,       ///< like nonblocking, with MPI_Testsome between blocks
  comm_thread,  ///< task mode, manual (4.2.2): one thread communicates and updates the cells that
                ///< are sent, the others update the interior
  tasks,   ///< task mode with OpenMP tasks created by one thread; the communicating thread joins
  grains,  ///< thread-to-thread overlap (Viet et al. 2005): grains and status flags instead of
           ///< barriers; the master thread communicates first and then joins the team
  partitioned,  ///< MPI-4 partitioned communication, if a probe finds that it works
  automatic,    ///< chosen by a model and by trials against blocking; see Stepper::explain()
};

/// How a thread waits for messages.
enum class Wait {
  automatic,  ///< spin if the thread owns a core, otherwise sleep
  spin,       ///< poll without pause (or MPI_Waitall)
  yield,      ///< poll and yield the core between polls
  sleep,      ///< poll and sleep between polls
};

/// Which thread communicates in comm_thread.
enum class Communicator {
  automatic,    ///< a team thread if the team has two or more, otherwise an extra thread
  team_thread,  ///< thread 0 of the team, which computes less; needs MPI_THREAD_FUNNELED
  extra_thread  ///< a thread in addition to the team; needs MPI_THREAD_SERIALIZED
};

/// The schedule of a Stepper, with its options.
struct Schedule {
  ScheduleKind kind = ScheduleKind::automatic;
  Wait wait = Wait::automatic;
  Communicator communicator = Communicator::automatic;
  std::chrono::microseconds poll{0};  ///< pause of Wait::sleep; 0: a twentieth of the expected
                                      ///< wait, between 20 and 200 us
  Int3 block{0, 0, 0};                ///< cells of a block along each axis; 0: chosen

  Schedule() = default;
  Schedule(ScheduleKind a_kind) : kind(a_kind) {}  // NOLINT: implicit by design

  /// Reads "comm_thread" or "comm_thread,wait=sleep,poll=100us,communicator=extra_thread,
  /// block=0x16x16".
  /// @throws Error that names the problem and lists what is accepted
  static Schedule parse(const std::string& text);
  /// The schedule in the environment variable PLAIT_SCHEDULE; if unset, `fallback` or automatic.
  /// @throws Error as parse()
  static Schedule from_environment(const Schedule& fallback);
  static Schedule from_environment();
  friend bool operator==(const Schedule&, const Schedule&) = default;
};

/// The text that Schedule::parse() reads as this schedule.
std::string to_string(const Schedule& schedule);
std::string to_string(ScheduleKind kind);
std::string to_string(Wait wait);
std::string to_string(Communicator communicator);
/// Reads a name. @throws Error that lists the accepted names
Wait parse_wait(const std::string& text);

/// All kinds, in the order of the enumeration.
std::span<const ScheduleKind> schedule_kinds();

}  // namespace plait
