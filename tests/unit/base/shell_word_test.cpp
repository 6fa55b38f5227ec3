// SPDX-License-Identifier: BSD-3-Clause
// Commands as text that a shell reads back unchanged.
#include "base/shell_word.hpp"

#include <gtest/gtest.h>

namespace plait {
namespace {

TEST(CommandText, is_what_a_shell_reads_back) {
  EXPECT_EQ(command_text({"mpiexec", "-n", "4", "./a b", "x'y", ""}),
            "mpiexec -n 4 './a b' 'x'\\''y' ''");
}

}  // namespace
}  // namespace plait
