// SPDX-License-Identifier: BSD-3-Clause
// Sentences about what a replay's program leaves out of its trace.
#include "export/left_out.hpp"

#include <fmt/format.h>

namespace plait::exports {

std::vector<std::string> notes_of(const replay::LeftOut& left_out) {
  std::vector<std::string> notes;
  const auto note = [&](std::uint64_t count, const char* what) {
    if (count > 0) notes.push_back(fmt::format("{} {}", count, what));
  };
  note(left_out.without_partner, "operations without a partner in the trace are left out");
  note(left_out.other_threads, "operations of threads other than the main ones are left out");
  note(left_out.as_recorded, "calls that move data otherwise keep their recorded time");
  return notes;
}

}  // namespace plait::exports
