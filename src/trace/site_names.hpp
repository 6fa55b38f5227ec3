// SPDX-License-Identifier: BSD-3-Clause
// Names of call paths: the place of the call, and the nearest caller that distinguishes the path.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "trace/symbolize.hpp"
#include "trace/trace.hpp"

namespace plait::trace {

/// How reports and exports name a call path.
struct SiteName {
  std::string place;  ///< of the call: "hypre_MPI_Waitall (mpistubs.c:1068)"
  /// The nearest frame in which the path differs from others that meet in this place:
  /// "hypre_ExchangeExternalRows", or "main:120" if only the line differs. Without others, the
  /// nearest one that is not named after MPI, if the place is. Empty: none.
  std::string caller;
  std::size_t caller_frame = 0;  ///< its index in the path; 0: none

  /// "solve > exchange (halo.c:12)"; "solve > ... > exchange (halo.c:12)" if frames are left out.
  [[nodiscard]] std::string text() const;
  bool operator==(const SiteName&) const = default;
};

/// Names call paths so that those which meet in one place have different names.
/// @param paths  frames, innermost first; all paths of a run, because they depend on each other
std::vector<SiteName> name_sites(const std::vector<std::vector<Frame>>& paths);

/// The names of a trace's call sites and regions.
struct PlaceNames {
  std::vector<std::string> sites;         ///< SiteName::text(), by index of Trace::sites
  std::vector<std::string> regions;       ///< by index of Trace::regions
  std::vector<std::vector<Frame>> paths;  ///< by index of Trace::sites
};

/// Runs addr2line.
/// @param notes  receives a sentence about each file whose addresses could not be named
PlaceNames name_places(const Trace& trace, std::vector<std::string>& notes);

}  // namespace plait::trace
