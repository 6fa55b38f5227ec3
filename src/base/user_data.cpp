// SPDX-License-Identifier: BSD-3-Clause
// Where Plait keeps what belongs to a user and a host.
#include "base/user_data.hpp"

#include <cstdlib>

namespace plait {

std::filesystem::path user_data_folder() {
  const char* const data = std::getenv("XDG_DATA_HOME");
  if (data != nullptr && data[0] == '/') return std::filesystem::path(data) / "plait";
  const char* const home = std::getenv("HOME");
  if (home == nullptr || home[0] == '\0') return std::filesystem::path(".");
  return std::filesystem::path(home) / ".local" / "share" / "plait";
}

std::filesystem::path machine_file_of_host(const std::string& host) {
  return user_data_folder() / (host + ".json");
}

}  // namespace plait
