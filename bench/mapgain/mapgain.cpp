// SPDX-License-Identifier: BSD-3-Clause
// The gain of a mapping: a 32-rank halo exchange (256 KiB faces, 4x4x2) on four emulated 1 Gbit/s
// nodes, from a block and from a cyclic start, alternately in the order of the launcher and of the
// mapper, compared with the prediction. See docs/explanation/mapping.md.
//
// Usage: mapgain [--rounds N]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "../benchmark_main.hpp"
#include "../nodes.hpp"
#include "base/statistics.hpp"
#include "mapping/mapping.hpp"
#include "plait/error.hpp"
#include "probe_bytes.hpp"

namespace plait::bench {
namespace {

constexpr double kFaceBytes = 256 << 10;
constexpr int kNodes = 4, kRateMbit = 1000;
// Of an Ethernet packet of 1538 bytes with gaps and headers, 1448 bytes are payload.
constexpr double kLinkBytesPerS = kRateMbit * 125e3 * 1448 / 1538;
constexpr int kJobs = 2;  // per start, alternating
const std::vector<int> dims{4, 4, 2};

/// The output of the jobs of one start.
struct Measured {
  std::vector<int> node_of_rank, rank_in_grid;
  std::vector<double> plain_s, reordered_s, ring_s;
  long wrong = -1;
};

std::vector<int> numbers(std::istringstream& fields) {
  std::vector<int> read;
  for (int number = 0; fields >> number;) read.push_back(number);
  return read;
}

void read_output(const std::string& output, Measured& into) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string what;
    fields >> what;
    if (what == "node") into.node_of_rank = numbers(fields);
    if (what == "rank") into.rank_in_grid = numbers(fields);
    if (what == "wrong") fields >> into.wrong;
    if (what != "sample") continue;
    double plain = 0, reordered = 0, ring = 0;
    fields >> plain >> reordered >> ring;
    into.plain_s.push_back(plain);
    into.reordered_s.push_back(reordered);
    into.ring_s.push_back(ring);
  }
}

/// Runs one job of 8 ranks on each of the four nodes, distributed in blocks or round-robin.
void run_job(const Nodes& nodes, bool cyclic, int rounds, Measured& into) {
  std::vector<std::string> command{PLAIT_MPIEXEC,
                                   "--map-by",
                                   cyclic ? "node" : "slot",
                                   "-n",
                                   "32",
                                   "env",
                                   std::string("LD_PRELOAD=") + PLAIT_MAPPER,
                                   PLAIT_HALO,
                                   std::to_string(rounds),
                                   std::to_string(static_cast<long>(kFaceBytes))};
  for (const int length : dims) command.push_back(std::to_string(length));
  read_output(nodes.run("the halo exchange", command, std::chrono::seconds(30 + 3 * rounds)), into);
  if (into.wrong != 0) throw Failure("the halo exchange", "values were wrong", "");
}

/// The predicted seconds of an exchange: LogGP with the cards of the nodes, or the time that the
/// cores of this machine need to move the packets of all nodes, if that is longer.
double predicted_s(const mapping::MappingRequest& request, const std::vector<int>& slot_of,
                   double shared_s_per_byte) {
  const mapping::Score score = mapping::score_of(request, slot_of);
  return std::max(score.time_s, 2 * score.cut * shared_s_per_byte);
}

/// One order of the processes: the measured and the predicted time of an exchange.
struct Order {
  MedianInterval measured_s;
  double predicted_s = 0;
  mapping::Score score;
};

struct Gain {
  MedianInterval measured;
  double predicted = 0;
};

mapping::MappingRequest request_of(const Measured& measured) {
  mapping::MappingRequest request;
  const mapping::Cartesian grid{dims, std::vector<bool>(dims.size(), false),
                                std::vector<double>(dims.size(), kFaceBytes)};
  request.graph = mapping::graph_of(grid);
  request.grid = grid;
  request.slots = mapping::slots_on_nodes(measured.node_of_rank);
  request.costs.card = {0, 1 / kLinkBytesPerS};
  return request;
}

void print_order(const char* name, const Order& order) {
  fmt::print(
      "  {:<16} {:6.1f} ms ({:.1f} to {:.1f}), predicted {:.1f} ms; {} of {} pairs between "
      "nodes\n",
      name, 1e3 * order.measured_s.median, 1e3 * order.measured_s.low, 1e3 * order.measured_s.high,
      1e3 * order.predicted_s, order.score.cut_pairs, order.score.pairs);
}

Gain judge(const Measured& measured) {
  const mapping::MappingRequest request = request_of(measured);
  const double shared_s_per_byte = median(measured.ring_s) / (1.0 * kNodes * kProbeBytes);
  std::vector<int> first(measured.node_of_rank.size()), second(first.size());
  for (std::size_t rank = 0; rank < first.size(); ++rank) {
    first[rank] = static_cast<int>(rank);
    second[static_cast<std::size_t>(measured.rank_in_grid[rank])] = static_cast<int>(rank);
  }
  const auto order = [&](const std::vector<double>& samples, const std::vector<int>& slot_of) {
    return Order{median_interval(samples), predicted_s(request, slot_of, shared_s_per_byte),
                 mapping::score_of(request, slot_of)};
  };
  const Order plain = order(measured.plain_s, first);
  const Order reordered = order(measured.reordered_s, second);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < measured.plain_s.size(); ++i)
    ratios.push_back(measured.plain_s[i] / measured.reordered_s[i]);
  const Gain gain{median_interval(ratios), plain.predicted_s / reordered.predicted_s};
  print_order("launcher's order", plain);
  print_order("mapper's order", reordered);
  fmt::print("  {:.2f} times as fast ({:.2f} to {:.2f}), predicted {:.2f}\n", gain.measured.median,
             gain.measured.low, gain.measured.high, gain.predicted);
  fmt::print("  links of {:.0f} MB/s as set; all nodes together {:.0f} MB/s as measured\n\n",
             1e-6 * kLinkBytesPerS, 1e-6 / shared_s_per_byte);
  return gain;
}

int run(int rounds) {
  const Nodes nodes("mapgain", kNodes, kRateMbit);
  std::map<std::string, Measured> starts;
  for (int job = 0; job < kJobs; ++job) {
    for (const char* start : {"block", "cyclic"}) {
      fmt::print(stderr, "{} start, job {} of {}\n", start, job + 1, kJobs);
      run_job(nodes, std::string_view(start) == "cyclic", rounds, starts[start]);
    }
  }
  std::map<std::string, Gain> gains;
  for (const auto& [start, measured] : starts) {
    fmt::print("{} start: 32 ranks, 4x4x2, faces of 256 KiB, {} exchanges\n", start,
               measured.plain_s.size());
    gains[start] = judge(measured);
  }
  for (const auto& [start, gain] : gains) {
    fmt::print("RESULT map_gain_{} {:.3f} ratio\n", start, gain.measured.median);
    fmt::print("RESULT map_gain_{}_predicted_over_measured {:.3f} ratio\n", start,
               gain.predicted / gain.measured.median);
  }
  return 0;
}

int read_rounds(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "--rounds" && std::atoi(argv[2]) > 0)
    return std::atoi(argv[2]);
  if (argc == 1) return 12;
  throw Error(argv[1], "unknown argument", "usage: mapgain [--rounds N]");
}

}  // namespace
}  // namespace plait::bench

int main(int argc, char** argv) {
  return plait::bench::benchmark_main(
      [&] { return plait::bench::run(plait::bench::read_rounds(argc, argv)); });
}
