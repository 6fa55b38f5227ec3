// SPDX-License-Identifier: BSD-3-Clause
// Jobs of several programs that would hang under the mapper are refused.
#include "run/mapper_choice.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/split.hpp"
#include "plait/error.hpp"

namespace plait::run {
namespace {

const std::string kStandIns = PLAIT_STAND_INS;

/// The reason for which a command is refused; empty: it is not, or only because the object of this
/// build is missing.
std::string refusal(const std::string& line) {
  const launcher::Launcher mpich{launcher::LauncherKind::mpich, "", "mpiexec", ""};
  try {
    choose_mapper(launcher::parse_command(mpich, split_at_blanks(line)), MpiAbi::mpich, {});
  } catch (const std::exception& error) {
    const std::string text = error.what();
    return text.find("MPI_Init") == text.npos ? "" : text.substr(text.rfind("/stand_ins/") + 11);
  }
  return "";
}

const std::string kRest =
    ", so the mapper cannot be loaded into it, and the other programs would wait for it in "
    "MPI_Init; run without --map";

TEST(MapperChoice, ProgramsThatCannotLoadItAreRefused) {
  const std::string first = "mpiexec -n 1 " + kStandIns + "/needs_mpich : -n 1 ";
  EXPECT_EQ(refusal(first + kStandIns + "/static_mpi"), "static_mpi: a static executable" + kRest);
  EXPECT_EQ(refusal(first + kStandIns + "/needs_nothing"),
            "needs_nothing: not an MPI program" + kRest);
  for (const char* env : {"env -i ", "env -u LD_PRELOAD ", "env -u A --unset=LD_PRELOAD ",
                          "-env LD_PRELOAD x.so ", "env LD_PRELOAD=x.so "}) {
    EXPECT_EQ(refusal(first + env + kStandIns + "/needs_mpich"),
              "needs_mpich: started with another LD_PRELOAD" + kRest)
        << env;
  }
}

TEST(MapperChoice, OthersAreNot) {
  const std::string first = "mpiexec -n 1 " + kStandIns + "/needs_mpich";
  EXPECT_EQ(refusal(first + " : -n 1 " + kStandIns + "/needs_mpich"), "");
  EXPECT_EQ(refusal(first + " : -n 1 env -u A numactl -i all " + kStandIns + "/needs_mpich"), "");
  EXPECT_EQ(refusal(first + " : -n 1 /bin/sh -c x"), "") << "a shell starts other programs";
  EXPECT_EQ(refusal("mpiexec -n 2 " + kStandIns + "/static_mpi"), "")
      << "no other program waits for it";
}

}  // namespace
}  // namespace plait::run
