// SPDX-License-Identifier: BSD-3-Clause
// One process of an imported archive as a source of events for the packer.
#include "export/otf2/imported_source.hpp"

#include <algorithm>
#include <utility>

namespace plait::otf2 {
namespace {

/// When recording begins: as in the archive, otherwise the end of MPI_Init or the first event, ns.
std::int64_t begin_of(const Imported& imported, const Process& process) {
  if (process.recording_ns != std::numeric_limits<std::int64_t>::min()) return process.recording_ns;
  const std::vector<Call>& calls = process.threads.front().calls;
  std::int64_t first = calls.empty() ? 0 : std::numeric_limits<std::int64_t>::max();
  for (const Call& call : calls) {
    const std::string& name = imported.regions[call.region].name;
    if (name == "MPI_Init" || name == "MPI_Init_thread") return call.end_ns;
    first = std::min(first, call.begin_ns);
  }
  return first;
}

bool reached_finalize(const Imported& imported, const Process& process) {
  const std::vector<Call>& calls = process.threads.front().calls;
  return std::ranges::any_of(calls, [&](const Call& call) {
    return imported.regions[call.region].name == "MPI_Finalize";
  });
}

}  // namespace

ImportedSource::ImportedSource(const Imported& imported, std::uint32_t rank, Process& process)
    : encoded_(encode_calls(imported, process)) {
  define(imported, rank, process);
  shapes_ = std::exchange(encoded_.shapes, {});
}

void ImportedSource::define(const Imported& imported, std::uint32_t rank, const Process& process) {
  definitions_.world_rank = static_cast<int>(rank);
  definitions_.world_size = static_cast<int>(imported.processes.size());
  definitions_.pid = static_cast<int>(rank);
  definitions_.host = process.host;
  definitions_.complete = reached_finalize(imported, process);
  definitions_.init_end_ticks =
      static_cast<std::uint64_t>(std::max<std::int64_t>(begin_of(imported, process), 0));
  definitions_.clock.kind = PLAIT_CLOCK_MONOTONIC_NS;
  definitions_.clock.ticks_per_s = 1e9;
  definitions_.clock.at_init.measured = definitions_.clock.at_finalize.measured = 1;
  definitions_.clock.at_finalize.ticks = 1;
  definitions_.functions = encoded_.functions;
  definitions_.regions = encoded_.regions;
  definitions_.sites.resize(1);
  definitions_.comms.resize(1);
  if (!imported.damage.empty()) add_damage(imported.damage);
  for (const std::uint32_t index : encoded_.comms) {
    const ImportedComm& from = imported.comms[index];
    trace::Communicator& comm = definitions_.comms.emplace_back();
    comm.name = from.name;
    comm.members = trace::RankGroup(from.members);
    comm.remote_members = trace::RankGroup(from.remote_members);
    const auto own = [&](const trace::RankGroup& group) {
      return std::find(group.begin(), group.end(), static_cast<int>(rank));
    };
    if (own(comm.members) == comm.members.end()) std::swap(comm.members, comm.remote_members);
    if (comm.members.empty()) std::swap(comm.members, comm.remote_members);
    const auto at = own(comm.members);
    comm.my_rank = at == comm.members.end() ? -1 : static_cast<int>(at - comm.members.begin());
    comm.ordinal = index;
  }
}

trace::EventChunk ImportedSource::chunk(std::size_t index) {
  const Columns& from = encoded_.chunks[index];
  trace::EventChunk out;
  out.thread = from.thread;
  out.tid = static_cast<int>(from.thread);
  out.omp_thread = static_cast<int>(from.thread);
  out.first_ticks = from.first_ticks;
  out.first_request = from.first_request;
  out.shape = from.shape;
  out.gap = from.gap;
  out.duration = from.duration;
  out.words = from.words;
  return out;
}

}  // namespace plait::otf2
