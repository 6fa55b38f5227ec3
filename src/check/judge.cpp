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
#include "check/races.hpp"
#include "check/unsafe_sends.hpp"
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

std::string frame_text(const trace::Frame& frame) {
  return fmt::format("|{}:{}:{}:{}", frame.function, frame.file, frame.line,
                     frame.file.empty() ? frame.module + frame.offset : "");
}

std::string path_text(const Place& place) {
  std::string text = place.function;
  if (place.frames.empty()) text += fmt::format("@{}:{}", place.process, place.site);
  for (const trace::Frame& frame : place.frames) text += frame_text(frame);
  return text;
}

/// Equal for findings to merge.
std::string merge_key(const Finding& finding) {
  std::string key = finding.kind;
  for (const Place& place : finding.places) {
    const bool innermost = finding.is_leak() && !place.frames.empty();
    key.append("#").append(innermost ? place.function + frame_text(place.frames.front())
                                     : path_text(place));
    if (finding.is_leak()) break;  // the others are other paths to the same call
  }
  return key;
}

void merge_place(Place& into, const Place& other) {
  if (into.detail != other.detail && !into.detail_of_one) {
    into.detail_of_one = true;
    if (!into.detail.empty()) {
      into.detail = fmt::format("(rank {}: {})", into.ranks.front(), into.detail);
    }
  }
  into.ranks.insert(into.ranks.end(), other.ranks.begin(), other.ranks.end());
}

void merge(Finding& same, Finding&& finding) {
  if (finding.never_completed) std::swap(same, finding);  // report the one that hangs
  same.count += finding.count;
  if (same.what != finding.what && !same.has_others && !same.never_completed) {
    same.has_others = true;
    same.what += ", and others like it";
  }
  for (std::size_t i = 0; i < finding.places.size(); ++i) {
    Place& place = finding.places[i];
    if (!finding.is_leak()) {
      merge_place(same.places[i], place);
      continue;
    }
    const auto known = std::ranges::find(same.places, path_text(place), path_text);
    if (known == same.places.end()) {
      same.places.push_back(std::move(place));
    } else {
      merge_place(*known, place);
    }
  }
}

const trace::Site* site_of(const Job& job, const Place& place) {
  if (place.process < 0 || place.site == 0) return nullptr;
  const auto& sites = job.processes[static_cast<std::size_t>(place.process)].sites;
  return place.site < sites.size() ? &sites[place.site] : nullptr;
}

/// The findings, symbolized and merged.
std::vector<Finding> named(const Job& job, std::vector<Finding> findings,
                           std::vector<std::string>& notes) {
  findings = merged(std::move(findings));
  name_places(job, findings, notes);
  return merged(std::move(findings));
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
    const auto [at, is_new] = known.try_emplace(merge_key(finding), kept.size());
    if (is_new) {
      kept.push_back(std::move(finding));
    } else {
      merge(kept[at->second], std::move(finding));
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
  const Collectives collectives(job);
  for (std::string& note : messages.notes()) verdict.notes.push_back(std::move(note));
  take(messages.findings());
  take(collectives.findings());
  take(process_findings(job));
  if (deadlock) all.push_back(std::move(*deadlock));
  verdict.findings = named(job, std::move(all), verdict.notes);
  if (!job.is_over || !job.comparable) return verdict;
  all = unsafe_sends(job, messages, collectives);
  Races races = find_races(job, messages, collectives);
  take(std::move(races.findings));
  std::move(races.notes.begin(), races.notes.end(), std::back_inserter(verdict.notes));
  verdict.warnings = named(job, std::move(all), verdict.notes);
  return verdict;
}

}  // namespace plait::check
