// SPDX-License-Identifier: BSD-3-Clause
// The choice of how a step uses its threads and when it communicates; a value, made at run time.
#pragma once

#include <chrono>
#include <span>
#include <string>

#include "plait/box.hpp"

namespace plait {

/// How a step's computation and communication are interleaved. All give the same bits.
enum class ScheduleKind {
  blocking,     ///< exchange, then compute; with one thread a rank pure MPI, with more vector mode
                ///< (Stengel 2010, 4.1.1), masteronly, Viet's PC
  nonblocking,  ///< interior between MPI_Isend/Irecv and MPI_Waitall
  polled,       ///< the same with MPI_Testsome between the blocks
  comm_thread,  ///< task mode, manual (4.2.2): one thread communicates and updates the cells that
                ///< are sent, the others the interior
  tasks,        ///< task mode on OpenMP tasks made by one thread; the communicating thread joins in
  partitioned,  ///< MPI-4 partitioned communication, where a probe at start finds that it works
  automatic,    ///< the model chooses, measures its choice against blocking, and says why
};

/// How a thread waits for messages.
enum class Wait {
  automatic,  ///< spin where the thread owns a core, else sleep
  spin,       ///< poll without pause (or MPI_Waitall)
  yield,      ///< poll, giving the core away between polls
  sleep,      ///< poll, sleeping between polls
};

/// Who communicates in comm_thread.
enum class Communicator {
  automatic,    ///< a member of the team where the team has two threads or more, else an extra one
  team_thread,  ///< thread 0 of the team, which computes less: needs MPI_THREAD_FUNNELED
  extra_thread  ///< a thread beside the team: needs MPI_THREAD_SERIALIZED
};

/// The schedule of a Stepper: what to do, and how.
struct Schedule {
  ScheduleKind kind = ScheduleKind::automatic;
  Wait wait = Wait::automatic;
  Communicator communicator = Communicator::automatic;
  std::chrono::microseconds poll{0};  ///< pause of Wait::sleep; 0: a twentieth of the time on the
                                      ///< wire, within 20 to 200 us
  Int3 block{0, 0, 0};                ///< cells of a block; 0: chosen from the extents and threads

  Schedule() = default;
  Schedule(ScheduleKind a_kind) : kind(a_kind) {}  // NOLINT: a kind is a schedule

  /// Reads "comm_thread" or "comm_thread,wait=sleep,poll=100us,communicator=extra_thread,
  /// block=0x16x16".
  /// @throws Error that names what is wrong and lists what is accepted.
  static Schedule parse(const std::string& text);
  /// The schedule in the environment variable PLAIT_SCHEDULE, else `fallback`, else automatic.
  static Schedule from_environment(const Schedule& fallback);
  static Schedule from_environment();
  friend bool operator==(const Schedule&, const Schedule&) = default;
};

/// In the form that Schedule::parse reads.
std::string to_string(const Schedule& schedule);
std::string to_string(ScheduleKind kind);
std::string to_string(Wait wait);
std::string to_string(Communicator communicator);

/// All kinds, in the order of the enumeration.
std::span<const ScheduleKind> schedule_kinds();

}  // namespace plait
