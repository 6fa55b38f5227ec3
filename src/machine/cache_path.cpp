// SPDX-License-Identifier: BSD-3-Clause
// Where the measured machine file of a host is kept between runs.
#include "machine/cache_path.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>

namespace plait::machine {

std::filesystem::path machine_cache_path(const std::string& host) {
  const char* data = std::getenv("XDG_DATA_HOME");
  if (data != nullptr && *data == '/') {
    return std::filesystem::path(data) / "plait" / (host + ".json");
  }
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return {};
  return std::filesystem::path(home) / ".local" / "share" / "plait" / (host + ".json");
}

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  const std::string full = name.data();
  return full.substr(0, full.find('.'));
}

}  // namespace plait::machine
