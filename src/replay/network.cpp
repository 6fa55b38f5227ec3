// SPDX-License-Identifier: BSD-3-Clause
// Opens networks: ideal, from a measured machine, or from a specification.
#include "replay/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/json.hpp"
#include "base/json_file.hpp"
#include "machine/figure_checks.hpp"
#include "machine/open_machine.hpp"
#include "model/jacobi_inputs.hpp"
#include "plait/error.hpp"
#include "replay/network_text.hpp"

namespace plait::replay {
namespace {

/// Half round trips are used as one-way times from this many sizes on; fewer give only a latency
/// and a bandwidth.
constexpr std::size_t kCurvePoints = 4;

/// The bandwidth is taken at this size, where the curves are flat.
constexpr std::uint64_t kLongMessage = 1 << 20;

/// Defaults of MPI libraries: Open MPI 4 and 5 (ompi_info: btl_vader_eager_limit,
/// btl_sm_eager_limit 4 KiB; btl_tcp_eager_limit 64 KiB), MPICH 4 (a cell of its shared-memory
/// queues, 16 KiB). Unknown libraries: 64 KiB.
constexpr std::uint64_t kEager = 65536;
constexpr std::uint64_t kOpenMpiSharedMemory = 4096;
constexpr std::uint64_t kMpichSharedMemory = 16384;

std::uint64_t eager_within_node(const machine::Measured& measured) {
  const std::string library = measured.mpi ? measured.mpi->library : "";
  if (library.find("Open MPI") != std::string::npos) return kOpenMpiSharedMemory;
  return library.find("MPICH") != std::string::npos ? kMpichSharedMemory : kEager;
}

/// The limit that the fit found on the path, otherwise the default.
std::uint64_t eager_limit(const machine::Path& of, const machine::Measured& measured) {
  if (of.loggp && of.loggp->eager_limit > 0) return of.loggp->eager_limit;
  return of.id == "network" ? kEager : eager_within_node(measured);
}

/// Takes o and g from the fits if they were measured. The fitted O is valid for eager messages
/// only, but the engine's is for all, so it stays 0.
void take_fits(const machine::LogGp& fits, Path& path) {
  if (fits.overhead_s.measured) path.overhead_s = fits.overhead_s.value;
  if (fits.gap_s.measured) path.gap_s = fits.gap_s.value;
}

void set_interval(const model::Link& link, Path& path) {
  if (link.latency_s.value > 0) {
    path.fastest = link.latency_s.low / link.latency_s.value;
    path.slowest = link.latency_s.high / link.latency_s.value;
  }
  for (const model::Interval& rate : {link.pair_bytes_per_s, link.several_bytes_per_s}) {
    if (rate.low <= 0) continue;
    path.fastest = std::min(path.fastest, rate.value / rate.high);
    path.slowest = std::max(path.slowest, rate.value / rate.low);
  }
}

/// L and G as in the closed forms (model::link_of), and the ping-pong's times by size. A shared
/// card has the bandwidth of several pairs together.
Path measured_path(const machine::Path& of, bool shared) {
  Path path;
  const auto link = model::link_of(of, kLongMessage);
  path.known = link.has_value();
  path.handshake = false;
  if (!link) return path;
  path.latency_s = link->latency_s.value;
  path.seconds_per_byte =
      1 / (shared ? link->several_bytes_per_s.value : link->pair_bytes_per_s.value);
  set_interval(*link, path);
  for (const machine::CurvePoint& point : of.mpi_pingpong) {
    if (!point.half_round_trip_us.usable()) continue;
    path.measured.emplace_back(point.bytes, point.half_round_trip_us.median * 1e-6);
  }
  if (path.measured.size() < kCurvePoints) {
    path.measured.clear();
    return path;
  }
  std::sort(path.measured.begin(), path.measured.end());
  if (of.bare_line_us && of.bare_line_us->usable()) {
    // What MPI adds to the time of a bare cache line is software, half on each side.
    const double line = of.bare_line_us->median * 1e-6;
    path.overhead_s = std::max(0.0, (path.measured.front().second - line) / 2);
  }
  if (of.loggp) take_fits(*of.loggp, path);
  return path;
}

/// Progress in calls only, unless the overlap probe saw long messages move during computation.
Progress measured_progress(const machine::Measured& measured) {
  for (const machine::OverlapVerdict& verdict : measured.overlap_verdicts) {
    const bool of_the_network = verdict.path == "network" && verdict.protocol == "rendezvous";
    if (of_the_network && verdict.setting.empty() && verdict.progresses) return Progress::thread;
  }
  return Progress::in_call;
}

/// Excludes paths between hardware threads of one core: P(k) counts cores, so ranks do not share
/// one.
bool inside_node(const machine::Path& path) {
  return path.id != "network" && path.id != "smt";
}

/// Empty if the file is not JSON or has none.
std::string schema_of(const std::filesystem::path& file) {
  try {
    return parse_json(read_text_file(file)).at("schema").get<std::string>();
  } catch (const nlohmann::json::exception&) {
    return {};
  }
}

Network network_of_machine(const std::string& spec) {
  const machine::MachineFile machine = machine::open_machine(spec);
  if (!machine.measured) {
    throw Error(machine.host, "no measurements of this machine",
                "run plait measure on it, or describe a network: latency=2us,bandwidth=10GB/s");
  }
  return machine_network(*machine.measured, machine.host);
}

}  // namespace

Network ideal_network(std::uint64_t eager_limit) {
  return ideal_network(eager_limit, eager_limit);
}

Network ideal_network(std::uint64_t within_node, std::uint64_t between_nodes) {
  Network network;
  network.name = "ideal";
  network.within_node.eager_limit = within_node;
  network.between_nodes.eager_limit = between_nodes;
  network.shared_cards = false;
  network.progress = Progress::hardware;
  network.collectives = Collectives::dependencies;
  return network;
}

Network machine_network(const machine::Measured& measured, const std::string& machine) {
  Network network;
  network.name = machine;
  network.within_node.known = network.between_nodes.known = false;
  for (const machine::Path& of : measured.paths) {
    Path path = measured_path(of, !inside_node(of));
    if (!path.known) continue;
    path.eager_limit = eager_limit(of, measured);
    if (of.id == "network") {
      network.between_nodes = path;
    } else if (inside_node(of) && (!network.within_node.known ||
                                   path.seconds_per_byte > network.within_node.seconds_per_byte)) {
      network.within_node = path;
    }
  }
  if (!network.within_node.known && !network.between_nodes.known) {
    throw Error(machine, "no measured message times of this machine",
                "run plait measure on it, or describe a network: latency=2us,bandwidth=10GB/s");
  }
  network.progress = measured_progress(measured);
  network.notes = machine::reliability_notes(measured);
  for (const machine::OverlapVerdict& verdict : measured.overlap_verdicts) {
    const bool by_default = verdict.path == "network" && verdict.setting.empty();
    if (verdict.undecided && by_default) network.notes.push_back(verdict.sentence);
  }
  if (model::knows_jacobi_speed(measured)) {
    const model::SpeedTable speed = model::jacobi_speed(measured, machine);
    for (int cores = 1; cores <= speed.cores(); ++cores) {
      network.node_speedup.push_back(speed.at(cores) / speed.at(1));
    }
  }
  return network;
}

Network open_network(const std::string& spec) {
  if (spec == "ideal") return ideal_network();
  if (spec.starts_with("ideal:")) {
    Network network = ideal_network(message_bytes(spec.substr(6)));
    network.name = spec;
    return network;
  }
  if (spec.find('=') != std::string::npos) return network_by_hand(spec);
  if (spec == "machine") return network_of_machine("");
  if (std::filesystem::is_regular_file(spec) && schema_of(spec) == kNetworkSchema) {
    return network_file(spec);
  }
  return network_of_machine(spec);
}

}  // namespace plait::replay
