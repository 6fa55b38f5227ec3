// SPDX-License-Identifier: BSD-3-Clause
// Becomes the calling user of sudo, and drops capabilities.
#include "cluster/rights.hpp"

#include <fmt/format.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include "base/failure.hpp"
#include "plait/error.hpp"

namespace plait::cluster {
namespace {

/// The number in a variable of sudo; empty if it is not set to one that fits.
std::optional<std::uint32_t> number_in(const char* name) {
  const char* const text = std::getenv(name);
  if (text == nullptr || text[0] < '0' || text[0] > '9') return std::nullopt;
  char* end = nullptr;
  const unsigned long number = std::strtoul(text, &end, 10);
  if (*end != '\0' || number >= UINT32_MAX) return std::nullopt;
  return static_cast<std::uint32_t>(number);
}

/// Keeps these capabilities, bits as in <linux/capability.h>, and drops all others.
bool keep_capabilities(std::uint64_t kept) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> data{};
  for (std::size_t word = 0; word < data.size(); ++word) {
    data[word].effective = data[word].permitted = static_cast<std::uint32_t>(kept >> (32 * word));
  }
  return ::syscall(SYS_capset, &header, data.data()) == 0;
}

/// The environment that the caller would have without sudo, as far as a cluster depends on it.
void set_environment_of(uid_t uid, const passwd* user) {
  // Within the cluster this user is root, and must not be taken for that of sudo again.
  for (const char* name : {"SUDO_UID", "SUDO_GID", "SUDO_USER", "SUDO_COMMAND"}) ::unsetenv(name);
  if (user != nullptr) {
    ::setenv("HOME", user->pw_dir, 1);
    for (const char* name : {"USER", "LOGNAME"}) ::setenv(name, user->pw_name, 1);
  }
  const char* const given = std::getenv("XDG_RUNTIME_DIR");
  const std::string usual = fmt::format("/run/user/{}", uid);
  for (const std::string& folder : {std::string(given != nullptr ? given : ""), usual}) {
    struct stat found {};
    if (::stat(folder.c_str(), &found) != 0 || found.st_uid != uid) continue;
    ::setenv("XDG_RUNTIME_DIR", folder.c_str(), 1);
    return;
  }
  ::unsetenv("XDG_RUNTIME_DIR");
}

}  // namespace

void become_caller(bool starts) {
  const auto uid = number_in("SUDO_UID"), gid = number_in("SUDO_GID");
  if (::geteuid() != 0 || !uid || !gid || *uid == 0) return;
  const passwd* const user = ::getpwuid(*uid);
  ::prctl(PR_SET_KEEPCAPS, 1);
  const bool groups =
      user != nullptr ? ::initgroups(user->pw_name, *gid) == 0 : ::setgroups(0, nullptr) == 0;
  if (!groups || ::setresgid(*gid, *gid, *gid) != 0 || ::setresuid(*uid, *uid, *uid) != 0 ||
      !keep_capabilities(starts ? 1ULL << CAP_SYS_ADMIN : 0)) {
    throw Failure("sudo", fmt::format("cannot become user {} ({})", *uid, std::strerror(errno)),
                  "run plait cluster as root without sudo, or as that user");
  }
  ::prctl(PR_SET_KEEPCAPS, 0);
  // The change of user made /proc/self root's, which the user namespace is set up through.
  ::prctl(PR_SET_DUMPABLE, 1);
  set_environment_of(*uid, user);
}

void drop_rights() {
  keep_capabilities(0);
}

}  // namespace plait::cluster
