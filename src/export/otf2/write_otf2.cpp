// SPDX-License-Identifier: BSD-3-Clause
// Writes a trace as an OTF2 archive.
#include "export/otf2/write_otf2.hpp"

#include <algorithm>
#include <map>
#include <system_error>

#include "base/failure.hpp"
#include "export/event_text.hpp"
#include "plait/error.hpp"

namespace plait::otf2 {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kEventChunk = 1 << 20, kDefinitionChunk = 4 << 20;

OTF2_FlushType flush_always(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}

std::uint64_t size_of(const fs::path& folder) {
  std::uint64_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  return bytes;
}

}  // namespace

std::vector<OTF2_LocationRef> first_locations(const trace::Trace& trace) {
  std::vector<OTF2_LocationRef> first{0};
  for (const trace::Rank& rank : trace.ranks) {
    first.push_back(first.back() + std::max<std::size_t>(rank.streams.size(), 1));
  }
  return first;
}

SiteStrings::SiteStrings(const trace::PlaceNames& names) {
  std::map<std::string, OTF2_StringRef> known;
  for (std::uint32_t site = 0; site < names.sites.size(); ++site) {
    const std::string name = exports::site_text(names, site);
    if (name.empty()) {
      of_site.push_back(OTF2_UNDEFINED_STRING);
      continue;
    }
    const auto [at, is_new] = known.try_emplace(name, static_cast<OTF2_StringRef>(texts.size()));
    if (is_new) texts.push_back(name);
    of_site.push_back(at->second);
  }
}

std::uint64_t write_otf2(const trace::Trace& trace, const trace::PlaceNames& names,
                         const fs::path& folder) {
  const SiteStrings sites(names);
  std::error_code none;
  fs::remove(folder / "traces.otf2", none);
  fs::remove(folder / "traces.def", none);
  fs::remove_all(folder / "traces", none);
  {
    const Archive archive(OTF2_Archive_Open(folder.c_str(), "traces", OTF2_FILEMODE_WRITE,
                                            kEventChunk, kDefinitionChunk, OTF2_SUBSTRATE_POSIX,
                                            OTF2_COMPRESSION_NONE));
    if (!archive)
      throw Failure(folder.string(), "cannot create an OTF2 archive there",
                    "choose another path with -o");
    const OTF2_FlushCallbacks flush = {flush_always, nullptr};
    check(OTF2_Archive_SetFlushCallbacks(archive.get(), &flush, nullptr), folder, "cannot be set");
    check(OTF2_Archive_SetSerialCollectiveCallbacks(archive.get()), folder, "cannot be set");
    OTF2_Archive_SetCreator(archive.get(), "plait " PLAIT_VERSION);
    const std::vector<std::uint64_t> events = write_events(trace, sites, archive.get(), folder);
    check(OTF2_Archive_OpenDefFiles(archive.get()), folder, "cannot be written");
    for (OTF2_LocationRef location = 0; location < events.size(); ++location) {
      OTF2_DefWriter* const writer = OTF2_Archive_GetDefWriter(archive.get(), location);
      check(OTF2_Archive_CloseDefWriter(archive.get(), writer), folder, "cannot be written");
    }
    check(OTF2_Archive_CloseDefFiles(archive.get()), folder, "cannot be written");
    OTF2_GlobalDefWriter* const writer = OTF2_Archive_GetGlobalDefWriter(archive.get());
    write_definitions({trace, names, sites, events}, writer, folder);
    check(OTF2_Archive_CloseGlobalDefWriter(archive.get(), writer), folder, "cannot be written");
  }
  return size_of(folder);
}

}  // namespace plait::otf2
