// SPDX-License-Identifier: BSD-3-Clause
// What all processes of a job published for plait check, while it runs or afterwards.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "check/check_format.h"
#include "check/signature.hpp"
#include "trace/rank_record.hpp"

namespace plait::check {

/// A run of equal basic types in a datatype.
struct Run {
  std::uint64_t basic = 0;  ///< code of the type
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;  ///< of one
  std::string name;         ///< "MPI_INT"
};

/// The signature of a datatype.
struct Type {
  Signature signature;
  bool bytes_only = false;  ///< matches whatever has as many bytes (MPI_BYTE, MPI_PACKED)
  bool has_runs = false;    ///< else only hash and length are known
  std::vector<Run> runs;
};

struct Process {
  int rank = -1;  ///< in the world
  int world_size = 0;
  int pid = 0;
  std::string host;
  plait_record_state state = PLAIT_STATE_LOADED;
  int thread_provided = -1;
  std::uint32_t finalized = 0;  ///< 1: inside MPI_Finalize, 2: it came back
  bool cut = false;             ///< not all operations found room
  std::vector<plait_check_thread> threads;
  std::vector<plait_check_comm> comms;
  std::vector<plait_check_object> objects;
  std::vector<plait_check_finding> findings;
  std::vector<Type> types;  ///< 0: unknown
  std::span<const plait_check_op> ops;
  std::span<const std::uint64_t> counts;
  std::vector<std::string> functions;
  std::vector<trace::Site> sites;
  std::vector<trace::Communicator> record_comms;
  std::shared_ptr<const void> memory;  ///< behind the spans

  /// Null: the operation's communicator is unknown.
  [[nodiscard]] const trace::Communicator* comm_of(const plait_check_op& op) const;
  /// The same on all members of the operation's communicator.
  [[nodiscard]] std::uint64_t key_of(const plait_check_op& op) const;
  /// World rank of a rank to which the communicator speaks; -1: none, unknown.
  [[nodiscard]] int world_rank(const plait_check_op& op, int rank) const;
  [[nodiscard]] std::string function(std::uint32_t index) const;
  /// Signature of so many of a type.
  [[nodiscard]] const Type& type(std::uint32_t index) const;
};

struct Job {
  std::vector<Process> processes;  ///< by rank, those of one rank one after the other
  int world_size = 0;
  /// Operations of different processes can be compared: no rank is there twice, nothing is cut.
  bool comparable = false;
  bool is_over = false;            ///< all ranks left files, and came back from MPI_Finalize
  std::vector<std::string> notes;  ///< one sentence each: what could not be looked at

  /// Index into processes; -1: none.
  [[nodiscard]] int process_of(int rank) const;
};

/// Reads the check and record files of a run's folder `records`.
Job read_job(const std::filesystem::path& records);

}  // namespace plait::check
