// SPDX-License-Identifier: BSD-3-Clause
// The source text around the lines of a program with most samples, for the page.
#pragma once

#include "base/json.hpp"
#include "samples/call_tree.hpp"

namespace plait::report {

/// Parts of source files, the hottest first: [{"file", "first_line", "lines"}], with a few lines
/// before and after each line that has at least 0.1 % of the samples. Reads at most 20 files of at
/// most 4 MiB, and returns at most 2000 lines, each cut to 200 bytes; files that cannot be read
/// are left out.
nlohmann::json source_lines(const samples::CallTree& tree);

}  // namespace plait::report
