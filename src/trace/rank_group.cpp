// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a group as regular runs: a communicator of 100 000 ranks takes a few bytes.
#include "trace/rank_group.hpp"

#include <algorithm>

namespace plait::trace {

// However ranks were added, the runs are those that adding them one by one would give: each is as
// long as it can be. Equal groups therefore have equal runs.
void RankGroup::append(int first, std::size_t count, std::int64_t stride) {
  for (std::size_t done = 0; done < count;) {
    const std::int64_t rank = first + static_cast<std::int64_t>(done) * stride;
    const std::size_t left = count - done;
    std::size_t added = left;
    if (!runs_.empty()) {
      Run& last = runs_.back();
      const auto has = static_cast<std::int64_t>(size_ - last.begin);
      if (has == 1) last.stride = rank - last.first;
      if (rank == last.first + has * last.stride) {
        added = stride == last.stride ? left : 1;
        size_ += added;
        done += added;
        continue;
      }
    }
    runs_.push_back({size_, static_cast<int>(rank), left > 1 ? stride : 1});
    size_ += added;
    done += added;
  }
}

int RankGroup::operator[](std::size_t index) const {
  const auto behind =
      std::upper_bound(runs_.begin(), runs_.end(), index,
                       [](std::size_t at, const Run& run) { return at < run.begin; });
  const Run& run = *std::prev(behind);
  return static_cast<int>(run.first + static_cast<std::int64_t>(index - run.begin) * run.stride);
}

std::size_t RankGroup::length(const Run& run) const {
  const auto next = static_cast<std::size_t>(&run - runs_.data()) + 1;
  return (next < runs_.size() ? runs_[next].begin : size_) - run.begin;
}

}  // namespace plait::trace
