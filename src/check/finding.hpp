// SPDX-License-Identifier: BSD-3-Clause
// What plait check found, and where.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/profile.hpp"

namespace plait::check {

/// A call that takes part in a finding.
struct Place {
  std::vector<int> ranks;
  std::string function;               ///< "MPI_Send"
  std::string detail;                 ///< "of 4 MPI_INT to rank 1, tag 3 on MPI_COMM_WORLD"
  int process = -1;                   ///< index into Job::processes, whose `site` it is
  std::uint32_t site = 0;             ///< 0: unknown
  std::vector<report::Frame> frames;  ///< innermost first; filled in by name_places
};

struct Finding {
  std::string kind;    ///< "deadlock"; docs/check.md lists them
  std::string what;    ///< one sentence
  std::string remedy;  ///< one sentence
  std::uint64_t count = 1;
  std::vector<Place> places;
  bool never_completed = false;  ///< a call of it was still open at the end
};

}  // namespace plait::check
