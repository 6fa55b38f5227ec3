// SPDX-License-Identifier: BSD-3-Clause
// The parts of a report that need a trace: analysis.json and the page's timeline.
#include "report/trace_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/analysis.hpp"
#include "analysis/analysis_json.hpp"
#include "analysis/wait_states.hpp"
#include "base/combine.hpp"
#include "base/json_file.hpp"
#include "base/plain_bytes.hpp"
#include "machine/machine_file.hpp"
#include "plait/error.hpp"
#include "report/analysis_lines.hpp"
#include "report/analysis_sentences.hpp"
#include "report/job.hpp"
#include "report/phase_counters.hpp"
#include "report/phase_samples.hpp"
#include "report/progress_setting.hpp"
#include "report/timeline.hpp"
#include "report/timeline_focus.hpp"
#include "report/timeline_samples.hpp"
#include "report/timeline_windows.hpp"
#include "samples/on_trace.hpp"
#include "trace/site_names.hpp"
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

/// The analysis in the run directory; null when it is damaged or older than the trace.
json written_analysis(const fs::path& run_dir) {
  if (!is_up_to_date(run_dir)) return nullptr;
  try {
    json value = read_json_file(run_dir / "analysis.json", analysis::kAnalysisSchema,
                                analysis::kAnalysisVersion);
    // These throw when a field is missing.
    analysis_lines(value, {});
    sampled_phases(value);
    return value;
  } catch (const Error&) {
    return nullptr;
  } catch (const json::exception&) {
    return nullptr;
  }
}

std::optional<machine::MachineFile> machine_of(const fs::path& run_dir) {
  try {
    if (fs::exists(run_dir / "machine.json")) return machine::load(run_dir / "machine.json");
  } catch (const Error&) {
    // The profile reports what is wrong with it.
  }
  return {};
}

analysis::RunMpi mpi_of(const fs::path& run_dir, const std::string& library) {
  analysis::RunMpi mpi{library, ""};
  try {
    mpi.progress_setting = progress_setting(read_run_file(run_dir), library);
  } catch (const Error&) {
    // An imported trace has no run.json.
  }
  return mpi;
}

void add_counters(const fs::path& run_dir, const trace::Trace& trace,
                  const machine::MachineFile* machine, json& analysis) {
  std::vector<std::string> problems, notes;  // the profile has them
  const std::vector<trace::RankRecord> records =
      trace::read_records(run_dir / "records", &problems);
  add_phase_counters(main_job(records, notes), trace, machine, analysis);
}

/// What process 0 tells the others, which share the analysis of a run.
struct Announced {
  std::string run_dir;
  analysis::RunMpi mpi;
  bool with_timeline = false;
};
template <class Archive>
void fields(Archive& archive, Announced& of) {
  archive(of.run_dir, of.mpi.library, of.mpi.progress_setting, of.with_timeline);
}

void announce(const Announced& what, Processes& processes) {
  if (processes.size() == 1) return;
  BytesWriter text;
  text(what);
  processes.exchange(text.take());
}

/// Tells the others that there is nothing to share.
void announce_nothing(Processes& processes) {
  if (processes.size() > 1) processes.exchange("");
}

trace::Trace read_together(const fs::path& run_dir, Processes& processes) {
  trace::Trace trace = trace::read_trace(run_dir, 0, &processes);
  trace::cut_gaps(trace);
  return trace;
}

analysis::Analysis analyze_together(const trace::Trace& trace, const fs::path& run_dir,
                                    const analysis::RunMpi& mpi, Processes& processes) {
  const std::optional<machine::MachineFile> machine = machine_of(run_dir);
  return analysis::analyze(trace, machine && machine->measured ? &*machine->measured : nullptr, mpi,
                           nullptr, 0, &processes);
}

json make_analysis(analysis::Analysis of, const trace::Trace& trace, const fs::path& run_dir,
                   const trace::PlaceNames& names, const std::vector<std::string>& notes,
                   const Profile& profile) {
  of.notes.insert(of.notes.begin(), trace.problems.begin(), trace.problems.end());
  of.notes.insert(of.notes.end(), notes.begin(), notes.end());
  json value = analysis::to_json(of, trace, names.sites);
  value["cpu_taken_fraction"] = profile.cpu_wait_fraction;
  add_sentences(value);
  // A count between two readings cannot be divided among what was recorded and what was not.
  if (!profile.counters.events.empty() && trace.cuts.empty()) {
    const std::optional<machine::MachineFile> machine = machine_of(run_dir);
    add_counters(run_dir, trace, machine ? &*machine : nullptr, value);
  }
  return value;
}

void write_if_possible(const fs::path& run_dir, const json& analysis,
                       const samples::CallTree* tree) {
  try {
    write_json_file(run_dir / "analysis.json", analysis);
    if (tree != nullptr) write_json_file(samples::call_tree_file(run_dir), samples::to_json(*tree));
  } catch (const Error&) {
    // A run directory of another user may be read-only.
  }
}

/// The samples of a run; nothing if it has none with times, or they are damaged.
std::optional<samples::TracedSamples> read_placed(const fs::path& run_dir,
                                                  const trace::Trace& trace, TraceParts& parts) {
  try {
    return samples::samples_on_trace(run_dir, trace);
  } catch (const Error& error) {
    parts.problem = error.what();
    return {};
  }
}

/// How long an event overlaps its call's wait state. The returned function refers to the arguments,
/// which must outlive it.
WaitOfEvent wait_of_events(const trace::Trace& trace, const analysis::Lanes& lanes,
                           const analysis::Waits& waits) {
  return [&](std::uint32_t rank, std::uint32_t stream, std::uint32_t event) -> std::int64_t {
    const analysis::Lanes::Place place = lanes.place_of(rank, stream, event);
    if (place.lane == trace::kNone || place.call == trace::kNone) return 0;
    const std::vector<analysis::Wait>& of_lane = waits.of[place.lane];
    const auto wait = std::lower_bound(
        of_lane.begin(), of_lane.end(), place.call,
        [](const analysis::Wait& one, std::uint32_t call) { return one.call < call; });
    if (wait == of_lane.end() || wait->call != place.call) return 0;
    const trace::Event& shown = trace.ranks[rank].streams[stream].events[event];
    return std::max<std::int64_t>(
        0, std::min(wait->end, shown.end) - std::max(wait->begin, shown.begin));
  };
}

/// Collective among the processes that have parts of the trace.
/// @param names, analysis, ranks  of process 0; see timeline_focus()
/// @returns the timeline on process 0
json make_timeline(const trace::Trace& trace, const trace::PlaceNames& names, const json& analysis,
                   const std::vector<RankRow>& ranks, Processes& processes) {
  const analysis::Lanes lanes = analysis::make_lanes(trace, 0, &processes);
  const analysis::Waits waits = analysis::find_waits(trace, lanes, 0, &processes);
  const std::int64_t longest_wait = end_of_longest_wait(waits, &processes);
  TimelineFocus focus;
  if (processes.rank() == 0) focus = timeline_focus(trace, longest_wait, analysis, ranks);
  broadcast(&processes, 0, focus.times, focus.ranks);
  return timeline_to_json(trace, names, wait_of_events(trace, lanes, waits), focus, {},
                          {0, &processes, waits.messages.get()});
}

/// True if all processes make the timeline of a trace that they read together. A trace that each
/// has as a whole has few ranks or is rare; then process 0 makes it.
bool make_timeline_together(const trace::Trace& trace, bool with_timeline) {
  return with_timeline && trace.is_part;
}

}  // namespace

TraceParts open_trace_parts(const fs::path& run_dir, const Profile& profile, bool with_timeline,
                            Processes& processes) {
  TraceParts parts;
  const bool traced = trace::has_trace(run_dir);
  if (traced) parts.analysis = written_analysis(run_dir);
  bool changed = traced && parts.analysis.is_null();
  analysis::RunMpi mpi;
  if (changed) {
    mpi = mpi_of(run_dir, profile.context.mpi.library);
    announce({fs::absolute(run_dir).string(), mpi, with_timeline}, processes);
  } else {
    announce_nothing(processes);
    if (!traced || !with_timeline) return parts;
  }
  bool sharing = false;  // an error now concerns all processes
  try {
    Processes alone;
    sharing = changed && processes.size() > 1;
    trace::Trace trace = read_together(run_dir, changed ? processes : alone);
    analysis::Analysis of;
    if (changed) {
      of = analyze_together(trace, run_dir, mpi, processes);
    }
    sharing = make_timeline_together(trace, with_timeline);
    std::vector<std::string> notes;
    const trace::PlaceNames names = trace::name_places(trace, notes);
    if (changed) {
      parts.analysis = make_analysis(std::move(of), trace, run_dir, names, notes, profile);
    }
    std::optional<samples::TracedSamples> sampled = read_placed(run_dir, trace, parts);
    if (sampled && add_phase_samples(*sampled, run_of(trace).begin, parts.analysis)) changed = true;
    if (changed) write_if_possible(run_dir, parts.analysis, sampled ? &sampled->tree : nullptr);
    if (with_timeline) {
      if (!sharing) trace.shares.clear();
      parts.timeline =
          make_timeline(trace, names, parts.analysis, profile.ranks, sharing ? processes : alone);
      if (sampled) add_samples(trace, *sampled, parts.timeline);
    }
  } catch (const CommonError& error) {
    parts.problem = error.what();
  } catch (const Error& error) {
    if (sharing) throw;
    parts.problem = error.what();
  }
  return parts;
}

void help_with_trace_parts(Processes& processes) {
  const std::vector<std::string> announced = processes.exchange("");
  if (announced.front().empty()) return;
  Announced what;
  BytesReader(announced.front())(what);
  trace::Trace trace;
  try {
    trace = read_together(what.run_dir, processes);
  } catch (const CommonError&) {
    return;  // process 0 reports it
  }
  analyze_together(trace, what.run_dir, what.mpi, processes);
  if (make_timeline_together(trace, what.with_timeline)) {
    make_timeline(trace, {}, {}, {}, processes);
  }
}

}  // namespace plait::report
