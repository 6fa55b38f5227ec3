// SPDX-License-Identifier: BSD-3-Clause
// The switch of a cluster with latency: holds each packet for that long, then sends it on.
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

/// What a sender has left to hardware: Linux' virtio_net_hdr, whose header is none of C++.
struct Offload {
  std::uint8_t flags = 0, bundle = 0;  ///< bundle: kind of the segments; 0: a single packet
  std::uint16_t header_bytes = 0, segment_bytes = 0;
  std::uint16_t checksum_start = 0, checksum_offset = 0;
};

/// As a port gives and takes it: an Offload, then the Ethernet packet, or a bundle of segments.
using Packet = std::vector<unsigned char>;

/// When packets leave a switch, and by which ports. Times are nanoseconds of one clock.
class PacketQueues {
public:
  /// @param ports  how many; all but the last, the head's, send at the nodes' rate
  PacketQueues(std::size_t ports, std::int64_t latency_ns) : latency_ns_(latency_ns), out_(ports) {}

  void set_rate(double bytes_per_second) { bytes_per_ns_ = bytes_per_second * 1e-9; }

  /// Takes a packet that came by a port: by its Ethernet addresses the switch learns who is where,
  /// and sends it to one port, or to all others.
  void take(std::size_t from, Packet packet, std::int64_t now);

  /// When the next packet leaves.
  [[nodiscard]] std::optional<std::int64_t> next() const;

  struct Departure {
    std::size_t port;
    Packet packet;
  };
  /// A packet that leaves by now.
  std::optional<Departure> leaving(std::int64_t now);

private:
  struct Waiting {
    std::int64_t leaves;
    Packet packet;
  };
  struct Out {
    std::deque<Waiting> waiting;
    std::size_t bytes = 0;
    std::int64_t free_at = 0;  ///< when the packet before has left as a whole
  };
  void queue(std::size_t to, Packet packet, std::int64_t now);

  std::int64_t latency_ns_;
  double bytes_per_ns_ = 0;
  std::vector<Out> out_;
  std::unordered_map<std::uint64_t, std::size_t> port_of_;  ///< by Ethernet address
};

/// The rate of a running switch, in a file that set_rate changes.
void write_switch_rate(const std::filesystem::path& folder, double bytes_per_second);

/// Switches packets between ports until it is killed.
/// @param folder  the cluster's, with the rate
[[noreturn]] void run_switch(const std::vector<Descriptor>& ports, double latency_s,
                             const std::filesystem::path& folder);

}  // namespace plait::cluster
