// SPDX-License-Identifier: BSD-3-Clause
// The cluster's network: links between nodes and the head's bridge, or the switch with latency.
#include "cluster/network.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/ethtool.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <thread>
#include <tuple>

#include "base/failure.hpp"
#include "base/subprocess.hpp"
#include "cluster/cluster.hpp"
#include "plait/error.hpp"

namespace plait::cluster {
namespace {

constexpr std::chrono::seconds kPatience{20};

/// The longest packets of IP. A node's own cores process its packets, so more and smaller ones
/// would take time that real network cards do not take.
constexpr int kPacketBytes = 65535;

/// Runs commands of ip, one per line.
void ip(const std::string& lines, const std::string& what, const std::string& module) {
  const CommandResult result = run_command({network_tool("ip"), "-batch", "-"}, kPatience, lines);
  if (result.exit_code == 0) return;
  throw Failure(what, result.err.substr(0, result.err.find('\n')),
                "load the kernel module " + module, kNotAllowed);
}

/// Writes a setting of the kernel. Best effort.
void put(const char* path, const char* value) {
  const Descriptor file(::open(path, O_WRONLY | O_CLOEXEC));
  if (file.get() >= 0) std::ignore = ::write(file.get(), value, std::strlen(value));
}

/// Selects Reno, which every Linux has: other congestion controls pace packets by what they learn
/// of the network and start again after each pause between exchanges. Disables IPv6, which would
/// only add addresses for MPI libraries to try.
void set_protocols() {
  put("/proc/sys/net/ipv4/tcp_congestion_control", "reno");
  put("/proc/sys/net/ipv6/conf/all/disable_ipv6", "1");
}

/// Passes packets through the bridge of this namespace without a look at its firewall.
void skip_firewall() {
  for (const char* name : {"iptables", "ip6tables", "arptables"}) {
    put(fmt::format("/proc/sys/net/bridge/bridge-nf-call-{}", name).c_str(), "0");
  }
}

/// Keeps packets in order, as over a cable. A virtual pair puts each packet into the queue of the
/// CPU that sends it, unless the receiver collects packets (GRO) that the sender does not bundle
/// (TSO): then one CPU at a time takes all. Packets out of order make TCP retransmit.
void keep_order(const char* interface) {
  const Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  for (ethtool_value feature : {ethtool_value{ETHTOOL_STSO, 0}, ethtool_value{ETHTOOL_SGRO, 1}}) {
    ifreq request{};
    std::strncpy(request.ifr_name, interface, IFNAMSIZ - 1);
    request.ifr_data = reinterpret_cast<char*>(&feature);
    ::ioctl(socket.get(), SIOCETHTOOL, &request);
  }
}

[[noreturn]] void throw_no_port() {
  throw Failure("latency", fmt::format("cannot open a packet socket ({})", std::strerror(errno)),
                "load the kernel module af_packet, or leave out --latency", kNotAllowed);
}

/// A socket that receives all packets of an interface and sends through it.
Descriptor open_port(const std::string& interface) {
  Descriptor port(::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (port.get() < 0) throw_no_port();
  const auto set = [&](int level, int option, int value) {
    return ::setsockopt(port.get(), level, option, &value, sizeof value) == 0;
  };
  // Large buffers, so that no packet is dropped while the switch is late.
  set(SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20);
  set(SOL_SOCKET, SO_SNDBUFFORCE, 64 << 20);
  set(SOL_PACKET, PACKET_QDISC_BYPASS, 1);
  // Pass bundles of segments whole and checksums unchanged, as within a machine.
  set(SOL_PACKET, PACKET_VNET_HDR, 1);
  set(SOL_SOCKET, SO_TIMESTAMPNS, 1);
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ALL);
  address.sll_ifindex = static_cast<int>(::if_nametoindex(interface.c_str()));
  if (!set(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1) ||
      ::bind(port.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw_no_port();
  }
  return port;
}

/// The command of ip that creates a link to the network namespace of a process. Sets an index,
/// because an interface with the index of its other end learns the state of that end up to a second
/// late.
std::string make_link(std::size_t number, pid_t process) {
  constexpr std::size_t kFirstIndex = 1000;
  return fmt::format("link add link{} index {} type veth peer name {} netns {}\n", number,
                     kFirstIndex + number, kInterface, process);
}

/// Waits until the interface sees that its other end is up; MPI libraries ignore it until then.
void wait_for_carrier() {
  const Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  for (int patience_ms = 3000; patience_ms > 0; --patience_ms) {
    ifreq request{};
    std::strncpy(request.ifr_name, kInterface, IFNAMSIZ - 1);
    if (::ioctl(socket.get(), SIOCGIFFLAGS, &request) == 0 &&
        (request.ifr_flags & IFF_RUNNING) != 0) {
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

std::string node_address(int index) {
  return fmt::format("10.77.0.{}", index + 1);
}

std::string network_tool(const std::string& name) {
  for (const char* folder : {"", "/usr/sbin/", "/sbin/"}) {
    if (const std::string found = find_in_path(folder + name); !found.empty()) return found;
  }
  throw Failure(name, "command not found", "install iproute2", kNotAllowed);
}

void join_by_bridge(const std::vector<pid_t>& holders) {
  ip(fmt::format("link add {} type bridge\n", kInterface), "bridge", "bridge");
  skip_firewall();
  std::string lines;
  for (std::size_t node = 0; node < holders.size(); ++node) {
    lines += make_link(node, holders[node]);
    lines += fmt::format("link set link{} mtu {} master {} up\n", node, kPacketBytes, kInterface);
  }
  ip(lines, "virtual Ethernet pair", "veth");
  for (std::size_t node = 0; node < holders.size(); ++node) {
    keep_order(fmt::format("link{}", node).c_str());
    in_network_of(holders[node], [] { keep_order(kInterface); });
  }
}

std::vector<Descriptor> make_ports(const std::vector<pid_t>& holders) {
  std::vector<pid_t> ends = holders;
  ends.push_back(1);
  std::string lines;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    lines += make_link(i, ends[i]) + fmt::format("link set link{} up\n", i);
  }
  set_protocols();
  ip(lines, "virtual Ethernet pair", "veth");
  std::vector<Descriptor> ports;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    ports.push_back(open_port(fmt::format("link{}", i)));
  }
  return ports;
}

void set_addresses(const std::vector<pid_t>& holders) {
  const auto set = [](const std::string& address) {
    set_protocols();
    ip(fmt::format("link set lo up\naddress add {}/24 dev {}\nlink set {} up\n", address,
                   kInterface, kInterface),
       "address " + address, "veth");
  };
  set(kHeadAddress);
  for (std::size_t node = 0; node < holders.size(); ++node) {
    in_network_of(holders[node], [&] { set(node_address(static_cast<int>(node))); });
  }
  // Not earlier: a bridge is up once one of its links is up at both ends.
  wait_for_carrier();
  for (const pid_t holder : holders) in_network_of(holder, wait_for_carrier);
}

LinkEnd node_end(double bytes_per_second, double burst_bytes) {
  constexpr double kSlack_s = 80e-6, kQueue_s = 0.05;
  const double queue_bytes = std::max({64.0 * 1024, kQueue_s * bytes_per_second, 4 * burst_bytes});
  return {kInterface, std::max(kSlack_s, burst_bytes / bytes_per_second), std::lround(queue_bytes)};
}

LinkEnd bridge_end(std::size_t node, double bytes_per_second, double burst_bytes) {
  constexpr double kSlack_s = 512e-6;
  return {fmt::format("link{}", node), std::max(kSlack_s, 2 * burst_bytes / bytes_per_second),
          32L << 20};
}

int bucket_bytes(const LinkEnd& end, double bytes_per_second) {
  return std::max(5 * 1024, static_cast<int>(std::lround(bytes_per_second * end.slack_s)));
}

std::vector<std::string> rate_arguments(const LinkEnd& end, double bytes_per_second) {
  return {"qdisc", "replace",
          "dev",   end.interface,
          "root",  "tbf",
          "rate",  fmt::format("{:.0f}bit", 8 * bytes_per_second),
          "burst", fmt::format("{}b", bucket_bytes(end, bytes_per_second)),
          "limit", fmt::format("{}b", end.queue_bytes)};
}

std::vector<std::string> packet_arguments(const LinkEnd& end, double bytes_per_second) {
  // If a packet leaves little room in the bucket, it is soon full, and loses rate to late timers.
  const int bytes = std::min(kPacketBytes, bucket_bytes(end, bytes_per_second) * 6 / 10);
  return {"link", "set", end.interface, "mtu", std::to_string(bytes)};
}

std::vector<std::string> bundle_arguments(const LinkEnd& end, double bytes_per_second) {
  // Leave a tenth for the headers of the segments.
  const int bytes = std::min(kPacketBytes, bucket_bytes(end, bytes_per_second) * 9 / 10);
  return {"link", "set", end.interface, "gso_max_size", std::to_string(bytes)};
}

}  // namespace plait::cluster
