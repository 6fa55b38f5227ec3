// SPDX-License-Identifier: BSD-3-Clause
// Names the sites and regions of a trace by their debug information.
#include "report/site_text.hpp"
#include "report/symbolize.hpp"
#include "report/timeline.hpp"

namespace plait::report {

PlaceNames name_places(const trace::Trace& trace, std::vector<std::string>& notes) {
  Symbolizer symbolizer;
  for (const trace::TraceSite& site : trace.sites) {
    for (const trace::CodeAddress& address : site.frames) symbolizer.want(address);
  }
  for (const trace::TraceRegion& region : trace.regions) symbolizer.want(region.address);
  symbolizer.resolve(notes);
  PlaceNames names;
  for (const trace::TraceSite& site : trace.sites) {
    names.sites.push_back(site_place(symbolizer.user_frames({site.frames})));
  }
  for (const trace::TraceRegion& region : trace.regions) {
    names.regions.push_back(region.name.empty() ? site_place(symbolizer.frames(region.address))
                                                : region.name);
  }
  return names;
}

}  // namespace plait::report
