// SPDX-License-Identifier: BSD-3-Clause
// The terminal output of a tuning: the plan, and the result.
#include "tune/tune_lines.hpp"

#include <fmt/format.h>

#include "base/shell_word.hpp"
#include "text/counted.hpp"
#include "text/ratio.hpp"
#include "text/table.hpp"
#include "text/units.hpp"
#include "text/wrap.hpp"
#include "tune/outcomes.hpp"

namespace plait::tune {
namespace {

using Lines = std::vector<std::string>;

void add(const Lines& more, Lines& lines) {
  lines.insert(lines.end(), more.begin(), more.end());
}

/// "chain" of "MPI_Bcast on 4 ranks: chain".
std::string variant_of(const Candidate& candidate) {
  if (!candidate.name.starts_with(candidate.group)) return candidate.name;
  const std::size_t begin = candidate.name.find_first_not_of(": ", candidate.group.size());
  return begin == std::string::npos ? candidate.name : candidate.name.substr(begin);
}

void add_table(const Tuning& tuning, Lines& lines) {
  if (tuning.list.candidates.empty()) return;
  lines.emplace_back();
  lines.emplace_back("old time / new time: median, lowest to highest of the pairs");
  constexpr std::size_t kMostLines = 4;
  Table table({wrapped_column("setting", kMostLines), number_column("pairs"),
               number_column("ratio"), number_column("range"), wrapped_column("", kMostLines)});
  for (const Outcome& outcome : outcomes_of(tuning)) {
    if (!outcome.ratio) {
      table.add({outcome.name, "", "", "", outcome.text});
      continue;
    }
    const auto& [median, low, high] = *outcome.ratio;
    table.add({outcome.name, fmt::format("{}", outcome.pairs), format_ratio(median),
               fmt::format("{}-{}", format_ratio(low), format_ratio(high)), outcome.text});
  }
  add(table.lines(), lines);
}

}  // namespace

std::vector<std::string> candidate_lines(const Tuning& tuning) {
  Lines lines{fmt::format("{} to try{}, most promising first",
                          counted(tuning.list.candidates.size(), "setting"),
                          tuning.tool.empty() ? "" : ", legal according to " + tuning.tool)};
  const std::vector<Candidate>& all = tuning.list.candidates;
  for (std::size_t first = 0; first < all.size();) {
    // Candidates of a group that have the same reason share a line.
    std::string names = all[first].name;
    std::size_t next = first + 1;
    for (; next < all.size() && all[next].group == all[first].group &&
           all[next].reason == all[first].reason;
         ++next) {
      names += ", " + variant_of(all[next]);
    }
    add(wrap_beside("  ", fmt::format("{}: {}", names, all[first].reason)), lines);
    first = next;
  }
  for (const std::string& left_out : tuning.list.left_out) {
    add(wrap_beside("not tried: ", left_out), lines);
  }
  return lines;
}

std::vector<std::string> next_command(
    const Tuning& tuning, const std::filesystem::path& folder,
    const std::vector<std::pair<std::string, std::string>>& files) {
  const SearchResult result = result_of(tuning.search);
  if (result.verdict == Verdict::won && !files.empty()) {
    Lines command{"plait", "apply", files.front().second, "--"};
    command.insert(command.end(), tuning.command.begin(), tuning.command.end());
    return command;
  }
  const bool ended = tuning.state == TuningState::finished;
  const bool needs_budget = result.out_of_budget || (ended && result.may_be_faster);
  if (!ended || needs_budget) {
    Lines command{"plait", "tune", "--resume", folder.string()};
    if (needs_budget) command.insert(command.end(), {"--budget", "30min"});
    return command;
  }
  return {"plait", "advise", tuning.run};
}

std::vector<std::string> result_lines(
    const Tuning& tuning, const std::filesystem::path& folder,
    const std::vector<std::pair<std::string, std::string>>& files) {
  Lines lines = wrap(verdict_of(tuning));
  add_table(tuning, lines);
  lines.emplace_back();
  const std::size_t probes = probes_of(tuning.search);
  add(wrap(fmt::format("{} of {}{}; a gain is reported by chance in at most {} of tunings",
                       counted(runs_of(tuning.search), "run"), format_seconds(tuning.first_s),
                       probes == 0 ? "" : fmt::format(" and {} of a probe", probes),
                       format_percent(tuning.search.rules.error_rate, Zeros::dropped))),
      lines);
  for (const std::string& line : tuning.read_back) add(wrap_beside("Read back: ", line), lines);
  for (const std::string& note : tuning.notes) add(wrap_beside("note: ", note), lines);
  for (const std::string& id : tuning.quarantined) {
    add(wrap_beside("In quarantine: ", id + " (plait doctor lists it)"), lines);
  }
  lines.push_back("JSON:   " + (folder / "tune.json").string());
  for (const auto& [label, path] : files) lines.push_back(fmt::format("{:<8}{}", label, path));
  Lines parts;
  for (const std::string& word : next_command(tuning, folder, files)) {
    parts.push_back(shell_word(word));
  }
  add(wrap_command("Next: ", parts), lines);
  return lines;
}

std::string progress_line(const Tuning& tuning, const Contest& contest, int pair) {
  const std::string names = names_of(tuning, contest.after);
  switch (contest.stage) {
    case Stage::screening:
      return fmt::format("setting {} of {}: {}, {}pair {}", contest.after.front() + 1,
                         tuning.list.candidates.size(), names,
                         is_next_a_probe(tuning.search, contest) ? "probe, " : "", pair);
    case Stage::proving:
      return fmt::format("proving {}, pair {} of at most {}", names, pair,
                         most_pairs(tuning.search, Stage::proving));
    case Stage::combining:
      return fmt::format("combining {}, pair {} of at most {}", names, pair,
                         most_pairs(tuning.search, Stage::combining));
    case Stage::confirming:
      break;
  }
  return fmt::format("confirming {}, pair {} of at most {}", names, pair,
                     most_pairs(tuning.search, Stage::confirming));
}

}  // namespace plait::tune
