// SPDX-License-Identifier: BSD-3-Clause
// Names of call paths: the place of the call, and the nearest caller that distinguishes the path.
#include "trace/site_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>

#include "trace/frame_text.hpp"

namespace plait::trace {
namespace {

using Paths = std::vector<std::vector<Frame>>;

/// "solve:120"; without a line the same as frame_name().
std::string with_line(const Frame& frame) {
  const std::string name = frame_name(frame);
  return frame.line > 0 ? fmt::format("{}:{}", name, frame.line) : name;
}

/// True for hypre_MPI_Waitall and boost::mpi::wait_all, but not for compile.
bool is_named_after_mpi(const Frame& frame) {
  const std::string name = frame_name(frame);
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  for (std::size_t at = 0; at + 3 <= name.size(); ++at) {
    const bool begins = at == 0 || std::isalnum(static_cast<unsigned char>(name[at - 1])) == 0;
    if (begins && lower(name[at]) == 'm' && lower(name[at + 1]) == 'p' &&
        lower(name[at + 2]) == 'i')
      return true;
  }
  return false;
}

/// Names the callers of the paths that meet in one place.
class Meeting {
public:
  Meeting(const Paths& paths, const std::vector<std::size_t>& members, std::vector<SiteName>& names)
      : paths_(paths), members_(members), names_(names) {}

  void name_callers() {
    std::size_t longest = 0;
    for (const std::size_t path : members_) longest = std::max(longest, paths_[path].size());
    for (std::size_t frame = 1; frame < longest; ++frame) {
      if (differ(frame, frame_name)) return set_callers(frame, frame_name);
      if (differ(frame, with_line)) return set_callers(frame, with_line);
    }
    for (const std::size_t path : members_) name_behind_mpi(path);
  }

private:
  using NameOf = std::string (*)(const Frame&);

  [[nodiscard]] std::string label(std::size_t path, std::size_t frame, NameOf name_of) const {
    return frame < paths_[path].size() ? name_of(paths_[path][frame]) : "";
  }

  [[nodiscard]] bool differ(std::size_t frame, NameOf name_of) const {
    const std::string first = label(members_.front(), frame, name_of);
    return std::ranges::any_of(
        members_, [&](std::size_t path) { return label(path, frame, name_of) != first; });
  }

  void set_callers(std::size_t frame, NameOf name_of) {
    for (const std::size_t path : members_) {
      if (frame >= paths_[path].size()) continue;
      names_[path].caller = label(path, frame, name_of);
      names_[path].caller_frame = frame;
    }
  }

  void name_behind_mpi(std::size_t path) {
    const std::vector<Frame>& frames = paths_[path];
    const auto behind = std::ranges::find_if_not(frames, is_named_after_mpi);
    if (behind == frames.begin() || behind == frames.end()) return;
    names_[path].caller = frame_name(*behind);
    names_[path].caller_frame = static_cast<std::size_t>(behind - frames.begin());
  }

  const Paths& paths_;
  const std::vector<std::size_t>& members_;
  std::vector<SiteName>& names_;
};

}  // namespace

std::string SiteName::text() const {
  if (caller.empty()) return place;
  return fmt::format("{}{}{}", caller, caller_frame > 1 ? " > ... > " : " > ", place);
}

std::vector<SiteName> name_sites(const Paths& paths) {
  std::vector<SiteName> names;
  std::map<std::string, std::vector<std::size_t>> meetings;
  for (const std::vector<Frame>& path : paths) {
    const std::string& place = names.emplace_back(SiteName{site_place(path), "", 0}).place;
    if (!path.empty()) meetings[place].push_back(names.size() - 1);
  }
  for (const auto& [place, members] : meetings) Meeting(paths, members, names).name_callers();
  return names;
}

PlaceNames name_places(const Trace& trace, std::vector<std::string>& notes) {
  Symbolizer symbolizer;
  for (const TraceSite& site : trace.sites) {
    for (const CodeAddress& address : site.frames) symbolizer.want(address);
  }
  for (const TraceRegion& region : trace.regions) symbolizer.want(region.address);
  symbolizer.resolve(notes);
  PlaceNames names;
  for (const TraceSite& site : trace.sites) {
    names.paths.push_back(symbolizer.user_frames({site.frames}));
  }
  for (const SiteName& name : name_sites(names.paths)) names.sites.push_back(name.text());
  for (const TraceRegion& region : trace.regions) {
    names.regions.push_back(region.name.empty() ? site_place(symbolizer.frames(region.address))
                                                : region.name);
  }
  return names;
}

}  // namespace plait::trace
