// SPDX-License-Identifier: BSD-3-Clause
// Call sites in sentences and tables of the report.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/profile.hpp"
#include "trace/site_names.hpp"

namespace plait::report {

/// The text of a trace::SiteName in at most `width` columns: leaves out namespaces first, then the
/// file of a place that has a caller, then cuts names in the middle. Of a place without a caller
/// the file and line stay whole if there is room for a part of the name.
std::string fitting_place(std::string_view place, std::size_t width);

/// Calls of one function, by the name of their site.
struct NamedSite {
  SiteRow calls;
  trace::SiteName name;
};

/// "MPI_Allreduce at solve (cg.c:120)", "MPI_Waitall at solve > exchange (halo.c:12)".
std::string site_sentence(const NamedSite& site);

/// True for calls that start or end MPI, whose time is not the program's communication.
bool starts_or_ends_mpi(std::string_view call);

/// How calls from one place of the program are counted that callers distinguish.
enum class Callers { apart, together };

/// The sites of communication, longest time first. Call paths and communicators that have one name
/// count as one site; its least time is the sum of theirs. A site at which callers are counted
/// together has no caller in its name, unless there is only one.
std::vector<NamedSite> sites_by_time(const Profile& profile, Callers callers);

}  // namespace plait::report
