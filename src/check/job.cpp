// SPDX-License-Identifier: BSD-3-Clause
// Reads the check files of all processes of a job.
#include "check/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "check/check_file.hpp"
#include "plait/error.hpp"
#include "trace/record_bytes.hpp"

namespace plait::check {
namespace {

namespace fs = std::filesystem;

std::string name_at(std::span<const char> names, std::uint32_t offset) {
  if (offset >= names.size()) return "";
  return {names.data() + offset, ::strnlen(names.data() + offset, names.size() - offset)};
}

std::vector<Type> types_of(const CheckFile& file) {
  const auto names = file.section<char>(PLAIT_CHECK_NAMES);
  const auto runs = file.section<plait_check_run>(PLAIT_CHECK_RUNS);
  std::vector<Type> types;
  for (const plait_check_type& from : file.section<plait_check_type>(PLAIT_CHECK_TYPES)) {
    Type type;
    type.signature = {from.hash, from.elements, from.bytes};
    type.bytes_only = (from.flags & PLAIT_CHECK_TYPE_BYTES) != 0;
    type.has_runs = (from.flags & PLAIT_CHECK_TYPE_LONG) == 0 && from.first_run <= runs.size() &&
                    from.runs <= runs.size() - from.first_run;
    if (type.has_runs) {
      for (const plait_check_run& run : runs.subspan(from.first_run, from.runs)) {
        type.runs.push_back({run.basic, run.count, run.bytes, name_at(names, run.name)});
      }
    }
    types.push_back(std::move(type));
  }
  types.resize(std::max<std::size_t>(types.size(), 1));
  return types;
}

Process read_process(const fs::path& path) {
  const auto file = std::make_shared<CheckFile>(path);
  fs::path record = path;
  record.replace_extension(".rec");
  trace::RankRecord rank = trace::read_record(record);
  Process process;
  process.rank = rank.world_rank;
  process.world_size = rank.world_size;
  process.pid = rank.pid;
  process.host = rank.host;
  process.state = rank.state;
  process.thread_provided = rank.thread_provided;
  process.finalized = file->header().finalized;
  process.cut = file->header().ops_before_limit != 0;
  process.threads = file->copy<plait_check_thread>(PLAIT_CHECK_THREADS);
  process.objects = file->copy<plait_check_object>(PLAIT_CHECK_OBJECTS);
  process.findings = file->copy<plait_check_finding>(PLAIT_CHECK_FINDINGS);
  process.ops = file->section<plait_check_op>(PLAIT_CHECK_OPS);
  // Read after the operations, which refer to them: they were written before.
  process.comms = file->copy<plait_check_comm>(PLAIT_CHECK_COMMS);
  process.counts = file->section<std::uint64_t>(PLAIT_CHECK_COUNTS);
  process.types = types_of(*file);
  rank = trace::read_record(record);
  process.sites = std::move(rank.sites);
  process.record_comms = std::move(rank.comms);
  const trace::RecordBytes bytes(record);
  for (const auto& at : bytes.table<plait_function_record>(PLAIT_SECTION_FUNCTIONS)) {
    process.functions.push_back(bytes.string(at.name));
  }
  process.memory = file;
  return process;
}

void judge_completeness(Job& job) {
  std::map<int, int> seen;
  for (const Process& process : job.processes) {
    ++seen[process.rank];
    if (process.cut) {
      job.notes.push_back(
          fmt::format("rank {} made more calls than fit into the check file, so messages and "
                      "collective calls were not compared; raise PLAIT_CHECK_LIMIT (bytes)",
                      process.rank));
    }
  }
  const bool twice =
      std::any_of(seen.begin(), seen.end(), [](const auto& rank) { return rank.second > 1; });
  if (twice) {
    job.notes.emplace_back(
        "the run has several MPI_COMM_WORLDs (MPI_Comm_spawn); each process was checked on its "
        "own, and messages and collective calls were not compared");
  }
  const bool missing = static_cast<int>(seen.size()) < job.world_size;
  if (missing && !job.processes.empty()) {
    job.notes.push_back(
        fmt::format("{} of {} ranks left no check file; communication with them was not compared",
                    job.world_size - static_cast<int>(seen.size()), job.world_size));
  }
  const bool cut = std::any_of(job.processes.begin(), job.processes.end(),
                               [](const Process& process) { return process.cut; });
  job.comparable = !twice && !cut;
  job.is_over =
      !missing && std::all_of(job.processes.begin(), job.processes.end(),
                              [](const Process& process) { return process.finalized == 2; });
}

}  // namespace

const trace::Communicator* Process::comm_of(const plait_check_op& op) const {
  if (op.comm == 0 || op.comm >= comms.size()) return nullptr;
  const std::uint32_t record = comms[op.comm].record;
  return record == 0 || record >= record_comms.size() ? nullptr : &record_comms[record];
}

std::uint64_t Process::key_of(const plait_check_op& op) const {
  return op.comm < comms.size() ? comms[op.comm].key : 0;
}

int Process::world_rank(const plait_check_op& op, int peer) const {
  const trace::Communicator* comm = comm_of(op);
  if (comm == nullptr || peer < 0) return -1;
  const auto& peers = comm->remote_members.empty() ? comm->members : comm->remote_members;
  return static_cast<std::size_t>(peer) < peers.size() ? peers[static_cast<std::size_t>(peer)] : -1;
}

std::string Process::function(std::uint32_t index) const {
  return index < functions.size() ? functions[index] : "an MPI call";
}

const Type& Process::type(std::uint32_t index) const {
  return types[index < types.size() ? index : 0];
}

int Job::process_of(int rank) const {
  const auto found =
      std::lower_bound(processes.begin(), processes.end(), rank,
                       [](const Process& process, int wanted) { return process.rank < wanted; });
  return found != processes.end() && found->rank == rank
             ? static_cast<int>(found - processes.begin())
             : -1;
}

Job read_job(const fs::path& records) {
  Job job;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(records, problem)) {
    if (entry.path().extension() != ".chk") continue;
    try {
      Process process = read_process(entry.path());
      if (process.rank < 0) continue;  // did not reach MPI_Init
      job.processes.push_back(std::move(process));
    } catch (const Error& error) {
      job.notes.emplace_back(error.what());
    }
  }
  std::stable_sort(job.processes.begin(), job.processes.end(),
                   [](const Process& a, const Process& b) { return a.rank < b.rank; });
  for (const Process& process : job.processes) {
    job.world_size = std::max(job.world_size, process.world_size);
  }
  judge_completeness(job);
  return job;
}

}  // namespace plait::check
