// SPDX-License-Identifier: BSD-3-Clause
// What a run's trace adds to its report: analysis.json, and the page's timeline.
#include "report/trace_parts.hpp"

#include <optional>
#include <vector>

#include "analysis/analysis.hpp"
#include "analysis/analysis_json.hpp"
#include "base/json_file.hpp"
#include "machine/machine_file.hpp"
#include "plait/error.hpp"
#include "report/analysis_lines.hpp"
#include "report/analysis_words.hpp"
#include "report/progress_setting.hpp"
#include "report/timeline.hpp"
#include "report/timeline_waits.hpp"
#include "trace/trace.hpp"

namespace plait::report {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

bool is_up_to_date(const fs::path& run_dir) {
  std::error_code error;
  const fs::file_time_type made = fs::last_write_time(run_dir / "analysis.json", error);
  if (error) return false;
  const auto newer = [&](const fs::path& path) {
    const fs::file_time_type changed = fs::last_write_time(path, error);
    return !error && changed > made;
  };
  if (newer(run_dir / "machine.json")) return false;
  for (const char* folder : {"trace", "records"}) {
    for (fs::directory_iterator at(run_dir / folder, error), end; !error && at != end;
         at.increment(error)) {
      if (newer(at->path())) return false;
    }
  }
  return true;
}

/// The analysis as written before; null when the trace is newer or it is damaged.
json written_analysis(const fs::path& run_dir) {
  if (!is_up_to_date(run_dir)) return nullptr;
  try {
    json value = read_json_file(run_dir / "analysis.json", analysis::kAnalysisSchema,
                                analysis::kAnalysisVersion);
    analysis_lines(value, {});  // throws when a field is missing
    return value;
  } catch (const Error&) {
    return nullptr;
  } catch (const json::exception&) {
    return nullptr;
  }
}

std::optional<machine::Measured> measured_of(const fs::path& run_dir) {
  try {
    if (fs::exists(run_dir / "machine.json"))
      return machine::load(run_dir / "machine.json").measured;
  } catch (const Error&) {
    // The profile says what is wrong with it.
  }
  return {};
}

analysis::RunMpi mpi_of(const fs::path& run_dir, const std::string& library) {
  analysis::RunMpi mpi{library, ""};
  try {
    mpi.progress_setting = progress_setting(read_run_file(run_dir), library);
  } catch (const Error&) {
    // An imported trace: what it was started with is not known.
  }
  return mpi;
}

json make_analysis(const trace::Trace& trace, const fs::path& run_dir, const PlaceNames& names,
                   const std::vector<std::string>& notes, const Profile& profile) {
  const std::optional<machine::Measured> measured = measured_of(run_dir);
  analysis::Analysis of = analysis::analyze(trace, measured ? &*measured : nullptr,
                                            mpi_of(run_dir, profile.context.mpi.library));
  of.notes.insert(of.notes.begin(), trace.problems.begin(), trace.problems.end());
  of.notes.insert(of.notes.end(), notes.begin(), notes.end());
  json value = analysis::to_json(of, trace, names.sites);
  value["cpu_taken_fraction"] = profile.cpu_taken_fraction;
  add_words(value);
  try {
    write_json_file(run_dir / "analysis.json", value);
  } catch (const Error&) {
    // Somebody else's run can be read without being written to.
  }
  return value;
}

json make_timeline(const trace::Trace& trace, const PlaceNames& names) {
  const analysis::Lanes lanes = analysis::make_lanes(trace);
  const analysis::Waits waits = analysis::find_waits(trace, lanes);
  return timeline_to_json(trace, names, wait_of_events(trace, lanes, waits));
}

}  // namespace

TraceParts open_trace_parts(const fs::path& run_dir, const Profile& profile, bool with_timeline) {
  TraceParts parts;
  if (!trace::has_trace(run_dir)) return parts;
  parts.analysis = written_analysis(run_dir);
  if (!parts.analysis.is_null() && !with_timeline) return parts;
  try {
    const trace::Trace trace = trace::read_trace(run_dir);
    std::vector<std::string> notes;
    const PlaceNames names = name_places(trace, notes);
    if (parts.analysis.is_null()) {
      parts.analysis = make_analysis(trace, run_dir, names, notes, profile);
    }
    if (with_timeline) parts.timeline = make_timeline(trace, names);
  } catch (const Error& error) {
    parts.problem = error.what();
  }
  return parts;
}

}  // namespace plait::report
