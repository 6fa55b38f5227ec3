// SPDX-License-Identifier: BSD-3-Clause
// The cluster's network: links between nodes and the head's bridge, or the switch with latency.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "cluster/namespaces.hpp"

namespace plait::cluster {

/// The address of a node, in 10.77.0.0/24.
std::string node_address(int index);
inline constexpr const char* kHeadAddress = "10.77.0.254";

/// The interface of every node and of the head.
inline constexpr const char* kInterface = "eth0";

/// The path of a command of iproute2 (ip, tc), which is often outside an ordinary user's PATH.
/// @throws Error (exit code 77) when it is not installed.
std::string network_tool(const std::string& name);

/// Connects the nodes by virtual Ethernet pairs to a bridge on the head. The caller is in the
/// head's namespaces.
/// @param holders  the processes that keep the nodes' namespaces
/// @throws Error (exit code 77) when the kernel does not support it.
void join_by_bridge(const std::vector<pid_t>& holders);

/// Connects the nodes, then the head (process 1), by virtual Ethernet pairs to the caller's network
/// namespace, as the ports of a switch.
/// @returns one descriptor per port, to receive and send its packets
/// @throws Error (exit code 77) when the kernel does not support it.
std::vector<Descriptor> make_ports(const std::vector<pid_t>& holders);

/// Sets the addresses of the nodes and of the head, in whose namespaces the caller is.
/// @throws Error (exit code 77) when the kernel does not permit it.
void set_addresses(const std::vector<pid_t>& holders);

/// The token bucket at one end of a link. It holds 5 KiB, or what flows within `slack_s` if that is
/// more: a bucket as large as a message would let it pass without limit.
struct LinkEnd {
  std::string interface;
  double slack_s = 0;    ///< delay of timers that does not reduce the rate
  long queue_bytes = 0;  ///< bytes that may wait; more are dropped
};

/// The node's end. Its queue makes senders wait.
/// @param burst_bytes  the bucket holds so much, or what flows within 80 us if that is more
LinkEnd node_end(double bytes_per_second, double burst_bytes);

/// The bridge's end. Packets of one node are already limited by the node's end, whose rate this end
/// must not reduce; it limits packets of several nodes at once.
LinkEnd bridge_end(std::size_t node, double bytes_per_second, double burst_bytes);

/// The size of the token bucket.
int bucket_bytes(const LinkEnd& end, double bytes_per_second);

/// Arguments of tc that set the rate at which an end sends, to be run in its network namespace.
std::vector<std::string> rate_arguments(const LinkEnd& end, double bytes_per_second);

/// Arguments of ip that set the largest packet of an end, which fills part of its bucket.
std::vector<std::string> packet_arguments(const LinkEnd& end, double bytes_per_second);

/// Arguments of ip that limit TCP's bundles of segments to the bucket of an end. Larger bundles
/// would be split there, and each of their packets would cost the switch as much as a bundle.
std::vector<std::string> bundle_arguments(const LinkEnd& end, double bytes_per_second);

}  // namespace plait::cluster
