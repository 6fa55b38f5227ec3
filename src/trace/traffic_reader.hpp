// SPDX-License-Identifier: BSD-3-Clause
// Reads of a record what its process has sent so far, its time in MPI and its regions.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "trace/code_addresses.hpp"
#include "trace/rank_record.hpp"
#include "trace/record_bytes.hpp"

namespace plait::trace {

/// Reads the tables of a record whose sizes do not depend on how many call sites there are, so that
/// a record can be read often while its process writes it: the process, communicators, threads,
/// peers, collectives and regions.
class TrafficReader {
public:
  /// A record of a thread as it was read first: a later thread may reuse it.
  struct Thread {
    plait_thread_record record;
    std::uint32_t index;  ///< into RankRecord::threads
  };

  /// @throws plait::Error as RecordBytes does
  TrafficReader(const std::filesystem::path& file, CommonParts& common);

  /// Reads them into record(). @throws plait::Error when the record is damaged.
  void read();

  [[nodiscard]] RecordBytes& bytes() { return in_; }
  [[nodiscard]] RankRecord& record() { return out_; }
  [[nodiscard]] const std::vector<Thread>& threads() const { return threads_; }
  /// Entries of functions that the record does not define.
  [[nodiscard]] std::uint64_t undefined() const { return undefined_; }
  [[nodiscard]] bool defines(std::uint32_t function) const { return function < functions_.size(); }
  /// Of a function that is defined.
  [[nodiscard]] const SharedText& name_of(std::uint32_t function);
  [[nodiscard]] bool is_collective(std::uint32_t function) const {
    return functions_[function].is_coll != 0;
  }
  [[nodiscard]] std::uint32_t known_comm(std::uint32_t comm) const {
    return comm < out_.comms.size() ? comm : 0;
  }

private:
  void read_process();
  void read_comms();
  void read_sources();
  void read_threads();
  void take_tables(const plait_thread_record& at);
  std::uint32_t thread_of(const plait_thread_record& at);
  void read_peers(const plait_thread_record& at, std::map<std::pair<int, bool>, PeerEntry>& peers);
  void read_collectives();
  void read_regions();

  RecordBytes in_;
  CommonParts& common_;
  RankRecord out_;
  std::vector<Thread> threads_;
  std::map<int, std::uint32_t> thread_of_;  // index by tid
  std::uint64_t thread_bytes_ = 0;          // of the threads' tables
  std::vector<plait_function_record> functions_;
  std::vector<SharedText> names_;  // of functions that were called
  std::uint64_t undefined_ = 0;
};

}  // namespace plait::trace
