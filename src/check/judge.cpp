// SPDX-License-Identifier: BSD-3-Clause
// Collects, symbolizes and merges the findings of a run.
#include "check/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string_view>

#include "check/collectives.hpp"
#include "check/messages.hpp"
#include "check/process_findings.hpp"
#include "trace/symbolize.hpp"

namespace plait::check {
namespace {

/// Order of findings: those that may hang or give wrong results come first.
int weight(const std::string& kind) {
  static constexpr std::array<std::string_view, 12> kOrder{
      "deadlock",           "invalid_argument",  "collective_kind", "collective_root",
      "collective_missing", "truncated_receive", "type_mismatch",   "collective_operation",
      "collective_count",   "collective_type",   "buffer_changed",  "buffer_overlap"};
  const auto found = std::find(kOrder.begin(), kOrder.end(), kind);
  return static_cast<int>(found - kOrder.begin());
}

std::string path_text(const Place& place) {
  std::string text = place.function;
  if (place.frames.empty()) text += fmt::format("@{}:{}", place.process, place.site);
  for (const trace::Frame& frame : place.frames) {
    text += fmt::format("|{}:{}:{}:{}", frame.function, frame.file, frame.line,
                        frame.file.empty() ? frame.module + frame.offset : "");
  }
  return text;
}

const trace::Site* site_of(const Job& job, const Place& place) {
  if (place.process < 0 || place.site == 0) return nullptr;
  const auto& sites = job.processes[static_cast<std::size_t>(place.process)].sites;
  return place.site < sites.size() ? &sites[place.site] : nullptr;
}

}  // namespace

void name_places(const Job& job, std::vector<Finding>& findings, std::vector<std::string>& notes) {
  trace::Symbolizer symbols;
  for (const Finding& finding : findings) {
    for (const Place& place : finding.places) {
      const trace::Site* site = site_of(job, place);
      for (std::size_t i = 0; site != nullptr && i < site->frames.size(); ++i) {
        symbols.want(site->frames[i]);
      }
    }
  }
  symbols.resolve(notes);
  for (Finding& finding : findings) {
    for (Place& place : finding.places) {
      if (const trace::Site* site = site_of(job, place)) place.frames = symbols.user_frames(*site);
    }
  }
}

std::vector<Finding> merged(std::vector<Finding> findings) {
  std::vector<Finding> kept;
  std::map<std::string, std::size_t> known;
  for (Finding& finding : findings) {
    std::string key = finding.kind;
    for (const Place& place : finding.places) key.append("#").append(path_text(place));
    const auto [at, is_new] = known.try_emplace(key, kept.size());
    if (is_new) {
      kept.push_back(std::move(finding));
      continue;
    }
    Finding& same = kept[at->second];
    if (finding.never_completed) std::swap(same, finding);  // report the one that hangs
    same.count += finding.count;
    for (std::size_t i = 0; i < same.places.size(); ++i) {
      auto& ranks = same.places[i].ranks;
      ranks.insert(ranks.end(), finding.places[i].ranks.begin(), finding.places[i].ranks.end());
    }
  }
  for (Finding& finding : kept) {
    for (Place& place : finding.places) {
      std::sort(place.ranks.begin(), place.ranks.end());
      place.ranks.erase(std::unique(place.ranks.begin(), place.ranks.end()), place.ranks.end());
    }
  }
  std::stable_sort(kept.begin(), kept.end(), [](const Finding& a, const Finding& b) {
    return weight(a.kind) < weight(b.kind);
  });
  return kept;
}

Verdict judge(const Job& job, std::optional<Finding> deadlock) {
  Verdict verdict;
  verdict.notes = job.notes;
  verdict.ranks = static_cast<int>(job.processes.size());
  for (const Process& process : job.processes) verdict.operations += process.ops.size();
  std::vector<Finding> all;
  const auto take = [&](std::vector<Finding> found) {
    std::move(found.begin(), found.end(), std::back_inserter(all));
  };
  const Messages messages(job);
  for (std::string& note : messages.notes()) verdict.notes.push_back(std::move(note));
  take(messages.findings());
  take(Collectives(job).findings());
  take(process_findings(job));
  if (deadlock) all.push_back(std::move(*deadlock));
  all = merged(std::move(all));
  name_places(job, all, verdict.notes);
  verdict.findings = merged(std::move(all));
  return verdict;
}

}  // namespace plait::check
