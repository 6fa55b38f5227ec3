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

/// Gives the nodes, then the head, an interface each whose packets come out of a descriptor and go
/// in there: the ports of a switch.
/// @throws Error (exit code 77) when the kernel lacks something.
std::vector<Descriptor> join_by_ports(const std::vector<pid_t>& holders);

/// Bytes that a link's token bucket holds: 5 KiB, or what flows in 40 us if that is more, since
/// timers are not finer. A bucket that held a message would let it pass without the rate.
int bucket_bytes(double bytes_per_second);

/// The arguments of tc that set the rate at which an interface of the calling process' network
/// namespace sends.
/// @param queue_bytes  what may wait; more is dropped
std::vector<std::string> rate_arguments(const std::string& interface, double bytes_per_second,
                                        long queue_bytes);

}  // namespace plait::cluster
