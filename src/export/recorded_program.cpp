// SPDX-License-Identifier: BSD-3-Clause
// The steps of a trace for formats that other simulators replay (Dimemas, SimGrid).
#include "export/recorded_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "plait/error.hpp"

namespace plait::exports {

void require_ranks(const Request& request) {
  if (request.trace.ranks.empty()) {
    throw Error(request.output.string(), "nothing to write: the trace has no ranks", "");
  }
}

RecordedProgram::RecordedProgram(const trace::Trace& trace, Processes* processes)
    : order_(trace, processes) {
  replay::TraceProgramOptions options;
  options.processes = processes;
  options.tags = &order_.numbers();
  options.left_out = &left_out_;
  program_ = replay::program_of(trace, options);
  first_start_s_ = std::numeric_limits<double>::max();
  for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
    first_start_s_ = std::min(first_start_s_, program_->start_s(rank));
  }
}

std::vector<std::string> RecordedProgram::notes() const {
  std::vector<std::string> notes;
  const auto note = [&](std::uint64_t count, const char* what) {
    if (count > 0) notes.push_back(fmt::format("{} {}", count, what));
  };
  note(left_out_.without_partner, "operations without a partner in the trace are left out");
  note(left_out_.other_threads, "operations of threads other than the main threads are left out");
  note(left_out_.as_recorded, "calls that move data in other ways keep their recorded time");
  return notes;
}

}  // namespace plait::exports
