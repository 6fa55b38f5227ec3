// SPDX-License-Identifier: BSD-3-Clause
// The network and speed of a prediction: measured, or given on the command line.
#include "advise/given_network.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/quantity.hpp"
#include "model/jacobi_inputs.hpp"
#include "plait/error.hpp"

namespace plait::advise {
namespace {

model::Interval exactly(double value) {
  return {value, value, value};
}

}  // namespace

model::Link network_of(const GivenNetwork& given, const machine::MachineFile& machine,
                       std::uint64_t message_bytes) {
  std::optional<model::Link> link;
  if (machine.measured) link = model::network_link(*machine.measured, message_bytes);
  if (!link && !given.complete()) {
    throw Error(
        machine.host, "no network between nodes was measured on this machine",
        "give --latency and --bandwidth of your network (such as 50us and 90MB/s), or --nodes 1");
  }
  model::Link network = link.value_or(model::Link{});
  if (!given.latency.empty()) network.latency_s = exactly(parse_seconds(given.latency));
  if (!given.bandwidth.empty()) {
    network.several_bytes_per_s = exactly(parse_bytes_per_second(given.bandwidth));
    network.pair_bytes_per_s = network.several_bytes_per_s;
  }
  if (!given.pair_bandwidth.empty()) {
    network.pair_bytes_per_s = exactly(parse_bytes_per_second(given.pair_bandwidth));
  }
  return network;
}

std::optional<model::Link> inside_of(const std::string& given_bandwidth,
                                     const machine::MachineFile& machine,
                                     std::uint64_t message_bytes) {
  std::optional<model::Link> link;
  if (machine.measured) link = model::inside_link(*machine.measured, message_bytes);
  if (given_bandwidth.empty()) return link;
  model::Link given = link.value_or(model::Link{});
  given.pair_bytes_per_s = given.several_bytes_per_s =
      exactly(parse_bytes_per_second(given_bandwidth));
  return given;
}

model::SpeedTable given_speed(const std::vector<double>& gflops) {
  std::vector<std::pair<int, double>> points;
  for (const double rate : gflops) {
    if (!(rate > 0)) {
      throw Error(fmt::format("--speed {}", rate), "not a speed", "give GFLOP/s above 0");
    }
    points.emplace_back(static_cast<int>(points.size()) + 1, rate * 1e9);
  }
  return model::SpeedTable(points);
}

}  // namespace plait::advise
