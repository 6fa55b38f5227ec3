// SPDX-License-Identifier: BSD-3-Clause
// Names of code addresses: the output of addr2line and nm, and how functions and places are
// printed.
#include "trace/symbolize.hpp"

#include <gtest/gtest.h>

#include "trace/frame_text.hpp"

namespace plait::trace {
namespace {

TEST(Addr2line, output_is_read_with_inlined_frames) {
  const auto found = parse_addr2line(
      "0x0000000000001139\nstep\n/a/cg.c:12 (discriminator 3)\nmain\n/a/main.c:30\n"
      "0x0000000000002000\n??\n??:0\n0x0000000000003000\nMPI_Wrap\n??:?\n",
      "/a/cg");
  ASSERT_EQ(found.size(), 3U);
  const std::vector<Frame> inlined{{"step", "/a/cg.c", 12, "/a/cg", "0x1139"},
                                   {"main", "/a/main.c", 30, "/a/cg", "0x1139"}};
  EXPECT_EQ(found.at(0x1139), inlined);
  EXPECT_EQ(found.at(0x2000), (std::vector<Frame>{{"", "", 0, "/a/cg", "0x2000"}}));
  EXPECT_EQ(found.at(0x3000), (std::vector<Frame>{{"MPI_Wrap", "", 0, "/a/cg", "0x3000"}}));
}

TEST(Nm, functions_have_extents) {
  const FunctionExtents functions = parse_nm(
      "0000000000001130 0000000000000020 T step\n0000000000002000 0000000000000008 D table\n"
      "0000000000003000 T without_size\n0000000000004000 0000000000000005 W Error::~Error()\n"
      "nm: /a/b: no symbols\n");
  EXPECT_EQ(functions, (FunctionExtents{{0x1130, 0x1150}, {0x4000, 0x4005}}));
}

TEST(Nm, takes_names_from_addresses_behind_the_function) {
  const Frame known{"step", "", 0, "/a", "0x1149"}, with_line{"f", "/f.c", 3, "/a", "0x5000"};
  std::map<std::uint64_t, std::vector<Frame>> frames{
      {0x1149, {known}},
      {0x40e4, {{"Error::~Error()", "", 0, "/a", "0x40e4"}}},
      {0x5000, {with_line}}};
  clear_wrong_names({{0x1130, 0x1150}, {0x4000, 0x4005}}, frames);
  EXPECT_EQ(frames.at(0x1149), std::vector<Frame>{known});
  EXPECT_EQ(frames.at(0x40e4), (std::vector<Frame>{{"", "", 0, "/a", "0x40e4"}}));
  EXPECT_EQ(frames.at(0x5000), std::vector<Frame>{with_line});
}

TEST(Addresses, of_files_that_are_gone_keep_module_and_offset) {
  const CodeAddress gone{"/nowhere/app", 0x10, 0};
  Symbolizer symbolizer;
  std::vector<std::string> notes;
  symbolizer.want(gone);
  symbolizer.resolve(notes);
  EXPECT_EQ(symbolizer.frames(gone), (std::vector<Frame>{{"", "", 0, "/nowhere/app", "0x10"}}));
}

TEST(Modules, of_mpi_libraries_are_known) {
  for (const char* name : {"/usr/lib/libmpi.so.40", "/x/libmpi_mpifh.so.40", "libmpifort.so.12",
                           "/x/libplait-mpich.so", "mca_pml_ob1.so", "/x/libmpi_abi.so.1"}) {
    EXPECT_TRUE(is_mpi_module(name)) << name;
  }
  for (const char* name : {"/a/cg", "MPI.cpython-311-x86_64-linux-gnu.so", "liblammps.so.0"}) {
    EXPECT_FALSE(is_mpi_module(name)) << name;
  }
}

TEST(SitePlaces, name_what_is_known) {
  EXPECT_EQ(site_place({{"solve", "/a/cg.c", 12, "/a/cg", "0x1"}}), "solve (cg.c:12)");
  EXPECT_EQ(site_place({{"solve", "", 0, "/a/cg", "0x1"}}), "solve (cg)");
  EXPECT_EQ(site_place({{"solve", "", 0, "", ""}}), "solve");
  EXPECT_EQ(site_place({{"", "", 0, "/a/cg", "0x1f"}}), "cg+0x1f");
  EXPECT_EQ(site_place({{"<module>", "/a/heat.py", 12, "", ""}}), "heat.py:12");
  EXPECT_EQ(site_place({{"Halo.run", "/a/heat.py", 12, "", ""}}), "Halo.run (heat.py:12)");
  EXPECT_EQ(site_place({{"", "", 0, "/x/mpi4py/MPI.cpython-311.so", "0xd39cf"}}),
            "unknown line of Python");
  EXPECT_EQ(site_place({}), "unknown place");
}

}  // namespace
}  // namespace plait::trace
