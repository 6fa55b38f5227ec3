// SPDX-License-Identifier: BSD-3-Clause
// Prints the contents of record files, one fact per line, for the tests of the preload objects.
//
//   dump_records <folder>    `call NAME count bytes` (summed over ranks), `rank ...`, `peer ...`
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "plait/error.hpp"
#include "trace/rank_record.hpp"

namespace {

void print_process(const plait::trace::RankRecord& record) {
  const auto& path = record.program;
  std::printf(
      "rank %d of %d state %d abi %d threads %zu lost %llu unresolved %llu overhead %.1f ns "
      "library \"%.20s\" program %s\n",
      record.world_rank, record.world_size, static_cast<int>(record.state),
      static_cast<int>(record.abi), record.threads.size(),
      static_cast<unsigned long long>(record.lost_calls),
      static_cast<unsigned long long>(record.unresolved_calls), record.overhead_ns_per_call,
      record.library.c_str(), path.substr(path.rfind('/') + 1).c_str());
  for (const auto& peer : record.peers)
    std::printf("peer %d -> %d %s %llu %llu\n", record.world_rank, peer.world_rank,
                peer.collective ? "collective" : "message",
                static_cast<unsigned long long>(peer.messages),
                static_cast<unsigned long long>(peer.bytes));
  for (const auto& comm : record.comms)
    std::printf("comm %d \"%s\" rank %d size %zu+%zu ordinal %u\n", record.world_rank,
                comm.name.c_str(), comm.my_rank, comm.members.size(), comm.remote_members.size(),
                comm.ordinal);
  for (const auto& region : record.regions)
    std::printf("region %s %.9f s MPI %.9f s\n", region.name.c_str(), region.time_s, region.mpi_s);
  for (const auto& name : record.unseen_entry_points) std::printf("unseen %s\n", name.c_str());
  for (const auto& note : record.notes) std::printf("note %s\n", note.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  struct Sum {
    unsigned long long count = 0, bytes = 0;
    std::map<std::string, unsigned long long> sites;
  };
  std::map<std::string, Sum> sums;
  std::vector<std::string> problems;
  try {
    for (const auto& record : plait::trace::read_records(argv[1], &problems)) {
      print_process(record);
      for (const auto& call : record.calls) {
        auto& sum = sums[call.function.text()];
        sum.count += call.count;
        sum.bytes += call.bytes;
        const auto& frames = record.sites[call.site].frames;
        const std::string module = frames.empty() ? "?" : frames[0].module.text();
        char place[64];
        std::snprintf(place, sizeof place, "+%llx",
                      static_cast<unsigned long long>(frames.empty() ? 0 : frames[0].offset));
        sum.sites[module.substr(module.rfind('/') + 1) + place] += call.count;
      }
    }
  } catch (const plait::Error& error) {
    std::fprintf(stderr, "dump_records: %s\n", error.what());
    return 1;
  }
  for (const auto& [name, sum] : sums) {
    std::printf("call %s %llu %llu\n", name.c_str(), sum.count, sum.bytes);
    for (const auto& [place, count] : sum.sites)
      std::printf("  site %s %llu\n", place.c_str(), count);
  }
  for (const auto& problem : problems) std::printf("problem %s\n", problem.c_str());
  return 0;
}
