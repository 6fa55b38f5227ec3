// SPDX-License-Identifier: BSD-3-Clause
// How a call site, a function and a group of ranks are named in sentences and tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/profile.hpp"

namespace plait::report {

/// "solve (cg.c:120)"; without debug information "solve (app)", without a symbol "app+0x1234".
std::string site_place(const std::vector<Frame>& frames);

/// The same in at most `width` columns: without its namespaces first, then with its middle cut.
std::string fitting_place(const std::vector<Frame>& frames, std::size_t width);

/// The same of a place as site_place gives it.
std::string fitting_place(std::string place, std::size_t width);

/// A C++ function without its parameters and template arguments: "solver::step".
std::string short_function(std::string_view function);

/// "MPI_Allreduce at solve (cg.c:120)".
std::string site_sentence(const SiteRow& site);

/// Whether a call starts or ends MPI: its time is not the program's communication.
bool starts_or_ends_mpi(std::string_view call);

/// The sites of communication, those that took the most time first. Call paths and communicators
/// that meet in one place of the program are one site here; of their least times the sum is taken.
std::vector<SiteRow> sites_by_time(const Profile& profile);

/// "rank 3", "ranks 1 and 2", "ranks 1, 2, 5 and 7 more".
std::string name_ranks(const std::vector<int>& ranks);

}  // namespace plait::report
