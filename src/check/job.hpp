// SPDX-License-Identifier: BSD-3-Clause
// The check files of all processes of a job, during the run or afterwards.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trace/check_format.h"
#include "trace/check_signature.hpp"
#include "trace/rank_record.hpp"

namespace plait::check {

struct Type;

/// Adjacent elements of a datatype, all of the same type.
struct Part {
  const Type* type = nullptr;  ///< an earlier one of the same process
  std::uint64_t times = 0;
};

/// The signature of a datatype.
struct Type {
  Signature signature;
  bool bytes_only = false;  ///< matches any type of as many bytes (MPI_BYTE, MPI_PACKED)
  std::string name;         ///< of a basic type: "MPI_INT"
  std::vector<Part> parts;  ///< of a derived type; empty: its basic types are not known one by one
};

/// The contents of the check file of one process.
struct Process {
  std::filesystem::path file;
  int rank = -1;  ///< in the world
  int world_size = 0;
  int pid = 0;
  std::string host;
  std::uint64_t boot = 0, pid_namespace = 0;  ///< see plait_record_header
  plait_record_state state = PLAIT_STATE_LOADED;
  int thread_provided = -1;
  std::uint32_t finalized = 0;      ///< 1: inside MPI_Finalize, 2: returned from it
  bool cut = false;                 ///< the file was full; later operations are missing
  std::uint64_t unknown_comms = 0;  ///< calls on communicators that could not be resolved
  std::uint64_t opaque_types = 0;   ///< datatypes that could not be decomposed
  std::vector<plait_check_thread> threads;
  /// By thread: it has done nothing but poll for so long that it counts as waiting for what it asks
  /// for. Empty: none; only a watcher of the running process knows.
  std::vector<bool> polling;
  std::vector<plait_check_comm> comms;
  std::vector<plait_check_object> objects;
  std::vector<plait_check_finding> findings;
  std::vector<Type> types;  ///< 0: unknown; do not copy, parts refer to them
  std::span<const plait_check_op> ops;
  std::span<const std::uint64_t> counts;
  std::string names;  ///< texts of findings: NUL-terminated, by offset
  std::vector<std::string> functions;
  std::vector<trace::Site> sites;
  std::vector<trace::Communicator> record_comms;
  std::shared_ptr<const void> memory;  ///< keeps the spans valid

  /// True if a thread counts as waiting in polls.
  [[nodiscard]] bool is_polling(std::uint32_t thread) const {
    return thread < polling.size() && polling[thread];
  }
  /// True if a thread is inside an MPI call, or between two that poll.
  [[nodiscard]] bool is_inside(std::uint32_t thread) const {
    return threads[thread].alive != 0 && (threads[thread].sequence % 2 == 1 || is_polling(thread));
  }
  /// The operation's communicator; null if unknown.
  [[nodiscard]] const trace::Communicator* comm_of(const plait_check_op& op) const;
  /// False if it is unknown or uncertain which operations of other processes are on the same
  /// communicator.
  [[nodiscard]] bool is_comparable(const plait_check_op& op) const;
  /// The key of the operation's communicator, equal on all of its members; 0 if unknown.
  [[nodiscard]] std::uint64_t key_of(const plait_check_op& op) const;
  /// World rank of a peer in the communicator's (remote) group; -1: none or unknown.
  [[nodiscard]] int world_rank(const plait_check_op& op, int rank) const;
  /// A text of a finding.
  [[nodiscard]] std::string name(std::uint32_t offset) const;
  /// Name of a function.
  [[nodiscard]] std::string function(std::uint32_t index) const;
  /// A datatype by index; the unknown type for an index out of range.
  [[nodiscard]] const Type& type(std::uint32_t index) const;
};

/// All processes of a run under plait check.
struct Job {
  std::vector<Process> processes;  ///< by rank; several of one rank follow each other
  int world_size = 0;
  /// Operations of different processes can be compared: no rank occurs twice, nothing is cut.
  bool comparable = false;
  bool is_over = false;            ///< all ranks left files and returned from MPI_Finalize
  std::vector<std::string> notes;  ///< one sentence each: what could not be checked

  /// Index of a rank's first process; -1: none.
  [[nodiscard]] int process_of(int rank) const;
};

/// Reads the check and record files in a run's folder `records`. Files that cannot be read become
/// notes.
Job read_job(const std::filesystem::path& records);

}  // namespace plait::check
