// SPDX-License-Identifier: BSD-3-Clause
// Prints counters, memory and files.
#include "report/resource_lines.hpp"

namespace plait::report {

void print_resources(const Profile& profile, std::FILE* stream, const TerminalOptions& options) {
  std::string text;
  for (const Lines& block : {counter_lines(profile, options), energy_lines(profile, options),
                             memory_lines(profile, options), io_lines(profile, options)}) {
    if (!block.empty()) text += '\n';
    for (const std::string& line : block) text += line + "\n";
  }
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}

}  // namespace plait::report
