// SPDX-License-Identifier: BSD-3-Clause
// Finds the folders in which Plait keeps the data of a user and a host.
#include "base/user_data.hpp"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

namespace plait {
namespace {

/// $VARIABLE/plait when the variable is an absolute path, else a folder below the home folder.
std::filesystem::path user_folder(const char* variable, const std::filesystem::path& below_home) {
  const char* const named = std::getenv(variable);
  if (named != nullptr && named[0] == '/') return std::filesystem::path(named) / "plait";
  const char* home = std::getenv("HOME");
  if (home == nullptr || home[0] == '\0') {
    const passwd* const user = ::getpwuid(::geteuid());
    if (user == nullptr) return std::filesystem::path(".");
    home = user->pw_dir;
  }
  return std::filesystem::path(home) / below_home / "plait";
}

}  // namespace

std::filesystem::path user_data_folder() {
  return user_folder("XDG_DATA_HOME", ".local/share");
}

std::filesystem::path user_state_folder() {
  return user_folder("XDG_STATE_HOME", ".local/state");
}

std::filesystem::path machine_file_of_host(const std::string& host) {
  return user_data_folder() / (host + ".json");
}

}  // namespace plait
