// SPDX-License-Identifier: BSD-3-Clause
// How a call site, a function and a group of ranks are named in sentences and tables.
#include "report/site_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <utility>

#include "report/text.hpp"

namespace plait::report {
namespace {

std::string base_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

}  // namespace

std::string short_function(std::string_view function) {
  std::string name;
  int depth = 0;
  for (std::size_t i = 0; i < function.size(); ++i) {
    const std::string_view rest = function.substr(i);
    if (rest.starts_with("operator")) return std::string(function);
    if (depth == 0 && rest.starts_with("(anonymous namespace)::")) {
      i += std::string_view("(anonymous namespace)::").size() - 1;
      continue;
    }
    if (depth == 0 && function[i] == '(') break;
    if (function[i] == '<') ++depth;
    if (depth == 0) name += function[i];
    if (function[i] == '>') --depth;
  }
  // A template's demangled name begins with its return type.
  const std::size_t blank = name.find_last_of(' ');
  if (blank != std::string::npos && blank + 1 < name.size()) name.erase(0, blank + 1);
  return name.empty() ? std::string(function) : name;
}

std::string site_place(const std::vector<Frame>& frames) {
  if (frames.empty()) return "unknown place";
  const Frame& frame = frames.front();
  const std::string function = short_function(frame.function);
  if (!frame.file.empty()) {
    const std::string where = fmt::format("{}:{}", base_name(frame.file), frame.line);
    return function.empty() ? where : fmt::format("{} ({})", function, where);
  }
  if (!function.empty()) {
    return frame.module.empty() ? function
                                : fmt::format("{} ({})", function, base_name(frame.module));
  }
  if (frame.module.empty()) return "unknown place";
  return fmt::format("{}+{}", base_name(frame.module), frame.offset);
}

std::string fitting_place(const std::vector<Frame>& frames, std::size_t width) {
  return fitting_place(site_place(frames), width);
}

std::string fitting_place(std::string place, std::size_t width) {
  while (display_width(place) > width) {
    const std::size_t qualifier = place.substr(0, place.find(' ')).find("::");
    if (qualifier == std::string::npos) break;
    place.erase(0, qualifier + 2);
  }
  return truncate_middle(place, width);
}

std::string site_sentence(const SiteRow& site) {
  const std::string place = site_place(site.frames);
  return place == "unknown place" ? site.call : fmt::format("{} at {}", site.call, place);
}

bool starts_or_ends_mpi(std::string_view call) {
  constexpr std::array<std::string_view, 5> kNames{"MPI_Init", "MPI_Init_thread", "MPI_Finalize",
                                                   "MPI_Session_init", "MPI_Session_finalize"};
  return std::find(kNames.begin(), kNames.end(), call) != kNames.end();
}

std::vector<SiteRow> sites_by_time(const Profile& profile) {
  std::vector<SiteRow> sites;
  std::map<std::pair<std::string, std::string>, std::size_t> known;
  for (const SiteRow& site : profile.sites) {
    if (starts_or_ends_mpi(site.call)) continue;
    const auto [at, is_new] = known.try_emplace({site.call, site_place(site.frames)}, sites.size());
    if (is_new) {
      sites.push_back(site);
      continue;
    }
    SiteRow& sum = sites[at->second];
    sum.count += site.count;
    sum.bytes += site.bytes;
    sum.time_s += site.time_s;
    sum.time_min_s += site.time_min_s;
    sum.time_max_s += site.time_max_s;
    sum.before_s += site.before_s;
    sum.ranks = std::max(sum.ranks, site.ranks);
  }
  std::stable_sort(sites.begin(), sites.end(),
                   [](const SiteRow& a, const SiteRow& b) { return a.time_s > b.time_s; });
  return sites;
}

std::string name_ranks(const std::vector<int>& ranks) {
  constexpr std::size_t kNamed = 4;
  if (ranks.size() == 1) return fmt::format("rank {}", ranks[0]);
  std::string text = "ranks ";
  const bool all = ranks.size() <= kNamed;
  const std::size_t named = all ? ranks.size() : kNamed - 1;
  for (std::size_t i = 0; i < named; ++i) {
    if (i > 0) text += all && i + 1 == named ? " and " : ", ";
    text += std::to_string(ranks[i]);
  }
  if (!all) text += fmt::format(" and {} more", ranks.size() - named);
  return text;
}

}  // namespace plait::report
