// SPDX-License-Identifier: BSD-3-Clause
// A command as a shell would take it.
#include "report/command_text.hpp"

#include "base/shell_word.hpp"

namespace plait::report {

std::string command_text(const std::vector<std::string>& command) {
  std::string text;
  for (const std::string& word : command) {
    if (!text.empty()) text += ' ';
    text += shell_word(word);
  }
  return text;
}

}  // namespace plait::report
