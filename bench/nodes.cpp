// SPDX-License-Identifier: BSD-3-Clause
// Emulated nodes on this machine (plait cluster) while a benchmark runs.
#include "nodes.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "base/parallel.hpp"
#include "base/subprocess.hpp"
#include "cluster/launcher_command.hpp"
#include "plait/error.hpp"

namespace plait::bench {
namespace {

constexpr double kBytesPerMbit = 125e3;

cluster::ClusterRequest request_of(const char* name, int count, int rate_mbit, double latency_s,
                                   int cores, double burst_bytes) {
  cluster::ClusterRequest request;
  request.name = fmt::format("{}-{}", name, ::getpid());
  request.nodes = count;
  request.bytes_per_second = rate_mbit * kBytesPerMbit;
  request.latency_s = latency_s;
  request.cores_per_node = cores;
  request.burst_bytes = burst_bytes;
  return request;
}

}  // namespace

int cores_per_node(int count) {
  const int free = static_cast<int>(usable_cpus()) / count - 1;
  int cores = 1;
  while (2 * cores <= free) cores *= 2;
  return cores;
}

Nodes::Nodes(const char* name, int count, int rate_mbit, double latency_s, int cores,
             double burst_bytes)
    : cluster_(request_of(name, count, rate_mbit, latency_s, cores, burst_bytes)) {}

void Nodes::set_rate(int mbit) {
  cluster::set_rate(cluster_.get(), mbit * kBytesPerMbit);
}

std::string Nodes::run(const std::string& what, const std::vector<std::string>& command,
                       std::chrono::milliseconds limit,
                       const std::vector<std::pair<std::string, std::string>>& variables) const {
  const cluster::ClusterCommand ready = cluster::on_cluster(cluster_.get(), command);
  auto environment = ready.variables();
  environment.insert(environment.end(), variables.begin(), variables.end());
  const CommandResult result = run_command(
      cluster::on_node(cluster_.get(), cluster::kHead, ready.argv), limit, {}, environment);
  if (!result.timed_out && result.exit_code == 0) return result.out;
  constexpr std::size_t kMostCharacters = 600;
  const std::string& text = result.err.empty() ? result.out : result.err;
  throw Error(what,
              result.timed_out ? fmt::format("gave no result within {} s", limit.count() / 1000)
                               : fmt::format("failed with exit code {}", result.exit_code),
              text.substr(text.size() > kMostCharacters ? text.size() - kMostCharacters : 0));
}

}  // namespace plait::bench
