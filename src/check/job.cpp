// SPDX-License-Identifier: BSD-3-Clause
// Reads the check files of all processes of a job.
#include "check/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "check/check_file.hpp"
#include "plait/error.hpp"
#include "text/counted.hpp"
#include "trace/budget.hpp"
#include "trace/record_bytes.hpp"

namespace plait::check {
namespace {

namespace fs = std::filesystem;

std::string name_at(std::span<const char> names, std::uint32_t offset) {
  constexpr std::size_t kMost = 1024;  // MPI's names and texts are shorter
  if (offset >= names.size()) return "";
  return {names.data() + offset,
          ::strnlen(names.data() + offset, std::min(names.size() - offset, kMost))};
}

std::vector<Type> types_of(const CheckFile& file) {
  const auto from = file.section<plait_check_type>(PLAIT_CHECK_TYPES);
  // Read after the types, which refer to them: they were written before.
  const auto names = file.section<char>(PLAIT_CHECK_NAMES);
  const auto parts = file.section<plait_check_part>(PLAIT_CHECK_PARTS);
  std::vector<Type> types(std::max<std::size_t>(from.size(), 1));
  trace::Budget copies(file.size());  // types may refer to the same parts and names
  for (std::size_t i = 0; i < from.size(); ++i) {
    Type& type = types[i];
    type.signature = {from[i].hash, from[i].elements, from[i].bytes};
    type.bytes_only = (from[i].flags & PLAIT_CHECK_TYPE_BYTES) != 0;
    if ((from[i].flags & PLAIT_CHECK_TYPE_BASIC) != 0) type.name = name_at(names, from[i].name);
    if (from[i].first_part > parts.size() || from[i].parts > parts.size() - from[i].first_part ||
        !copies.take(type.name.size() + from[i].parts * std::uint64_t{sizeof(Part)})) {
      type.name.clear();
      continue;
    }
    for (const plait_check_part& part : parts.subspan(from[i].first_part, from[i].parts)) {
      if (part.type < i) type.parts.push_back({&types[part.type], part.times});
    }
  }
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
  process.file = path;
  process.host = rank.host;
  process.boot = rank.boot;
  process.pid_namespace = rank.pid_namespace;
  process.state = rank.state;
  process.thread_provided = rank.thread_provided;
  process.finalized = file->header().finalized;
  process.cut = file->header().ops_before_limit != 0;
  process.unknown_comms = file->header().unknown_comms;
  process.opaque_types = file->header().opaque_types;
  process.threads = file->copy<plait_check_thread>(PLAIT_CHECK_THREADS);
  process.objects = file->copy<plait_check_object>(PLAIT_CHECK_OBJECTS);
  process.findings = file->copy<plait_check_finding>(PLAIT_CHECK_FINDINGS);
  const auto names = file->section<char>(PLAIT_CHECK_NAMES);
  process.names.assign(names.begin(), names.end());
  process.ops = file->section<plait_check_op>(PLAIT_CHECK_OPS);
  // Read after the operations, which refer to them: they were written before.
  process.comms = file->copy<plait_check_comm>(PLAIT_CHECK_COMMS);
  process.counts = file->section<std::uint64_t>(PLAIT_CHECK_COUNTS);
  process.types = types_of(*file);
  rank = trace::read_record(record);
  process.sites = std::move(rank.sites);
  process.record_comms = std::move(rank.comms);
  trace::RecordBytes bytes(record);
  for (const auto& at : bytes.table<plait_function_record>(PLAIT_SECTION_FUNCTIONS)) {
    process.functions.push_back(bytes.string(at.name));
  }
  process.memory = file;
  return process;
}

void note_losses(const Process& process, std::vector<std::string>& notes) {
  if (process.cut) {
    notes.push_back(
        fmt::format("rank {} made more calls than fit into the check file, so messages and "
                    "collective calls were not compared; raise PLAIT_CHECK_LIMIT (bytes)",
                    process.rank));
  }
  if (process.unknown_comms > 0) {
    notes.push_back(
        fmt::format("rank {} made {} on communicators or windows that Plait could not resolve; "
                    "these were not compared",
                    process.rank, counted(process.unknown_comms, "call")));
  }
  if (process.opaque_types > 0) {
    notes.push_back(
        fmt::format("rank {} used {} whose basic types MPI does not reveal; only the sizes of "
                    "their data were compared",
                    process.rank, counted(process.opaque_types, "datatype")));
  }
}

/// Marks communicators that not all of their members know by the same key. In a job that still
/// runs, some may be about to learn it.
void mark_uncertain(Job& job) {
  std::unordered_map<std::uint64_t, std::size_t> known;  // members that know the key
  for (const Process& process : job.processes) {
    for (const plait_check_comm& comm : process.comms) ++known[comm.key];
  }
  for (Process& process : job.processes) {
    for (plait_check_comm& comm : process.comms) {
      if (comm.record == 0 || comm.record >= process.record_comms.size()) continue;
      const trace::Communicator& record = process.record_comms[comm.record];
      const bool all = known[comm.key] == record.members.size() + record.remote_members.size();
      if (job.is_over && !all) comm.flags |= PLAIT_CHECK_COMM_UNCERTAIN;
    }
  }
}

void note_uncertain(Job& job) {
  std::uint64_t operations = 0;
  for (const Process& process : job.processes) {
    operations += static_cast<std::uint64_t>(
        std::count_if(process.ops.begin(), process.ops.end(), [&](const plait_check_op& op) {
          return op.kind != PLAIT_CHECK_OTHER && process.comm_of(op) != nullptr &&
                 !process.is_comparable(op);
        }));
  }
  if (operations == 0) return;
  job.notes.push_back(fmt::format(
      "not compared: {} on communicators or windows whose creation was not observed on all members",
      counted(operations, "operation")));
}

void judge_completeness(Job& job) {
  std::map<int, int> seen;
  for (const Process& process : job.processes) {
    ++seen[process.rank];
    note_losses(process, job.notes);
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
  if (!job.comparable) return;
  mark_uncertain(job);
  note_uncertain(job);
}

}  // namespace

const trace::Communicator* Process::comm_of(const plait_check_op& op) const {
  if (op.comm == 0 || op.comm >= comms.size()) return nullptr;
  const std::uint32_t record = comms[op.comm].record;
  return record == 0 || record >= record_comms.size() ? nullptr : &record_comms[record];
}

bool Process::is_comparable(const plait_check_op& op) const {
  return comm_of(op) != nullptr && (comms[op.comm].flags & PLAIT_CHECK_COMM_UNCERTAIN) == 0;
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

std::string Process::name(std::uint32_t offset) const {
  return name_at(names, offset);
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
  const std::size_t most = trace::most_ranks(job.processes.size());
  std::erase_if(job.processes, [&](const Process& process) {
    if (static_cast<std::size_t>(process.world_size) <= most) return false;
    job.notes.push_back(
        fmt::format("rank {} is left out because its number of ranks, {}, is "
                    "impossible",
                    process.rank, process.world_size));
    return true;
  });
  std::stable_sort(job.processes.begin(), job.processes.end(),
                   [](const Process& a, const Process& b) { return a.rank < b.rank; });
  for (const Process& process : job.processes) {
    job.world_size = std::max(job.world_size, process.world_size);
  }
  judge_completeness(job);
  return job;
}

}  // namespace plait::check
