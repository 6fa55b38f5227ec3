// SPDX-License-Identifier: BSD-3-Clause
// Packs the trace of a run, reports its size, and reads it.
#include "cli/packed_trace.hpp"

#include <fmt/format.h>

#include <exception>
#include <string>

#include "base/combine.hpp"
#include "text/counted.hpp"
#include "text/progress.hpp"
#include "text/units.hpp"
#include "trace/pack.hpp"

namespace plait::cli {
namespace {

void print_size(const trace::PackResult& packed) {
  const double events = static_cast<double>(packed.events);
  std::string clocks;
  if (packed.hosts > 1 && packed.clock_error_s > 0) {
    clocks = fmt::format("; clocks of {} hosts aligned to {}", packed.hosts,
                         format_seconds(packed.clock_error_s));
  }
  fmt::print(stderr, "Trace: {}, {} ({} per event); recording one took {}{}\n",
             counted(packed.events, "event"), format_bytes(packed.bytes),
             format_bytes(packed.events > 0 ? static_cast<double>(packed.bytes) / events : 0.0),
             format_seconds(packed.overhead_ns_per_event * 1e-9), clocks);
}

void warn_of_losses(const trace::PackResult& packed) {
  if (packed.lost_events > 0) {
    fmt::print(stderr,
               "plait: warning: the trace reached its limit: the last {} events are missing; raise "
               "the limit with --trace-limit, or keep the last events with --trace=ring\n",
               format_count(packed.lost_events));
  }
  if (packed.overwritten_events > 0) {
    fmt::print(stderr,
               "plait: the trace has only the last events: {} earlier events were overwritten\n",
               format_count(packed.overwritten_events));
  }
  for (const std::string& problem : packed.problems) {
    fmt::print(stderr, "plait: warning: {}\n", problem);
  }
}

trace::PackResult pack(const std::filesystem::path& run_dir, bool quiet) {
  Progress progress("packing the trace", quiet);
  return trace::pack_trace(run_dir, [&progress](std::size_t done, std::size_t all) {
    progress.part(fmt::format("packing the trace, {} of {} ranks", done, all));
  });
}

}  // namespace

trace::Trace read_trace(const std::filesystem::path& run, Processes* processes) {
  const Progress progress("reading the trace", rank_of(processes) != 0);
  return trace::read_trace(run, 0, processes);
}

void pack_with_summary(const std::filesystem::path& run_dir, bool quiet) {
  try {
    const trace::PackResult packed = pack(run_dir, quiet);
    if (packed.files == 0 && packed.problems.empty()) {
      fmt::print(stderr, "plait: warning: the run wrote no trace; see the notes in the report\n");
      return;
    }
    if (!quiet) print_size(packed);
    warn_of_losses(packed);
  } catch (const std::exception& error) {
    fmt::print(stderr, "plait: warning: {}\n", error.what());
  }
}

}  // namespace plait::cli
