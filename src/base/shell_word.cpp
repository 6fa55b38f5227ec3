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

}  // namespace

std::string shell_word(const std::string& word) {
  if (is_plain(word)) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

std::string command_text(const std::vector<std::string>& command) {
  std::string text;
  for (const std::string& argument : command) {
    if (!text.empty()) text += ' ';
    text += shell_word(argument);
  }
  return text;
}

}  // namespace plait
