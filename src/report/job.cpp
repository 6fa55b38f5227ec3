// SPDX-License-Identifier: BSD-3-Clause
// The MPI job that a profile is about, chosen among the processes of a run.
#include "report/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace plait::report {
namespace {

double rank_seconds(const Job& job) {
  double sum = 0;
  for (const trace::RankRecord* record : job.ranks) sum += record->last_s;
  return sum;
}

}  // namespace

Job main_job(const std::vector<trace::RankRecord>& records, std::vector<std::string>& notes) {
  std::vector<const trace::RankRecord*> order;
  for (const trace::RankRecord& record : records) {
    if (record.world_rank >= 0) order.push_back(&record);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return a->start_unix_s < b->start_unix_s; });
  // The first record of a rank belongs to the first job of its size, the second one to the second.
  std::vector<Job> jobs;
  std::map<int, std::vector<std::size_t>> jobs_of_size;
  std::map<std::pair<int, int>, std::size_t> seen;  // by size and rank
  for (const trace::RankRecord* record : order) {
    std::vector<std::size_t>& same = jobs_of_size[record->world_size];
    const std::size_t number = seen[{record->world_size, record->world_rank}]++;
    if (number == same.size()) {
      same.push_back(jobs.size());
      jobs.push_back({record->world_size, {}});
    }
    jobs[same[number]].ranks.push_back(record);
  }
  if (jobs.empty()) return {};
  const auto longest = std::max_element(jobs.begin(), jobs.end(), [](const Job& a, const Job& b) {
    return rank_seconds(a) < rank_seconds(b);
  });
  if (jobs.size() > 1) {
    notes.push_back(
        fmt::format("{} MPI jobs ran in this run; the report covers the longest, with {} ranks",
                    jobs.size(), longest->world_size));
  }
  std::sort(longest->ranks.begin(), longest->ranks.end(),
            [](const auto* a, const auto* b) { return a->world_rank < b->world_rank; });
  return *longest;
}

bool is_finalized(const trace::RankRecord& record) {
  if (record.state == PLAIT_STATE_FINALIZED) return true;
  return record.state == PLAIT_STATE_EXITED &&
         std::any_of(record.calls.begin(), record.calls.end(),
                     [](const auto& call) { return call.function == "MPI_Finalize"; });
}

}  // namespace plait::report
