// SPDX-License-Identifier: BSD-3-Clause
// The cluster's network: links between nodes and the head's bridge, or the switch with latency.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "cluster/namespaces.hpp"

namespace plait::cluster {

/// Addresses in 10.77.0.0/24.
std::string node_address(int index);
inline constexpr const char* kHeadAddress = "10.77.0.254";

/// Every node's and the head's interface.
inline constexpr const char* kInterface = "eth0";

/// The commands ip and tc of iproute2. They are often outside an ordinary user's PATH.
/// @throws Error (exit code 77) when not installed.
std::string network_tool(const std::string& name);

/// Joins the nodes by virtual Ethernet pairs to a bridge on the head, in whose namespaces the
/// caller is.
/// @param holders  the nodes' processes
/// @throws Error (exit code 77) when the kernel lacks something.
void join_by_bridge(const std::vector<pid_t>& holders);

/// Joins the nodes, then the head (process 1), by virtual Ethernet pairs to the caller's network
/// namespace, where their packets come out of a descriptor and go in: the ports of a switch.
/// @throws Error (exit code 77) when the kernel lacks something.
std::vector<Descriptor> make_ports(const std::vector<pid_t>& holders);

/// Gives the nodes, and the head, in whose namespaces the caller is, their addresses.
/// @throws Error (exit code 77) when the kernel refuses.
void set_addresses(const std::vector<pid_t>& holders);

/// The token bucket at one end of a link. It holds 5 KiB, or what flows within `slack_s` if that is
/// more: one that held a message would let it pass without the rate.
struct LinkEnd {
  std::string interface;
  double slack_s = 0;    ///< by how much timers may be late at no loss of rate
  long queue_bytes = 0;  ///< what may wait; more is dropped
};

/// A node's end. Its queue makes senders wait.
LinkEnd node_end(double bytes_per_second);

/// The bridge's end. What comes from one node has been held to the rate already, so that it limits
/// only what comes from several at once; of the first end's rate it must take nothing.
LinkEnd bridge_end(std::size_t node);

/// Bytes that the bucket of a link's end holds.
int bucket_bytes(const LinkEnd& end, double bytes_per_second);

/// The arguments of tc that set the rate at which an end sends, in its network namespace.
std::vector<std::string> rate_arguments(const LinkEnd& end, double bytes_per_second);

/// The arguments of ip that let TCP bundle as many segments as the bucket of an end holds. A larger
/// bundle would be taken apart there, and each of its packets would cost the switch as much.
std::vector<std::string> bundle_arguments(const LinkEnd& end, double bytes_per_second);

}  // namespace plait::cluster
