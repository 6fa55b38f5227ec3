// SPDX-License-Identifier: BSD-3-Clause
// A command as a shell would take it.
#include "report/command_text.hpp"

#include <cctype>
#include <cstring>

namespace plait::report {
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

std::string command_text(const std::vector<std::string>& command) {
  std::string text;
  for (const std::string& word : command) {
    if (!text.empty()) text += ' ';
    text += is_plain(word) ? word : quoted(word);
  }
  return text;
}

}  // namespace plait::report
