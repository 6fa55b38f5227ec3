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

TEST(CommandText, a_program_is_not_an_assignment) {
  EXPECT_EQ(command_text({"a=b", "c=d"}), "'a=b' c=d");
}

TEST(VariableName, is_what_a_shell_can_assign_to) {
  for (const char* name : {"A", "_", "OMPI_MCA_btl", "a1"}) EXPECT_TRUE(is_variable_name(name));
  for (const char* name : {"", "1a", "A B", "A;ls", "$(ls)", "A\n", "A=B", "\xc3\xa4", "a-b"}) {
    EXPECT_FALSE(is_variable_name(name)) << name;
  }
}

TEST(FileText, ends_behind_its_content) {
  EXPECT_EQ(file_text("f", "a\n"), "cat > f <<'END'\na\nEND\n");
  EXPECT_EQ(file_text("f", "END\nEND_\n"), "cat > f <<'END__'\nEND\nEND_\nEND__\n");
}

TEST(CommentText, stays_a_comment) {
  EXPECT_EQ(comment_text("a\nb"), "# a\n# b\n");
}

}  // namespace
}  // namespace plait
