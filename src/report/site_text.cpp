// SPDX-License-Identifier: BSD-3-Clause
// Call sites in sentences and tables of the report.
#include "report/site_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "text/terminal.hpp"
#include "trace/frame_text.hpp"

namespace plait::report {

using trace::site_place;

std::string fitting_place(std::string_view place, std::size_t width) {
  while (display_width(place) > width) {
    const std::size_t qualifier = place.substr(0, place.find(' ')).find("::");
    if (qualifier == std::string_view::npos) break;
    place.remove_prefix(qualifier + 2);
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

}  // namespace plait::report
