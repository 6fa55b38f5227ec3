// SPDX-License-Identifier: BSD-3-Clause
// Arguments and commands as text that a shell reads back unchanged.
#include "base/shell_word.hpp"

#include <cctype>
#include <cstring>

namespace plait {
namespace {

bool is_plain(const std::string& word) {
  if (word.empty()) return false;
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && std::isalnum(byte) == 0 && std::strchr("_-./:=,+@%^", c) == nullptr) {
      return false;
    }
  }
  return true;
}

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

}  // namespace

std::string shell_word(const std::string& word) {
  return is_plain(word) ? word : quoted(word);
}

std::string command_text(const std::vector<std::string>& command) {
  std::string text;
  for (const std::string& argument : command) {
    // In front, NAME=value would be an assignment.
    const bool assigns = text.empty() && argument.find('=') != argument.npos;
    if (!text.empty()) text += ' ';
    text += assigns ? quoted(argument) : shell_word(argument);
  }
  return text;
}

bool is_variable_name(const std::string& name) {
  constexpr const char* kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
  return !name.empty() && name.find_first_not_of(kLetters) == name.npos &&
         std::isdigit(static_cast<unsigned char>(name.front())) == 0;
}

std::string file_text(const std::string& target, const std::string& content) {
  std::string end = "END";
  while (("\n" + content).find("\n" + end + "\n") != std::string::npos) end += '_';
  return "cat > " + target + " <<'" + end + "'\n" + content + end + "\n";
}

std::string comment_text(const std::string& text) {
  std::string comments = "# ";
  for (const char c : text) comments += c == '\n' ? "\n# " : std::string(1, c);
  return comments + "\n";
}

}  // namespace plait
