// SPDX-License-Identifier: BSD-3-Clause
// Counters, memory and files on a terminal.
#include "report/resource_lines.hpp"

namespace plait::report {

Lines resource_lines(const Profile& profile, const TerminalOptions& options) {
  Lines lines;
  for (const Lines& block : {counter_lines(profile, options), energy_lines(profile, options),
                             memory_lines(profile, options), io_lines(profile, options)}) {
    if (block.empty()) continue;
    lines.emplace_back();
    lines.insert(lines.end(), block.begin(), block.end());
  }
  return lines;
}

}  // namespace plait::report
