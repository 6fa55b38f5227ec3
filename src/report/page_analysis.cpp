// SPDX-License-Identifier: BSD-3-Clause
// The analysis of a trace as the page has it.
#include "report/page_analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "report/page_profile.hpp"

namespace plait::report {
namespace {

using nlohmann::json;

constexpr std::size_t kMostCauses = 256;
constexpr std::size_t kMostPairs = 1024;
constexpr std::size_t kMostPathParts = 2048;

/// Keeps the entries with the largest values, in their order.
/// @returns true if it left some out
template <class Value>
bool keep_largest(json& entries, std::size_t most, Value value) {
  if (entries.size() <= most) return false;
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < entries.size(); ++i) order.emplace_back(-value(entries[i]), i);
  std::sort(order.begin(), order.end());
  order.resize(most);
  std::sort(order.begin(), order.end(),
            [](const auto& a, const auto& b) { return a.second < b.second; });
  json kept = json::array();
  for (const auto& [size, index] : order) kept.push_back(std::move(entries[index]));
  entries = std::move(kept);
  return true;
}

double seconds(const json& entry) {
  return entry.at("seconds").get<double>();
}

/// The means of several rows each.
json bins_of(const json& rows, std::size_t per_bin) {
  json bins = json::array();
  for (std::size_t first = 0; first < rows.size(); first += per_bin) {
    const std::size_t last = std::min(rows.size(), first + per_bin) - 1;
    json bin = rows[first];
    for (auto& [name, value] : bin.items()) {
      if (name == "rank") continue;
      double sum = 0;
      for (std::size_t i = first; i <= last; ++i) sum += rows[i].at(name).get<double>();
      value = sum / static_cast<double>(last - first + 1);
    }
    bin["last_rank"] = rows[last].at("rank");
    bins.push_back(std::move(bin));
  }
  return bins;
}

void shorten(json& analysis) {
  std::vector<std::string> notes;
  const auto cut = [&](json& entries, std::size_t most, const char* what, auto value) {
    const std::size_t all = entries.size();
    if (!keep_largest(entries, most, value)) return;
    notes.push_back(fmt::format("the page has the {} longest of {} {}", most, all, what));
  };
  cut(analysis.at("causes"), kMostCauses, "causes of waiting", seconds);
  cut(analysis.at("messages").at("pairs"), kMostPairs, "pairs of ranks", seconds);
  cut(analysis.at("critical_path").at("parts"), kMostPathParts, "parts of the critical path",
      [](const json& part) {
        return part.at("end_s").get<double>() - part.at("begin_s").get<double>();
      });
  const std::size_t ranks = analysis.at("waiting_s").size();
  if (ranks > kMostPageBins) {
    analysis.erase("waiting_s");
    analysis["rank_count"] = ranks;
    json& rows = analysis.at("imbalance").at("ranks");
    const std::size_t per_bin = ranks_per_bin(ranks, ranks, kMostPageBins);
    rows = bins_of(rows, per_bin);
    notes.push_back(
        fmt::format("each bar of the imbalance diagram is the mean of {} ranks", per_bin));
  }
  for (std::string& note : notes) {
    analysis.at("notes").push_back(note + "; analysis.json has all");
  }
}

}  // namespace

json page_analysis(json analysis) {
  try {
    if (analysis.is_object()) shorten(analysis);
  } catch (const json::exception&) {
    // Of another version: the page says so.
  }
  return analysis;
}

}  // namespace plait::report
