// SPDX-License-Identifier: BSD-3-Clause
// Names of call paths that meet in wrappers.
#include "trace/site_names.hpp"

#include <gtest/gtest.h>

#include "trace/python_frame.hpp"

namespace plait::trace {
namespace {

using Paths = std::vector<std::vector<Frame>>;

Frame at(const std::string& function, int line) {
  return {function, "/a/amg.c", line, "/a/amg", "0x1"};
}

Frame bare(const std::string& function, const std::string& offset) {
  return {function, "", 0, "/a/amg", offset};
}

std::vector<std::string> texts(const Paths& paths) {
  std::vector<std::string> all;
  for (const SiteName& name : name_sites(paths)) all.push_back(name.text());
  return all;
}

using Texts = std::vector<std::string>;

TEST(SiteNames, without_a_second_path_are_the_place) {
  EXPECT_EQ(texts({{at("solve", 5), at("main", 9)}, {at("dot", 7), at("main", 3)}, {}}),
            (Texts{"solve (amg.c:5)", "dot (amg.c:7)", "unknown place"}));
}

TEST(SiteNames, have_the_nearest_caller_that_differs) {
  const Frame wait = at("comm_wait", 5), destroy = at("handle_destroy", 8);
  const Paths paths{{wait, destroy, at("exchange_rows", 20), at("main", 3)},
                    {wait, destroy, at("matvec", 30), at("cycle", 1), at("main", 4)},
                    {wait, destroy, at("matvec", 30), at("setup", 2), at("main", 4)}};
  EXPECT_EQ(texts(paths),
            (Texts{"exchange_rows > ... > comm_wait (amg.c:5)",
                   "matvec > ... > comm_wait (amg.c:5)", "matvec > ... > comm_wait (amg.c:5)"}));
  EXPECT_EQ(name_sites(paths)[0], (SiteName{"comm_wait (amg.c:5)", "exchange_rows", 2}));
}

TEST(SiteNames, have_the_callers_line_if_functions_are_the_same) {
  const Frame wait = at("wait", 5);
  EXPECT_EQ(texts({{wait, at("main", 3)}, {wait, at("main", 4)}}),
            (Texts{"main:3 > wait (amg.c:5)", "main:4 > wait (amg.c:5)"}));
  EXPECT_EQ(texts({{wait, at("main", 3)}, {wait, at("main", 4)}, {wait, at("init", 4)}}),
            (Texts{"main > wait (amg.c:5)", "main > wait (amg.c:5)", "init > wait (amg.c:5)"}));
}

TEST(SiteNames, need_no_debug_information) {
  // A name does not distinguish calls from two addresses of one function.
  EXPECT_EQ(texts({{bare("wait", "0x10"), bare("step", "0x20"), bare("a", "0x60")},
                   {bare("wait", "0x18"), bare("step", "0x28"), bare("b", "0x70")}}),
            (Texts{"a > ... > wait (amg)", "b > ... > wait (amg)"}));
  EXPECT_EQ(
      texts({{bare("wait", "0x10"), bare("", "0x20")}, {bare("wait", "0x10"), bare("", "0x28")}}),
      (Texts{"amg+0x20 > wait (amg)", "amg+0x28 > wait (amg)"}));
}

TEST(SiteNames, of_a_path_that_ends_early_have_no_caller) {
  EXPECT_EQ(texts({{at("wait", 5)}, {at("wait", 5), at("main", 3)}}),
            (Texts{"wait (amg.c:5)", "main > wait (amg.c:5)"}));
}

TEST(SiteNames, of_wrappers_that_are_named_after_mpi_have_a_caller) {
  EXPECT_EQ(texts({{at("hypre_MPI_Waitall", 5), at("exchange", 8), at("main", 3)}}),
            Texts{"exchange > hypre_MPI_Waitall (amg.c:5)"});
  EXPECT_EQ(texts({{at("boost::mpi::detail::all_reduce_impl<int>(int)", 5),
                    at("boost::mpi::all_reduce<int>(int)", 6), at("norm(int)", 8)}}),
            Texts{"norm > ... > boost::mpi::detail::all_reduce_impl (amg.c:5)"});
  EXPECT_EQ(texts({{at("compile", 5), at("main", 3)}}), Texts{"compile (amg.c:5)"});
  EXPECT_EQ(texts({{at("mpi_test", 5)}}), Texts{"mpi_test (amg.c:5)"});
}

TEST(SiteNames, of_python_have_file_and_line) {
  const auto line = [](const std::string& function, int number) {
    return Frame{function, "/a/heat.py", number, "", ""};
  };
  const Frame halo = line("Halo.exchange", 12);
  EXPECT_EQ(
      texts({{halo, line("<module>", 30)}, {halo, line("<module>", 40)}, {line("<module>", 2)}}),
      (Texts{"heat.py:30 > Halo.exchange (heat.py:12)", "heat.py:40 > Halo.exchange (heat.py:12)",
             "heat.py:2"}));
}

TEST(PlaceNames, of_a_trace_are_those_of_the_users_code) {
  Trace trace;
  trace.sites.resize(4);
  trace.sites[1].frames = {{"/x/mpi4py/MPI.so", 0x10, 0},
                           python_address("step", "/a/heat.py", 12),
                           python_address("_call", "<frozen importlib._bootstrap>", 241),
                           python_address("<module>", "/a/heat.py", 30)};
  trace.sites[2].frames = {{"/x/mpi4py/MPI.so", 0x10, 0}, {"/usr/bin/python3", 0x20, 0}};
  trace.sites[3].frames = {{"/usr/lib/libgomp.so.1", 0x10, 0}, {"/a/heat", 0x20, 0}};
  trace.regions.push_back({"solve", {}, kNone});
  std::vector<std::string> notes;
  const PlaceNames names = name_places(trace, notes);
  EXPECT_EQ(names.sites,
            (Texts{"unknown place", "step (heat.py:12)", "unknown line of Python", "heat+0x20"}));
  EXPECT_EQ(names.regions, Texts{"solve"});
  ASSERT_EQ(names.paths[1].size(), 2U);
  EXPECT_EQ(names.paths[1][1], (Frame{"<module>", "/a/heat.py", 30, "", ""}));
}

}  // namespace
}  // namespace plait::trace
