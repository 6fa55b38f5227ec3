// SPDX-License-Identifier: BSD-3-Clause
// The terminal report: exact text of known profiles, and its limits for any profile.
#include "report/terminal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <span>

#include "golden.hpp"
#include "synthetic_profiles.hpp"
#include "text/terminal.hpp"

namespace plait::report {
namespace {

struct Case {
  const char* name;
  Profile (*profile)();
};

constexpr Case kCases[] = {{"healthy", healthy_profile},
                           {"imbalanced", imbalanced_profile},
                           {"communication", communication_profile},
                           {"one_core", one_core_profile},
                           {"killed", killed_profile},
                           {"many_ranks", many_ranks_profile},
                           {"no_mpi_calls", no_mpi_calls_profile},
                           {"one_rank", one_rank_profile},
                           {"without_ranks", without_ranks_profile},
                           {"hostile", hostile_profile},
                           {"full", full_profile}};

TerminalOptions plain() {
  return {false, true, "plait-runs/cg-20261120-120000/report.html"};
}

class TerminalReport : public testing::TestWithParam<Case> {};

TEST_P(TerminalReport, reads_exactly_as_committed) {
  const Case& of = GetParam();
  expect_golden(joined(terminal_lines(of.profile(), plain())),
                "terminal_" + std::string(of.name) + ".txt");
}

TEST_P(TerminalReport, fits_24_lines_of_80_columns) {
  const auto lines = terminal_lines(GetParam().profile(), plain());
  const std::size_t requested = requested_lines(GetParam().profile(), plain()).size();
  EXPECT_LE(lines.size(), kTerminalLines + requested + (requested > 0 ? 1 : 0));
  for (const std::string& line : lines) {
    EXPECT_LE(display_width(line), kTerminalColumns) << line;
    EXPECT_EQ(line, printable(line, true)) << "controls the terminal";
  }
}

TEST_P(TerminalReport, in_colour_says_the_same) {
  TerminalOptions colored = plain();
  colored.color = true;
  const std::string text = joined(terminal_lines(GetParam().profile(), colored));
  EXPECT_NE(text.find('\033'), std::string::npos);
  EXPECT_EQ(std::regex_replace(text, std::regex("\033\\[[0-9]+m"), ""),
            joined(terminal_lines(GetParam().profile(), plain())));
}

TEST_P(TerminalReport, is_ascii_where_the_terminal_is) {
  TerminalOptions ascii = plain();
  ascii.utf8 = false;
  for (const char c : joined(terminal_lines(GetParam().profile(), ascii))) {
    EXPECT_LT(static_cast<unsigned char>(c), 0x80);
  }
}

INSTANTIATE_TEST_SUITE_P(Profiles, TerminalReport, testing::ValuesIn(kCases),
                         [](const auto& of) { return std::string(of.param.name); });

TEST(TerminalTraced, leaves_factors_that_waiting_for_cpus_makes_uncertain_to_the_trace) {
  Profile profile = healthy_profile();
  profile.efficiencies.cpu.value = 0.65;
  TerminalOptions options = plain();
  EXPECT_NE(joined(terminal_lines(profile, options)).find("CPU 65 %"), std::string::npos);
  options.traced = true;
  const std::string text = joined(terminal_lines(profile, options));
  EXPECT_EQ(text.find("CPU 65 %"), std::string::npos) << text;
  EXPECT_NE(text.find("(its factors, from the trace, are below)"), std::string::npos) << text;
}

TEST(TerminalRequested, is_before_the_path_of_the_result_and_the_next_command) {
  const std::vector<std::string> lines = terminal_lines(full_profile(), plain());
  const std::vector<std::string> requested = requested_lines(full_profile(), plain());
  ASSERT_GT(requested.size(), 10U);
  EXPECT_TRUE(std::ranges::equal(
      std::span(lines).last(requested.size() + 3).first(requested.size()), requested));
  EXPECT_EQ(lines[lines.size() - 3], "");
  EXPECT_TRUE(lines[lines.size() - 2].starts_with("report: "));
  EXPECT_TRUE(lines.back().starts_with("next: "));
  EXPECT_TRUE(requested_lines(healthy_profile(), plain()).empty());
}

TEST(TerminalOptions, have_no_colour_without_a_terminal) {
  std::FILE* file = std::tmpfile();
  EXPECT_FALSE(terminal_options(file).color);
  std::fclose(file);
}

}  // namespace
}  // namespace plait::report
