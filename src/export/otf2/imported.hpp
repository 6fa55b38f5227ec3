// SPDX-License-Identifier: BSD-3-Clause
// The imported contents of an OTF2 archive: definitions, and calls with their operations.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "export/otf2/archive.hpp"

namespace plait::otf2 {

inline constexpr std::uint32_t kNone = ~0U;

enum class OpKind : std::uint8_t { send, receive, collective };

/// A communication of one process.
struct Op {
  OpKind kind = OpKind::send;
  bool cancelled = false;
  std::uint32_t comm = kNone;  ///< Imported::comms
  std::uint32_t peer = kNone;  ///< rank in the communicator's peer group; collectives: the root
  int tag = 0;
  std::uint64_t bytes = 0, received = 0;
  std::uint32_t thread = 0, started = kNone;    ///< call
  std::uint32_t end_thread = 0, ended = kNone;  ///< call
  std::uint64_t request = 0;                    ///< number among its thread's, from 1; 0: none
};

/// An MPI call, or a region of the program.
struct Call {
  std::int64_t begin_ns = 0, end_ns = 0;
  std::uint32_t region = kNone;               ///< Imported::regions
  std::vector<std::uint32_t> started, ended;  ///< operations of the process
};

struct Thread {
  std::string name;
  std::vector<Call> calls;  ///< in the order in which they end
};

struct Process {
  std::string host;
  std::vector<Thread> threads;  ///< the main one first
  std::vector<Op> ops;
  std::int64_t recording_ns =
      std::numeric_limits<std::int64_t>::min();  ///< start, if the archive has it
};

struct RegionName {
  std::string name;
  bool mpi = false;
};

struct ImportedComm {
  std::string name;
  std::vector<int> members, remote_members;  ///< ranks
};

/// The rank and thread of a location.
struct Place {
  std::uint32_t rank = kNone, thread = 0;
};

struct Imported {
  std::vector<RegionName> regions;
  std::vector<ImportedComm> comms;
  std::vector<Process> processes;  ///< by rank
  std::map<OTF2_LocationRef, Place> places;
  std::map<OTF2_RegionRef, std::uint32_t> region_numbers;
  std::map<OTF2_CommRef, std::uint32_t> comm_numbers;
  double ns_per_tick = 1;
  std::vector<std::string> notes;

  /// The first problem because of which events are missing; empty: none.
  std::string damage;

  /// The number of the region with that name; creates it if needed.
  std::uint32_t region(const std::string& name, bool mpi);

private:
  std::map<std::pair<std::string, bool>, std::uint32_t> numbers_;  ///< of regions
};

/// Reads the definitions of an archive.
/// @throws Error when they cannot be read, or define no process.
void read_definitions(OTF2_Reader* reader, const std::filesystem::path& file, Imported& into);

/// Reads the events of all locations that are threads of ranks.
/// @throws Error when they cannot be read at all; a damaged end adds a note and sets `damage`.
void read_events(OTF2_Reader* reader, const std::filesystem::path& file, Imported& into);

/// Reads an archive (traces.otf2) and writes it as the packed trace of a run directory. Runs in a
/// child process, because libotf2 trusts what it reads.
/// @returns notes about missing information
/// @throws Error when the archive cannot be read or the trace cannot be written
std::vector<std::string> import_otf2(const std::filesystem::path& file,
                                     const std::filesystem::path& run_dir);

}  // namespace plait::otf2
