// SPDX-License-Identifier: BSD-3-Clause
// The environment variables and the host name of this process.
#include "base/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <string_view>

namespace plait {

bool is_secret_name(const std::string& name) {
  static constexpr std::array<std::string_view, 8> kParts{
      "TOKEN", "SECRET", "PASSWORD", "PASSWD", "KEY", "CREDENTIAL", "AUTH", "COOKIE"};
  std::string upper = name;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return std::any_of(kParts.begin(), kParts.end(),
                     [&](std::string_view part) { return upper.find(part) != upper.npos; });
}

std::map<std::string, std::string> masked_environment() {
  std::map<std::string, std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == text.npos) continue;
    const std::string name = text.substr(0, equals);
    result[name] = is_secret_name(name) ? "(masked)" : text.substr(equals + 1);
  }
  return result;
}

std::string environment_value(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value != nullptr ? value : "";
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

std::string extended_preload(const std::string& before, const std::vector<std::string>& entries) {
  std::string result = before;
  for (const std::string& entry : entries) {
    if ((":" + result + ":").find(":" + entry + ":") != std::string::npos) continue;
    result += (result.empty() ? "" : ":") + entry;
  }
  return result;
}

}  // namespace plait
