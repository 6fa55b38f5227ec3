// SPDX-License-Identifier: BSD-3-Clause
// The parts of the terminal report, each a few lines of at most 80 columns.
#pragma once

#include <string>
#include <vector>

#include "report/terminal.hpp"
#include "text/style.hpp"

namespace plait::report {

using Lines = std::vector<std::string>;

void append(Lines& to, const Lines& more);

/// A text from outside, made safe to print and wrapped in bold: a verdict.
Lines bold_lines(const std::string& text, std::size_t max_lines, const TerminalOptions& options);

/// A text from outside, made safe to print and wrapped beside a label.
Lines labelled(const std::string& label, const std::string& text, std::size_t max_lines,
               const TerminalOptions& options, Paint with = Paint::none);

/// The command; then ranks, hosts, MPI, processor, wall time and outcome.
Lines title_lines(const Profile& profile, const TerminalOptions& options);
/// What the run did not record: one problem and the second, or the number of the others.
Lines missing_lines(const Profile& profile, const TerminalOptions& options);
/// A row for each part of a heterogeneous job, at most five lines.
Lines part_lines(const Profile& profile, const TerminalOptions& options);
/// The verdict in at most four lines.
Lines verdict_lines(const Profile& profile, const TerminalOptions& options);
/// The efficiencies in at most three lines; empty without ranks.
Lines efficiency_lines(const Profile& profile, const TerminalOptions& options);

/// A legend and a bar per rank, or for three ranks (least, median, most computation) when there are
/// more than `max_bars`.
Lines rank_lines(const Profile& profile, const TerminalOptions& options, std::size_t max_bars);

/// A heading and at most `rows` call sites; empty without call sites.
Lines call_lines(const Profile& profile, const TerminalOptions& options, std::size_t rows);

/// Title with cost, and fix. The title takes at most `each` lines.
Lines finding_lines(const Finding& finding, const TerminalOptions& options, std::size_t each);

/// The user's regions with most time, in one line; empty without regions.
Lines region_lines(const Profile& profile, const TerminalOptions& options);

/// The first note, and the overhead of Plait with calls that it did not record, a line each.
Lines tool_lines(const Profile& profile, const TerminalOptions& options);

/// The path of the result (with the number of findings shown only there) and the next command.
Lines next_lines(const Profile& profile, const TerminalOptions& options, std::size_t findings_left);

}  // namespace plait::report
