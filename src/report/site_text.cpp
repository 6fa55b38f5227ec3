// SPDX-License-Identifier: BSD-3-Clause
// Call sites in sentences and tables of the report.
#include "report/site_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "text/terminal.hpp"

namespace plait::report {

namespace {

constexpr std::string_view kCalls = " > ";
constexpr std::string_view kLeftOut = " > ...";

/// Leaves out the namespace in front, if there is one.
bool drop_namespace(std::string_view& name) {
  const std::size_t qualifier = name.substr(0, name.find(' ')).find("::");
  if (qualifier == std::string_view::npos) return false;
  name.remove_prefix(qualifier + 2);
  return true;
}

/// "name (file:line)" in at most `width` columns. The place stays whole if a fifth of the width is
/// left for the name.
std::string cut_place(std::string_view place, std::size_t width) {
  const std::size_t end = place.ends_with(')') ? place.rfind(" (") : std::string_view::npos;
  if (end == std::string_view::npos || display_width(place) <= width) {
    return truncate_middle(place, width);
  }
  const std::string_view name = place.substr(0, end);
  const std::size_t least = std::min(display_width(name), width / 5);
  const std::string where = truncate_middle(place.substr(end), width - least);
  return truncate_middle(name, width - display_width(where)) + where;
}

/// The names of all call paths of a profile, in the order of its sites.
std::vector<trace::SiteName> names_of(const Profile& profile) {
  std::vector<std::vector<Frame>> paths;
  for (const SiteRow& site : profile.sites) paths.push_back(site.frames);
  return trace::name_sites(paths);
}

void add(SiteRow& sum, const SiteRow& site) {
  sum.count += site.count;
  sum.bytes += site.bytes;
  sum.time_s += site.time_s;
  sum.time_min_s += site.time_min_s;
  sum.time_max_s += site.time_max_s;
  sum.before_s += site.before_s;
  sum.ranks = std::max(sum.ranks, site.ranks);
}

}  // namespace

std::string fitting_place(std::string_view place, std::size_t width) {
  const std::size_t last = place.rfind(kCalls);
  std::string_view caller = last == std::string_view::npos ? "" : place.substr(0, last);
  if (caller.empty()) {
    while (display_width(place) > width && drop_namespace(place)) {
    }
    return cut_place(place, width);
  }
  std::string_view called = place.substr(last + kCalls.size());
  const auto space = [&] {
    const std::size_t used = display_width(called) + kCalls.size();
    return width > used ? width - used : 0;
  };
  const auto fits = [&] { return display_width(caller) <= space(); };
  if (!fits() && caller.ends_with(kLeftOut)) caller.remove_suffix(kLeftOut.size());
  while (!fits() && (drop_namespace(called) || drop_namespace(caller))) {
  }
  if (!fits()) called = called.substr(0, called.find(" ("));
  const std::size_t for_caller = std::min(width, display_width(caller) + kCalls.size());
  const std::string name = truncate_middle(called, std::max(width / 3, width - for_caller));
  called = name;
  return fmt::format("{}{}{}", truncate_middle(caller, space()), kCalls, name);
}

std::string site_sentence(const NamedSite& site) {
  const std::string place = site.name.text();
  return place == "unknown place" ? site.calls.call
                                  : fmt::format("{} at {}", site.calls.call, place);
}

bool starts_or_ends_mpi(std::string_view call) {
  constexpr std::array<std::string_view, 5> kNames{"MPI_Init", "MPI_Init_thread", "MPI_Finalize",
                                                   "MPI_Session_init", "MPI_Session_finalize"};
  return std::find(kNames.begin(), kNames.end(), call) != kNames.end();
}

std::vector<NamedSite> sites_by_time(const Profile& profile, Callers callers) {
  std::vector<NamedSite> sites;
  std::map<std::pair<std::string, std::string>, std::size_t> known;
  const std::vector<trace::SiteName> names = names_of(profile);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const SiteRow& site = profile.sites[i];
    if (starts_or_ends_mpi(site.call)) continue;
    const std::string key = callers == Callers::apart ? names[i].text() : names[i].place;
    const auto [at, is_new] = known.try_emplace({site.call, key}, sites.size());
    if (is_new) {
      sites.push_back({site, names[i]});
      continue;
    }
    NamedSite& sum = sites[at->second];
    add(sum.calls, site);
    if (sum.name.caller != names[i].caller) sum.name.caller.clear();
  }
  std::stable_sort(sites.begin(), sites.end(), [](const NamedSite& a, const NamedSite& b) {
    return a.calls.time_s > b.calls.time_s;
  });
  return sites;
}

}  // namespace plait::report
