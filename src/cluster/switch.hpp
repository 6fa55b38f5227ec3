// SPDX-License-Identifier: BSD-3-Clause
// The switch of a cluster with added latency: delays each packet, then forwards it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <unordered_map>
#include <vector>

#include "cluster/namespaces.hpp"

namespace plait::cluster {

/// Work that the sender leaves to the hardware: virtio_net_hdr of Linux, whose header is not C++.
struct Offload {
  std::uint8_t flags = 0, bundle = 0;  ///< bundle: kind of the segments; 0: a single packet
  std::uint16_t header_bytes = 0, segment_bytes = 0;
  std::uint16_t checksum_start = 0, checksum_offset = 0;
};

/// A packet at a port: an Offload, then an Ethernet packet or a bundle of segments.
using Packet = std::vector<unsigned char>;

/// Schedules when packets leave a switch, and through which ports. Times are ns of one clock.
class PacketQueues {
public:
  /// @param ports  number of ports; all but the last, the head's, send at the nodes' rate
  PacketQueues(std::size_t ports, std::int64_t latency_ns) : latency_ns_(latency_ns), out_(ports) {}

  void set_rate(double bytes_per_second) { bytes_per_ns_ = bytes_per_second * 1e-9; }

  /// Queues a packet that arrived at a port for the port of its destination, or, if that is
  /// unknown, for all others. Learns the port of the sender's address.
  void take(std::size_t from, Packet packet, std::int64_t now);

  /// When the next packet leaves; nothing if none waits.
  [[nodiscard]] std::optional<std::int64_t> next() const;

  struct Departure {
    std::size_t port;
    Packet packet;
  };
  /// Removes a packet that leaves by `now`; nothing if there is none.
  std::optional<Departure> leaving(std::int64_t now);

private:
  struct Waiting {
    std::int64_t leaves;
    Packet packet;
  };
  struct Out {
    std::deque<Waiting> waiting;
    std::size_t bytes = 0;
    std::int64_t free_at = 0;  ///< when the previous packet has left completely
  };
  void queue(std::size_t to, Packet packet, std::int64_t now);

  std::int64_t latency_ns_;
  double bytes_per_ns_ = 0;
  std::vector<Out> out_;
  std::unordered_map<std::uint64_t, std::size_t> port_of_;  ///< by Ethernet address
};

/// Writes the rate of a switch into the cluster's folder; a running switch follows it.
/// @throws Error when it cannot be written.
void write_switch_rate(const std::filesystem::path& folder, double bytes_per_second);

/// Forwards packets between ports until the process is killed.
/// @param folder  the cluster's, with the rate
[[noreturn]] void run_switch(const std::vector<Descriptor>& ports, double latency_s,
                             const std::filesystem::path& folder);

}  // namespace plait::cluster
