// SPDX-License-Identifier: BSD-3-Clause
// What frames are, by their module and function.
#include "samples/frame_kind.hpp"

#include <gtest/gtest.h>

namespace plait::samples {
namespace {

FrameKind kind(const std::string& module, const std::string& function,
               const std::string& file = "") {
  return kind_of({function, file, 0, module, ""});
}

TEST(FrameKind, modules_and_functions) {
  EXPECT_EQ(kind("/home/user/app", "solve"), FrameKind::code);
  EXPECT_EQ(kind("/home/user/app", "_start"), FrameKind::start);
  EXPECT_EQ(kind("/lib/libc.so.6", "memcpy"), FrameKind::system);
  EXPECT_EQ(kind("/lib/libc.so.6", "start_thread"), FrameKind::start);
  EXPECT_EQ(kind("/usr/lib/libmpi.so.40", "PMPI_Send"), FrameKind::mpi);
  EXPECT_EQ(kind("/usr/lib/libgomp.so.1", ""), FrameKind::openmp);
  EXPECT_EQ(kind("/opt/plait/lib/plait/libplait-openmpi.so", "GOMP_parallel"), FrameKind::plait);
  EXPECT_EQ(kind("/opt/plait/lib/plait/libplait-openmpi.so", "MPI_Send"), FrameKind::mpi);
  EXPECT_EQ(kind("", "solve", "/home/user/app.py"), FrameKind::python);
  EXPECT_EQ(kind("", "_find_and_load", "<frozen importlib._bootstrap>"), FrameKind::start);
}

TEST(FrameKind, mpi_functions) {
  EXPECT_EQ(mpi_function("PMPI_Send"), "MPI_Send");
  EXPECT_EQ(mpi_function("MPI_Allreduce"), "MPI_Allreduce");
  EXPECT_EQ(mpi_function("mpi_send_"), "");
  EXPECT_EQ(mpi_function("MPI_"), "");
  EXPECT_EQ(mpi_function("solve"), "");
}

}  // namespace
}  // namespace plait::samples
