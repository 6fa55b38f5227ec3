// SPDX-License-Identifier: BSD-3-Clause
// The parts of a heterogeneous job: ranks that run the same program with as many threads.
#include "report/job_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <utility>

#include "machine/cpuset.hpp"

namespace plait::report {
namespace {

constexpr std::size_t kMostParts = 8;

using Key = std::pair<std::string, int>;  // program and threads

std::vector<JobPart> parts_by(const std::vector<Key>& keys, const std::vector<RankRow>& rows) {
  std::map<Key, std::size_t> known;
  std::vector<JobPart> parts;
  std::vector<std::vector<int>> ranks;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const RankRow& row = rows[i];
    const auto [found, added] = known.try_emplace(keys[i], parts.size());
    if (added) {
      parts.push_back({.program = keys[i].first, .ranks = "", .least_threads = row.threads});
      ranks.emplace_back();
    }
    JobPart& part = parts[found->second];
    ranks[found->second].push_back(row.rank);
    part.least_threads = std::min(part.least_threads, row.threads);
    part.most_threads = std::max(part.most_threads, row.threads);
    part.wall_s += row.wall_s;
    part.compute_s += row.compute_s - row.compute_wait_s;
    part.cpu_wait_s += row.compute_wait_s;
    part.mpi_s += row.mpi_s;
    part.omp_idle_s += row.omp_idle_s;
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    parts[i].count = static_cast<int>(ranks[i].size());
    parts[i].ranks = machine::format_ids(ranks[i]);
  }
  return parts;
}

}  // namespace

std::vector<JobPart> job_parts(const Job& job, const std::vector<RankRow>& rows) {
  std::vector<Key> keys;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    keys.emplace_back(std::filesystem::path(job.ranks[i]->program).filename(), rows[i].threads);
  }
  std::vector<JobPart> parts = parts_by(keys, rows);
  if (parts.size() > kMostParts) {
    for (Key& key : keys) key.second = 0;
    parts = parts_by(keys, rows);
  }
  if (parts.size() < 2) parts.clear();
  return parts;
}

std::vector<std::string> part_of_ranks(const std::vector<JobPart>& parts, int ranks) {
  if (parts.empty()) return {};
  std::vector<std::string> names(static_cast<std::size_t>(ranks));
  for (const JobPart& part : parts) {
    const auto same = std::count_if(parts.begin(), parts.end(), [&](const JobPart& other) {
      return other.program == part.program;
    });
    const std::string name = same == 1
                                 ? part.program
                                 : fmt::format("{} ({} threads)", part.program,
                                               threads_text(part.least_threads, part.most_threads));
    for (const int rank : machine::CpuSet::parse(part.ranks).indices()) {
      if (rank < ranks) names[static_cast<std::size_t>(rank)] = name;
    }
  }
  return names;
}

std::string threads_text(int least, int most) {
  return least == most ? std::to_string(most) : fmt::format("{} to {}", least, most);
}

}  // namespace plait::report
