// SPDX-License-Identifier: BSD-3-Clause
// Ranks whose records are missing or incomplete, and why.
#include "report/missing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <regex>

#include "base/name_ranks.hpp"
#include "base/short_lines.hpp"
#include "text/units.hpp"

namespace plait::report {
namespace {

constexpr std::size_t kNamedOneByOne = 4;

int number(const std::ssub_match& text) {
  return text.matched && text.length() < 10 ? std::stoi(text.str()) : -1;
}

/// Open MPI: "... noticed that process rank 2 with PID 0 on node n0 exited on signal 9 (Killed)."
/// Its PID is often printed as 0, and is not used.
void find_openmpi(const std::string& output, std::vector<RankSignal>& found) {
  static const std::regex kLine(
      "process rank ([0-9]+) with PID [0-9]+ on node \\S+\\s{1,9}exited on\\s{1,9}signal ([0-9]+)");
  for (std::sregex_iterator at(output.begin(), output.end(), kLine), end; at != end; ++at) {
    found.push_back({number((*at)[1]), -1, number((*at)[2])});
  }
}

/// MPICH: "=   PID 123 RUNNING AT n0\n=   EXIT CODE: 9\n"; Intel MPI: "=   RANK 2 PID 123 RUNNING
/// AT n0\n=   KILLED BY SIGNAL: 9 (Killed)".
void find_hydra(const std::string& output, std::vector<RankSignal>& found) {
  static const std::regex kLines(
      "= +(?:RANK ([0-9]+) )?PID ([0-9]+) RUNNING AT [^\n]*\n= +(EXIT CODE|KILLED BY SIGNAL): "
      "([0-9]+)");
  for (std::sregex_iterator at(output.begin(), output.end(), kLines), end; at != end; ++at) {
    // Hydra also prints a signal as an exit code; only small codes can be signals.
    const int code = number((*at)[4]);
    const bool exited = (*at)[3] == "EXIT CODE" && output.find("(signal ") == output.npos;
    if (code <= 0 || code > 64 || exited) continue;
    found.push_back({number((*at)[1]), number((*at)[2]), code});
  }
}

bool called_abort(const trace::RankRecord& record) {
  return std::any_of(record.calls.begin(), record.calls.end(),
                     [](const trace::CallEntry& call) { return call.function == "MPI_Abort"; });
}

std::string outcome_of(const trace::RankRecord& record, const std::vector<RankSignal>& signals) {
  for (const RankSignal& one : signals) {
    if (one.rank == record.world_rank || (one.rank < 0 && one.pid == record.pid)) {
      return fmt::format("was killed by signal {}", one.signal);
    }
  }
  if (called_abort(record)) return "called MPI_Abort";
  if (record.state == PLAIT_STATE_EXITED) return "exited without MPI_Finalize";
  return "ended without MPI_Finalize";
}

std::string sentence(const trace::RankRecord& record, const std::vector<RankSignal>& signals) {
  return fmt::format("rank {} (pid {}) {}; its records end {} after its start", record.world_rank,
                     record.pid, outcome_of(record, signals), format_seconds(record.last_s));
}

}  // namespace

std::vector<RankSignal> signals_in(const std::string& all) {
  const std::string output = with_short_lines(all);
  std::vector<RankSignal> found;
  find_openmpi(output, found);
  find_hydra(output, found);
  return found;
}

std::string last_output(const std::filesystem::path& run_dir) {
  constexpr std::streamoff kMost = 65536;
  std::string text;
  for (const char* name : {"stdout.txt", "stderr.txt"}) {
    std::ifstream in(run_dir / name, std::ios::binary | std::ios::ate);
    if (!in) continue;
    const std::streamoff size = in.tellg();
    in.seekg(std::max<std::streamoff>(0, size - kMost));
    std::string part(static_cast<std::size_t>(std::min(size, kMost)), '\0');
    in.read(part.data(), static_cast<std::streamsize>(part.size()));
    part.resize(static_cast<std::size_t>(in.gcount()));
    text += part + "\n";
  }
  return text;
}

std::vector<std::string> missing_ranks(const Job& job, const std::vector<RankSignal>& signals) {
  std::vector<const trace::RankRecord*> open;
  std::vector<int> absent;
  std::size_t next = 0;
  for (int rank = 0; rank < job.world_size; ++rank) {
    if (next < job.ranks.size() && job.ranks[next]->world_rank == rank) {
      if (!is_finalized(*job.ranks[next])) open.push_back(job.ranks[next]);
      ++next;
    } else {
      absent.push_back(rank);
    }
  }
  const auto is_cause = [&](const trace::RankRecord* record) {
    return called_abort(*record) || outcome_of(*record, signals).starts_with("was killed");
  };
  std::stable_sort(open.begin(), open.end(), [&](const auto* a, const auto* b) {
    if (is_cause(a) != is_cause(b)) return is_cause(a);
    return a->start_unix_s + a->last_s < b->start_unix_s + b->last_s;
  });
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (i + 1 == kNamedOneByOne && open.size() > kNamedOneByOne) {
      std::vector<int> rest;
      for (; i < open.size(); ++i) rest.push_back(open[i]->world_rank);
      std::sort(rest.begin(), rest.end());
      sentences.push_back(fmt::format("{} also ended without MPI_Finalize", name_ranks(rest)));
      break;
    }
    sentences.push_back(sentence(*open[i], signals));
  }
  if (!absent.empty()) {
    sentences.push_back(
        fmt::format("{} of {} left no records: they were killed before MPI_Init ended, started "
                    "without Plait, or ended on a host that does not share the run directory, from "
                    "where plait collect brings them in",
                    name_ranks(absent), job.world_size));
  }
  return sentences;
}

}  // namespace plait::report
