// SPDX-License-Identifier: BSD-3-Clause
// The places of the ranks: the CPUs that each may use, and its rank in the plan.
#include "places.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <vector>

#include "measure/affinity.hpp"

namespace plait::measure {
namespace {

using HostName = std::array<char, 64>;

HostName host_name() {
  HostName name{};
  ::gethostname(name.data(), name.size() - 1);
  return name;
}

int topology_number(int pu, const char* what) {
  std::ifstream file(fmt::format("/sys/devices/system/cpu/cpu{}/topology/{}", pu, what));
  int number = -1;
  file >> number;
  return file ? number : -1;
}

}  // namespace

std::string place_line() {
  std::string line = fmt::format("place {}", host_name().data());
  for (const int pu : allowed_pus()) {
    line += fmt::format(" {}:{}:{}", pu, topology_number(pu, "core_id"),
                        topology_number(pu, "physical_package_id"));
  }
  return line;
}

PlannedRank planned_rank(const MpiLibrary& mpi, const ProbePlan& plan, int rank, int size) {
  if (plan.hosts.empty()) return {rank, mpi.world, {}};
  const HostName own = host_name();
  std::vector<HostName> names(static_cast<std::size_t>(size));
  constexpr int kLength = static_cast<int>(std::tuple_size_v<HostName>);
  mpi.allgather(own.data(), kLength, mpi.byte, names.data(), kLength, mpi.byte, mpi.world);

  // Every rank computes the whole order, so that all agree on whether there is one.
  std::vector<bool> used(plan.hosts.size(), false);
  int mine = 0;
  for (int r = 0; r < size; ++r) {
    const std::string name(names[static_cast<std::size_t>(r)].data());
    std::size_t place = 0;
    while (place < plan.hosts.size() && (used[place] || plan.hosts[place] != name)) ++place;
    if (place == plan.hosts.size()) {
      const auto there = std::count(plan.hosts.begin(), plan.hosts.end(), name);
      return {
          0,
          {},
          fmt::format("the plan has {} ranks on {}, but the launcher started more", there, name)};
    }
    used[place] = true;
    if (r == rank) mine = static_cast<int>(place);
  }
  PlannedRank planned{mine, {}, {}};
  mpi.comm_split(mpi.world, 0, mine, &planned.world);
  return planned;
}

}  // namespace plait::measure
