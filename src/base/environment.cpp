// SPDX-License-Identifier: BSD-3-Clause
// The environment variables and the host name of this process.
#include "base/environment.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>

namespace plait {

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
