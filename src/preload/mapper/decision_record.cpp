// SPDX-License-Identifier: BSD-3-Clause
// Records the decision for each topology, for the run's report.
#include "preload/mapper/decision_record.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>
#include <string>

#include "preload/file_name.hpp"
#include "preload/own_files.hpp"
#include "preload/record_folder.hpp"
#include "preload/uncancelled.hpp"

namespace plait::preload::mapper {
namespace {

constexpr int kMostRecords = 256;

/// The file of this process, or -1.
int open_records() {
  static char path[PATH_MAX];  // of the file, once this process has created it
  static bool in_spool;
  constexpr int kFlags = O_WRONLY | O_APPEND;
  if (*path) return open_own(path, in_spool, kFlags);
  const RecordFolder folder = record_folder();
  if (!folder.path) return -1;
  char name[PATH_MAX];
  int file = -1;
  for (int i = 0; i < kMostNames && file < 0; ++i) {
    if (!new_file_name(folder.path, ".map", name, sizeof name)) return -1;
    file = open_own(name, folder.spool, kFlags | O_CREAT | O_EXCL);
    if (file < 0 && errno != EEXIST) return -1;
  }
  in_spool = folder.spool;
  if (file >= 0) std::memcpy(path, name, sizeof path);
  return file;
}

std::string text(const mapping::Score& score) {
  char line[256];
  std::snprintf(line, sizeof line,
                R"({"time_s":%.9g,"cut_bytes":%.9g,"busiest_node_bytes":%.9g,"cut_pairs":%lld})",
                score.time_s, score.cut, score.busiest_node,
                static_cast<long long>(score.cut_pairs));
  return line;
}

}  // namespace

std::string record_line(const DecisionRecord& record) {
  const mapping::MappingResult& result = record.result;
  std::set<int> nodes;
  for (int slot = 0; slot < record.request.slots.size(); ++slot)
    nodes.insert(record.request.slots.node_of(slot));
  char numbers[128];
  std::snprintf(numbers, sizeof numbers,
                R"("processes":%d,"vertices":%d,"nodes":%zu,"pairs":%lld,"solve_s":%.6f)",
                record.request.slots.size(), record.topology.graph.size(), nodes.size(),
                static_cast<long long>(result.before.pairs), record.solve_s);
  return R"({"map":1,"call":")" + record.topology.call + R"(","shape":")" + record.topology.shape +
         R"(",)" + numbers + R"(,"method":")" + result.method + R"(","reordered":)" +
         (result.nothing_to_gain ? "false" : "true") + R"(,"before":)" + text(result.before) +
         R"(,"after":)" + text(result.after) + "}\n";
}

void keep_record(const std::string& line) noexcept {
  static std::atomic<int> kept{0};
  static std::mutex lock;
  if (line.empty() || kept.fetch_add(1) >= kMostRecords) return;
  const std::lock_guard hold(lock);
  const int file = open_records();
  if (file < 0) return;
  // The reader skips a line that could not be written completely.
  [[maybe_unused]] const ssize_t written = uncancelled::write(file, line.data(), line.size());
  uncancelled::close(file);
}

}  // namespace plait::preload::mapper
