// SPDX-License-Identifier: BSD-3-Clause
// The MPI job that a profile is about, chosen among the processes of a run.
#include "report/job.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace plait::report {
namespace {

double rank_seconds(const Job& job) {
  double sum = 0;
  for (const trace::RankRecord* record : job.ranks) sum += record->last_s;
  return sum;
}

bool has_rank(const Job& job, int rank) {
  return std::any_of(job.ranks.begin(), job.ranks.end(),
                     [&](const auto* record) { return record->world_rank == rank; });
}

}  // namespace

Job main_job(const std::vector<trace::RankRecord>& records, std::vector<std::string>& notes) {
  std::vector<const trace::RankRecord*> order;
  for (const trace::RankRecord& record : records) {
    if (record.world_rank >= 0) order.push_back(&record);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return a->start_unix_s < b->start_unix_s; });
  std::vector<Job> jobs;
  for (const trace::RankRecord* record : order) {
    const auto mine = std::find_if(jobs.begin(), jobs.end(), [&](const Job& job) {
      return job.world_size == record->world_size && !has_rank(job, record->world_rank);
    });
    if (mine != jobs.end()) {
      mine->ranks.push_back(record);
    } else {
      jobs.push_back({record->world_size, {record}});
    }
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
