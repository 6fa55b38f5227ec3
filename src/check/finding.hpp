// SPDX-License-Identifier: BSD-3-Clause
// Findings of plait check.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/symbolize.hpp"

namespace plait::check {

/// A call that is part of a finding.
struct Place {
  std::vector<int> ranks;
  std::string function;              ///< "MPI_Send"
  std::string detail;                ///< "of 4 MPI_INT to rank 1, tag 3 on MPI_COMM_WORLD"
  int process = -1;                  ///< index into Job::processes, to which `site` belongs
  std::uint32_t site = 0;            ///< 0: unknown
  std::vector<trace::Frame> frames;  ///< innermost first; filled in by name_places
  bool detail_of_one = false;        ///< `detail` names the only rank for which it is true
};

/// A defect, with all calls that are part of it.
struct Finding {
  std::string kind;    ///< "deadlock" and others, see docs/reference/check.md
  std::string what;    ///< title
  std::string remedy;  ///< how to fix it
  std::uint64_t count = 1;
  std::vector<Place> places;
  bool never_completed = false;  ///< one of its calls was still open at the end
  bool has_others = false;       ///< `what` is true for one of several; it says so

  /// True if its places are calls that each made an object that nobody freed.
  [[nodiscard]] bool is_leak() const { return kind.ends_with("_leak"); }
};

}  // namespace plait::check
