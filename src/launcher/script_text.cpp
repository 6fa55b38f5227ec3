// SPDX-License-Identifier: BSD-3-Clause
// Writes the parts that all scripts for plans have.
#include "launcher/script_text.hpp"

#include <fmt/format.h>

#include "base/shell_word.hpp"
#include "plait/error.hpp"

namespace plait::launcher {

std::string script_word(const std::string& argument) {
  const std::size_t at = argument.find(kScriptFolder);
  if (at == argument.npos) return shell_word(argument);
  const std::string before = argument.substr(0, at);
  const std::string after = argument.substr(at + std::string(kScriptFolder).size());
  return fmt::format("{}\"$files\"{}", before.empty() ? "" : shell_word(before), shell_word(after));
}

std::string exports_text(const std::map<std::string, std::string>& environment) {
  std::string text;
  for (const auto& [name, value] : environment) {
    if (!is_variable_name(name)) {
      throw Error("environment", fmt::format("\"{}\" is not a variable name", name),
                  "use letters, digits and _");
    }
    text += fmt::format("export {}={}\n", name, script_word(value));
  }
  return text;
}

std::string folder_text() {
  return "\n# A folder that all nodes see.\nfiles=$(mktemp -d \"$PWD/plait-XXXXXX\")\n"
         "trap 'rm -r \"$files\"' EXIT\n";
}

std::string written_text(const std::string& name, const std::string& content) {
  return file_text(fmt::format("\"$files/{}\"", name), content);
}

}  // namespace plait::launcher
