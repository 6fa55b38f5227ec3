// SPDX-License-Identifier: BSD-3-Clause
// Keeps what was decided for each topology, for the run's report.
#include "preload/mapper/decision_record.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

namespace plait::preload::mapper {
namespace {

constexpr int kMostRecords = 256;

std::string record_path() {
  const char* folder = std::getenv("PLAIT_RECORD_SPOOL");
  if (!folder || !*folder) folder = std::getenv("PLAIT_RECORDS");
  if (!folder || !*folder) return "";
  char host[256] = "host";
  gethostname(host, sizeof host - 1);
  return std::string(folder) + '/' + host + '-' + std::to_string(getpid()) + ".map";
}

std::string text(const map::Score& score) {
  char line[256];
  std::snprintf(line, sizeof line,
                R"({"time_s":%.9g,"cut_bytes":%.9g,"busiest_node_bytes":%.9g,"cut_pairs":%lld})",
                score.time_s, score.cut, score.busiest_node,
                static_cast<long long>(score.cut_pairs));
  return line;
}

}  // namespace

void keep_record(const DecisionRecord& record) {
  static std::atomic<int> kept{0};
  const std::string path = record_path();
  if (path.empty() || kept.fetch_add(1) >= kMostRecords) return;
  const map::MappingResult& result = record.result;
  std::set<int> nodes;
  for (int slot = 0; slot < record.request.slots.size(); ++slot)
    nodes.insert(record.request.slots.node_of(slot));
  char numbers[128];
  std::snprintf(numbers, sizeof numbers,
                R"("processes":%d,"vertices":%d,"nodes":%zu,"pairs":%lld,"solve_s":%.6f)",
                record.request.slots.size(), record.topology.graph.size(), nodes.size(),
                static_cast<long long>(result.before.pairs), record.solve_s);
  const std::string line = R"({"map":1,"call":")" + record.topology.call + R"(","shape":")" +
                           record.topology.shape + R"(",)" + numbers + R"(,"method":")" +
                           result.method + R"(","reordered":)" +
                           (result.nothing_to_gain ? "false" : "true") + R"(,"before":)" +
                           text(result.before) + R"(,"after":)" + text(result.after) + "}\n";
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) return;
  // A line that could not be written whole is left out by its reader.
  [[maybe_unused]] const ssize_t written = write(file, line.data(), line.size());
  close(file);
}

}  // namespace plait::preload::mapper
