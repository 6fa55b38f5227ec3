// SPDX-License-Identifier: BSD-3-Clause
// Reads the CPU quota of this process' control group (cgroup v1 and v2).
#include "machine/cgroup.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace plait::machine {
namespace {

namespace fs = std::filesystem;

/// One line of /proc/self/cgroup: "4:cpu,cpuacct:/user.slice" (v1) or "0::/user.slice" (v2).
struct Membership {
  std::vector<std::string> controllers;  ///< empty for v2
  fs::path group;                        ///< relative to the hierarchy's mount point
};

std::vector<Membership> memberships(const fs::path& proc_cgroup) {
  std::vector<Membership> found;
  std::ifstream in(proc_cgroup);
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    Membership entry;
    std::istringstream names(line.substr(first + 1, second - first - 1));
    for (std::string name; std::getline(names, name, ',');) entry.controllers.push_back(name);
    // In a cgroup namespace, a group outside of it is written /../..; only the root is visible
    // then.
    entry.group = fs::path(line.substr(second + 1)).lexically_normal().relative_path();
    found.push_back(std::move(entry));
  }
  return found;
}

/// v2: "max 100000" or "250000 100000" (quota and period in microseconds).
std::optional<double> quota_v2(const fs::path& group) {
  std::ifstream in(group / "cpu.max");
  std::string quota;
  double period = 0;
  if (!(in >> quota >> period) || quota == "max" || period <= 0) return std::nullopt;
  std::istringstream number(quota);
  double microseconds = 0;
  if (!(number >> microseconds) || microseconds <= 0) return std::nullopt;
  return microseconds / period;
}

/// v1: a quota of -1 means no limit.
std::optional<double> quota_v1(const fs::path& group) {
  double quota = 0;
  double period = 0;
  std::ifstream(group / "cpu.cfs_quota_us") >> quota;
  std::ifstream(group / "cpu.cfs_period_us") >> period;
  if (quota <= 0 || period <= 0) return std::nullopt;
  return quota / period;
}

/// The smallest quota of a group and all groups above it.
template <typename Read>
std::optional<double> smallest_up_to_root(const fs::path& mount, fs::path group, Read read) {
  std::optional<double> smallest;
  while (true) {
    const std::optional<double> quota = read(mount / group);
    if (quota && (!smallest || *quota < *smallest)) smallest = quota;
    if (group.empty()) return smallest;
    group = group.has_filename() ? group.parent_path() : group.parent_path().parent_path();
  }
}

}  // namespace

std::optional<double> cgroup_quota_cores(const fs::path& proc_cgroup, const fs::path& mount_point) {
  std::optional<double> smallest;
  const auto take = [&](const std::optional<double>& quota) {
    if (quota && (!smallest || *quota < *smallest)) smallest = quota;
  };
  for (const Membership& entry : memberships(proc_cgroup)) {
    if (entry.controllers.empty()) {
      take(smallest_up_to_root(mount_point, entry.group, quota_v2));
      take(smallest_up_to_root(mount_point / "unified", entry.group, quota_v2));
    } else if (std::find(entry.controllers.begin(), entry.controllers.end(), "cpu") !=
               entry.controllers.end()) {
      for (const char* folder : {"cpu", "cpu,cpuacct"}) {
        take(smallest_up_to_root(mount_point / folder, entry.group, quota_v1));
      }
    }
  }
  return smallest;
}

}  // namespace plait::machine
