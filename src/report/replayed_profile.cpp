// SPDX-License-Identifier: BSD-3-Clause
// The run directory and the profile of a replayed trace.
#include "report/replayed_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <system_error>
#include <utility>

#include "base/failure.hpp"
#include "base/json.hpp"
#include "base/json_file.hpp"
#include "base/shell_word.hpp"
#include "plait/error.hpp"
#include "report/build.hpp"
#include "report/findings.hpp"
#include "report/finish.hpp"
#include "report/timeline_bins.hpp"
#include "report/verdict.hpp"
#include "trace/symbolize.hpp"

namespace plait::report {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRecorded = "recorded.json";

double seconds(std::int64_t ns) {
  return static_cast<double>(ns) * 1e-9;
}

/// Time of one function, or of one place, in the trace.
struct CallTime {
  double sum_s = 0, longest_s = 0;
};

/// Calls of a trace by function, and by function and place.
struct CallTimes {
  std::map<std::string, CallTime> by_name;
  std::map<std::pair<std::string, std::string>, double> by_place;
};

std::string path_of(const std::vector<Frame>& frames) {
  std::string text;
  for (const Frame& frame : frames) {
    text += fmt::format("|{}:{}:{}:{}", frame.function, frame.file, frame.line, frame.offset);
  }
  return text;
}

CallTimes call_times(const trace::Trace& trace) {
  trace::Symbolizer symbolizer;
  for (const trace::TraceSite& site : trace.sites) {
    for (const trace::CodeAddress& address : site.frames) symbolizer.want(address);
  }
  std::vector<std::string> ignored;  // the recorded profile has them
  symbolizer.resolve(ignored);
  std::vector<std::string> places;
  for (const trace::TraceSite& site : trace.sites) {
    places.push_back(path_of(symbolizer.user_frames({site.frames})));
  }
  CallTimes times;
  for (const trace::Rank& rank : trace.ranks) {
    for (const trace::Stream& stream : rank.streams) {
      for (const trace::Event& event : stream.events) {
        const trace::Shape& shape = trace.shape(event);
        if (!is_call(shape.kind) || shape.function >= trace.functions.size()) continue;
        const std::string& name = trace.functions[shape.function];
        const double time_s = seconds(event.end - event.begin);
        CallTime& of = times.by_name[name];
        of.sum_s += time_s;
        of.longest_s = std::max(of.longest_s, time_s);
        if (shape.site < places.size()) times.by_place[{name, places[shape.site]}] += time_s;
      }
    }
  }
  return times;
}

/// The time that the main thread spends in calls between the end of Init and Finalize.
double mpi_seconds(const trace::Trace& trace, const trace::Rank& rank) {
  std::int64_t ns = 0;
  if (rank.streams.empty()) return 0;
  for (const trace::Event& event : rank.streams.front().events) {
    if (!is_call(trace.shape(event).kind)) continue;
    ns += std::max<std::int64_t>(0,
                                 std::min(event.end, rank.end) - std::max(event.begin, rank.begin));
  }
  return seconds(ns);
}

double longest_rank_s(const Profile& profile) {
  double longest = 0;
  for (const RankRow& row : profile.ranks) longest = std::max(longest, row.wall_s);
  return longest;
}

/// The start and the end of the job take as long as recorded.
void set_rank_times(const trace::Trace& trace, Profile& profile) {
  const double outside_s = std::max(0.0, profile.wall_s - longest_rank_s(profile));
  for (RankRow& row : profile.ranks) {
    const auto number = static_cast<std::size_t>(row.rank);
    if (number >= trace.ranks.size()) continue;
    const trace::Rank& rank = trace.ranks[number];
    row.wall_s = seconds(rank.end - rank.begin);
    row.mpi_s = std::min(row.wall_s, mpi_seconds(trace, rank));
    row.omp_idle_s = std::min(row.omp_idle_s, row.wall_s - row.mpi_s);
    row.compute_s = row.wall_s - row.mpi_s - row.omp_idle_s;
    row.cpu_wait_s = row.compute_wait_s = row.mpi_wait_s = 0;
    row.voluntary_switches = row.involuntary_switches = 0;
  }
  profile.wall_s = outside_s + longest_rank_s(profile);
}

/// The recorded times of sites are scaled, because several may have one call path.
void set_call_times(const CallTimes& times, Profile& profile) {
  for (CallRow& call : profile.calls) {
    const auto at = times.by_name.find(call.name);
    const CallTime of = at == times.by_name.end() ? CallTime{} : at->second;
    call.time_s = of.sum_s;
    call.max_s = of.longest_s;
  }
  const auto key = [](const SiteRow& site) { return std::pair{site.call, path_of(site.frames)}; };
  std::map<std::pair<std::string, std::string>, double> recorded;
  for (const SiteRow& site : profile.sites) recorded[key(site)] += site.time_s;
  for (SiteRow& site : profile.sites) {
    const auto at = times.by_place.find(key(site));
    const double before = recorded[key(site)];
    const double scale = at == times.by_place.end() || before <= 0 ? 0 : at->second / before;
    for (double* time : {&site.time_s, &site.time_min_s, &site.time_max_s}) *time *= scale;
  }
  std::ranges::stable_sort(profile.calls, std::ranges::greater{}, &CallRow::time_s);
  std::ranges::stable_sort(profile.sites, std::ranges::greater{}, &SiteRow::time_s);
  for (CommunicatorRow& row : profile.communicators) row.time_s = 0;
  for (PeerClassRow& row : profile.peer_classes) row.time_s = 0;
  for (SizeRow& row : profile.sizes) row.time_s = 0;
  profile.regions.clear();
}

}  // namespace

void write_replayed_run(const fs::path& run_dir, const trace::Trace& trace,
                        const trace::EventTimes& times, const std::string& network,
                        const fs::path& to) {
  std::error_code problem;
  if (fs::exists(to) && !fs::is_empty(to, problem)) {
    throw Error(to.string(), "exists and is not an empty folder",
                "choose another path with --output");
  }
  const Profile recorded = open_run(run_dir);
  nlohmann::json run =
      read_json_file(run_dir / "run.json", "plait-run", 1, "run the program again under plait run");
  run["replay"] = {{"network", network}, {"run", run_dir.string()}};
  trace::write_retimed(run_dir, trace, times, to / "trace");
  write_json_file(to / kRecorded, profile_to_json(recorded));
  write_json_file(to / "run.json", run);
  if (fs::exists(run_dir / "machine.json")) {
    fs::copy_file(run_dir / "machine.json", to / "machine.json", problem);
  }
}

Profile replayed_profile(const fs::path& run_dir, const RunFile& run) {
  Profile profile = read_profile(run_dir / kRecorded);
  const trace::Trace trace = trace::read_trace(run_dir);
  set_rank_times(trace, profile);
  set_call_times(call_times(trace), profile);
  profile.contention = {};
  profile.cpu_wait_fraction = 0;
  fill_efficiencies(profile, profile.efficiencies.cpu.value.has_value());
  profile.notes = {fmt::format(
      "this is a replay of {} on the network {}: computation is as recorded, without waiting for a "
      "CPU, and calls take the times of the model; times by partner, size, communicator and region "
      "are unknown",
      run.replay_of, run.replayed_on)};
  profile.findings.clear();
  for (Finding& finding : findings_of(profile)) profile.findings.push_back(std::move(finding));
  sort_findings(profile.findings);
  profile.verdict = verdict(profile, true);
  profile.next = command_text({"plait", "compare", run.replay_of, run_dir.string()});
  profile.created = machine::utc_now();
  return profile;
}

}  // namespace plait::report
