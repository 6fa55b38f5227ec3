// SPDX-License-Identifier: BSD-3-Clause
// Plait's own ways to pass messages and to wait for them: what a program is started with.
#include "run/message_ways.hpp"

#include "base/failure.hpp"
#include "base/layout.hpp"
#include "run/transport_variables.hpp"

namespace plait::run {
namespace {

namespace fs = std::filesystem;

constexpr const char* kYieldWhenIdle = "OMPI_MCA_mpi_yield_when_idle";

}  // namespace

const std::vector<std::string>& wait_policies() {
  static const std::vector<std::string> all{"automatic", "spin", "pause", "yield", "sleep"};
  return all;
}

void check_message_ways(const MessageWays& ways,
                        const std::function<std::string(const std::string&)>& value) {
  if (ways.transport.empty()) return;
  check_transport_variables(value);
  if (fs::exists(transport_object(install_layout().preload))) return;
  throw Failure("--transport", "not built",
                "install libfabric's headers (Debian: libfabric-dev) and build Plait again");
}

std::vector<fs::path> message_objects(const MessageWays& ways, MpiAbi abi) {
  std::vector<fs::path> objects;
  if (!ways.empty()) objects.push_back(install_layout().preload / "libplait-wait.so");
  if (!ways.wait.empty() && abi == MpiAbi::mpich) {
    objects.push_back(install_layout().preload / "libplait-wait-ucx.so");
  }
  for (const fs::path& object : objects) {
    if (!fs::exists(object)) throw Failure(object.string(), "not found", "install Plait again");
  }
  return objects;
}

Assignments message_variables(const MessageWays& ways, MpiAbi abi,
                              const std::function<std::string(const std::string&)>& value) {
  Assignments result;
  if (!ways.wait.empty()) {
    result.emplace_back("PLAIT_WAIT", ways.wait);
    // Otherwise Open MPI never yields while it has a core per rank, so that only it would decide.
    if (abi == MpiAbi::openmpi && ways.wait != "spin" && value(kYieldWhenIdle).empty()) {
      result.emplace_back(kYieldWhenIdle, "1");
    }
  }
  if (!ways.transport.empty()) {
    const Assignments more =
        transport_variables(ways.transport, install_layout().preload, ways.wait.empty(), value);
    result.insert(result.end(), more.begin(), more.end());
  }
  return result;
}

}  // namespace plait::run
