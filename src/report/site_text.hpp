// SPDX-License-Identifier: BSD-3-Clause
// Call sites in sentences and tables of the report.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/profile.hpp"

namespace plait::report {

/// A place of trace::site_place in at most `width` columns: leaves out namespaces first, then cuts
/// the middle.
std::string fitting_place(std::string_view place, std::size_t width);

/// "MPI_Allreduce at solve (cg.c:120)".
std::string site_sentence(const SiteRow& site);

/// True for calls that start or end MPI, whose time is not the program's communication.
bool starts_or_ends_mpi(std::string_view call);

/// The sites of communication, longest time first. Call paths and communicators that meet in one
/// place of the program count as one site; its least time is the sum of theirs.
std::vector<SiteRow> sites_by_time(const Profile& profile);

}  // namespace plait::report
