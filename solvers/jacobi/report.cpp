// SPDX-License-Identifier: BSD-3-Clause
// Prints the results of a run as text.
#include "report.hpp"

#include <cinttypes>
#include <cstdarg>
#include <cstdio>

#include "numbers.hpp"

namespace plait::jacobi {
namespace {

/// Appends to a string like printf.
[[gnu::format(printf, 2, 3)]] void add(std::string& text, const char* format, ...) {
  char line[512];
  std::va_list values;
  va_start(values, format);
  std::vsnprintf(line, sizeof line, format, values);
  va_end(values);
  text += line;
}

std::string change_text(const Result& result) {
  std::string text;
  add(text, "largest change %.3e", result.iteration.last_change);
  if (result.options.until > 0.0) {
    add(text, ", %s %s", result.iteration.converged ? "reached" : "did not reach",
        number_text(result.options.until).c_str());
  }
  return text + "\n";
}

/// "blocking (automatic)" if automatic has chosen it, otherwise the schedule that was requested.
std::string schedule_text(const Result& result) {
  const bool automatic =
      result.options.temporal == 1 && result.options.schedule.kind == ScheduleKind::automatic;
  if (!automatic) return result.schedule;
  return result.schedule + (result.deciding ? " (automatic, undecided)" : " (automatic)");
}

}  // namespace

std::string report(const Result& result) {
  const Options& options = result.options;
  const Iteration& iteration = result.iteration;
  std::string text;
  add(text, "grid %s on %s ranks x %d %s, %d steps, %s\n", extents_text(options.cells).c_str(),
      extents_text(result.ranks).c_str(), options.threads,
      options.threads == 1 ? "thread" : "threads", iteration.steps, schedule_text(result).c_str());
  if (options.temporal > 1) {
    add(text, "%d sweeps per pass, tiles of %d rows, ", options.temporal, result.block_rows);
  } else {
    add(text, "%s stores, blocks of %d rows, ", result.streaming ? "streaming" : "cached",
        result.block_rows);
  }
  add(text, "%s kernel, %s, map %s\n", result.instruction_set.c_str(), result.transport.c_str(),
      result.map.c_str());
  if (iteration.first_step > 0) {
    add(text, "restarted after step %d of %s\n", iteration.first_step, options.restart.c_str());
  }
  const double updates_per_s = result.updates_per_s();
  add(text, "time %.4f s, %.1f MLUP/s\n", iteration.seconds, updates_per_s / 1e6);
  add(text, "memory traffic %.1f GB/s at least, if the grids are in memory (%.3g B/LUP)\n",
      updates_per_s * result.bytes_per_update() / 1e9, result.bytes_per_update());
  if (result.copy_bytes_per_s > 0.0) {
    const double reached = updates_per_s / result.bound_updates_per_s();
    add(text, "bound %.1f MLUP/s from copying these grids at %.1f GB/s; ",
        result.bound_updates_per_s() / 1e6, result.copy_bytes_per_s / 1e9);
    if (reached <= 1.0) {
      add(text, "reached %.0f %% of it\n", 100.0 * reached);
    } else {
      text += "the run was faster,\n  so the copy was disturbed or the grids fit the caches\n";
    }
  }
  if (iteration.last_change >= 0.0) text += change_text(result);
  if (result.distance) add(text, "distance from the solution %.3e\n", *result.distance);
  add(text, "checksum %016" PRIx64 "\n", result.checksum);
  if (iteration.checkpoints > 0) {
    add(text, "%d checkpoint%s in %.2f s: %s\n", iteration.checkpoints,
        iteration.checkpoints == 1 ? "" : "s", iteration.checkpoint_seconds,
        options.checkpoint.c_str());
  }
  if (!options.output.empty()) add(text, "field: %s\n", options.output.c_str());
  if (result.unlike_reference == 0) {
    text += "check: equal to the serial reference, bit for bit\n";
  } else if (result.unlike_reference > 0) {
    add(text, "check: %" PRId64 " cells differ from the serial reference\n",
        result.unlike_reference);
  }
  if (options.explain) {
    text += "\n" + (result.explanation.empty() ? "Temporal blocking: every rank exchanges ghosts, "
                                                 "then does all sweeps of a pass.\n"
                                               : result.explanation);
    if (text.back() != '\n') text += '\n';
  }
  return text;
}

}  // namespace plait::jacobi
