// SPDX-License-Identifier: BSD-3-Clause
// Writes the profile and the page of a run directory.
#include "report/finish.hpp"

#include <fmt/format.h>

#include <optional>

#include "base/json_file.hpp"
#include "plait/error.hpp"
#include "report/build.hpp"
#include "report/page.hpp"
#include "trace/rank_record.hpp"
#include "trace/trace.hpp"

namespace plait::report {
namespace {

namespace fs = std::filesystem;

bool is_up_to_date(const fs::path& run_dir) {
  std::error_code error;
  const fs::file_time_type made = fs::last_write_time(run_dir / "profile.json", error);
  if (error) return false;
  const auto newer = [&](const fs::path& path) {
    const fs::file_time_type changed = fs::last_write_time(path, error);
    return !error && changed > made;
  };
  for (const char* part : {"run.json", "machine.json", "remap.json", "records"}) {
    if (newer(run_dir / part)) return false;
  }
  for (fs::directory_iterator at(run_dir / "records", error), end; !error && at != end;
       at.increment(error)) {
    if (newer(at->path())) return false;
  }
  return true;
}

/// Throws Error when a run has no ranks because its records cannot be read.
void refuse_without_records(const Profile& profile, const fs::path& run_dir) {
  if (!profile.ranks.empty()) return;
  std::vector<std::string> problems;
  if (fs::is_directory(run_dir / "records")) {
    trace::read_records(run_dir / "records", &problems);
  } else {
    problems.emplace_back("the folder 'records' is missing");
  }
  if (problems.empty()) return;
  const std::string again = "run the program again under plait run", &why = problems.front();
  std::string remedy = why.ends_with(again) ? "" : again;
  if (trace::has_trace(run_dir)) {
    remedy += std::string(remedy.empty() ? "" : "; ") +
              "plait replay and plait export can still read its trace";
  }
  throw Error(run_dir.string(), "no readable records: " + why, remedy);
}

/// The profile in the run directory; nothing when it is damaged or older than the records.
std::optional<Profile> written_profile(const fs::path& run_dir) {
  if (!is_up_to_date(run_dir)) return {};
  try {
    return read_profile(run_dir / "profile.json");
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

FinishedRun finish_run(const fs::path& run_dir, bool with_trace) {
  FinishedRun run;
  run.profile = build_profile(run_dir);
  try {
    write_json_file(run_dir / "profile.json", profile_to_json(run.profile));
  } catch (const Error& error) {
    run.problems.emplace_back(error.what());
  }
  Processes alone;
  if (with_trace) run.trace = open_trace_parts(run_dir, run.profile, true, alone);
  try {
    run.page_left_out =
        write_html(run.profile, run_dir, run_dir / "report.html", nullptr, run.trace.timeline);
  } catch (const Error& error) {
    run.problems.emplace_back(error.what());
  }
  return run;
}

Profile open_run(const fs::path& run_dir) {
  const std::optional<Profile> written = written_profile(run_dir);
  const Profile profile = written ? *written : build_profile(run_dir);
  refuse_without_records(profile, run_dir);
  if (written) return profile;
  try {
    write_json_file(run_dir / "profile.json", profile_to_json(profile));
  } catch (const Error&) {
    // A run directory of another user may be read-only.
  }
  return profile;
}

fs::path newest_run(const fs::path& folder) {
  fs::path newest;
  fs::file_time_type when = fs::file_time_type::min();
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const fs::path run = at->path() / "run.json";
    std::error_code absent;
    const fs::file_time_type changed = fs::last_write_time(run, absent);
    if (absent || changed <= when) continue;
    when = changed;
    newest = at->path();
  }
  if (newest.empty()) {
    throw Error(folder.string(), "no run found there",
                "give a run directory, or start one: plait run -- ...");
  }
  return newest;
}

std::string result_of(const fs::path& run_dir) {
  const fs::path page = run_dir / "report.html";
  const fs::path result = fs::exists(page) ? page : run_dir;
  const std::string near = fs::proximate(result).string();
  return near.size() < result.string().size() ? near : result.string();
}

}  // namespace plait::report
