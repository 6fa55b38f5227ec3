// SPDX-License-Identifier: BSD-3-Clause
// Call sites in tables and sentences: callers that meet in a wrapper, and names that are too wide.
#include "report/site_text.hpp"

#include <gtest/gtest.h>

#include "synthetic_profiles.hpp"
#include "text/terminal.hpp"

namespace plait::report {
namespace {

TEST(Sites, of_a_wrapper_are_counted_by_caller_or_together) {
  const Profile profile = wrapped_profile();
  const auto apart = sites_by_time(profile, Callers::apart);
  ASSERT_EQ(apart.size(), 3U);
  EXPECT_EQ(site_sentence(apart[0]), "MPI_Waitall at matvec > comm_wait (comm.c:52)");
  EXPECT_DOUBLE_EQ(apart[0].calls.time_s, 9);
  EXPECT_EQ(site_sentence(apart[1]), "MPI_Waitall at exchange_rows > comm_wait (comm.c:52)");
  const auto together = sites_by_time(profile, Callers::together);
  ASSERT_EQ(together.size(), 2U);
  EXPECT_EQ(site_sentence(together[0]), "MPI_Waitall at comm_wait (comm.c:52)");
  EXPECT_DOUBLE_EQ(together[0].calls.time_s, 12);
  EXPECT_EQ(together[0].calls.count, 300U);
}

TEST(Places, that_are_too_wide_lose_namespaces_first) {
  EXPECT_EQ(fitting_place("a::b::solve (cg.c:120)", 40), "a::b::solve (cg.c:120)");
  EXPECT_EQ(fitting_place("a::b::solve (cg.c:120)", 18), "solve (cg.c:120)");
  EXPECT_EQ(fitting_place("solve_everything (cg.c:120)", 16), "s...g (cg.c:120)");
}

TEST(Places, with_a_caller_lose_the_file_before_the_caller) {
  const std::string place = "amg::setup > ... > mpi::detail::wait_all (request.cpp:77)";
  EXPECT_EQ(fitting_place(place, 60), place);
  EXPECT_EQ(fitting_place(place, 51), "amg::setup > mpi::detail::wait_all (request.cpp:77)");
  EXPECT_EQ(fitting_place(place, 42), "amg::setup > wait_all (request.cpp:77)");
  EXPECT_EQ(fitting_place(place, 33), "setup > wait_all (request.cpp:77)");
  EXPECT_EQ(fitting_place(place, 25), "setup > wait_all");
  EXPECT_EQ(fitting_place("hypre_ExchangeExternalRows > hypre_MPI_Waitall (a.c:5)", 38),
            "hypre_Exch...ternalRows > hypr...itall");
  for (std::size_t width = 1; width < 60; ++width) {
    EXPECT_LE(display_width(fitting_place(place, width)), std::max<std::size_t>(width, 4)) << width;
  }
}

}  // namespace
}  // namespace plait::report
