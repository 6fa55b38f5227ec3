// SPDX-License-Identifier: BSD-3-Clause
// The cluster's network: links between nodes and the head's bridge, or the switch with latency.
#include "cluster/network.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>

#include "base/subprocess.hpp"
#include "cluster/cluster.hpp"
#include "plait/error.hpp"

namespace plait::cluster {
namespace {

constexpr std::chrono::seconds kPatience{20};

/// Runs commands of ip, one a line.
void ip(const std::string& lines, const std::string& what, const std::string& module) {
  const CommandResult result = run_command({network_tool("ip"), "-batch", "-"}, kPatience, lines);
  if (result.exit_code == 0) return;
  throw Error(what, result.err.substr(0, result.err.find('\n')),
              "load the kernel's module " + module, kNotAllowed);
}

/// Every Linux has Reno. Others, if this machine prefers them, pace packets by what they have
/// learned of the network, anew for each pause between exchanges. IPv6 would only add addresses
/// that MPI libraries then try. Where the system does not let us, they stay.
void settle_protocols() {
  const auto put = [](const char* path, const char* value) {
    const Descriptor file(::open(path, O_WRONLY | O_CLOEXEC));
    return file.get() >= 0 && ::write(file.get(), value, std::strlen(value)) > 0;
  };
  put("/proc/sys/net/ipv4/tcp_congestion_control", "reno");
  put("/proc/sys/net/ipv6/conf/all/disable_ipv6", "1");
}

std::string interface_up(const std::string& address) {
  return fmt::format("link set lo up\naddress add {}/24 dev {}\nlink set {} up\n", address,
                     kInterface, kInterface);
}

/// An Ethernet interface of the calling process' network namespace, of which this process is the
/// cable.
Descriptor open_port() {
  Descriptor port(::open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK));
  ifreq request{};
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  std::strncpy(request.ifr_name, kInterface, IFNAMSIZ - 1);
  if (port.get() < 0 || ::ioctl(port.get(), TUNSETIFF, &request) != 0) {
    throw Error("latency", fmt::format("/dev/net/tun: {}", std::strerror(errno)),
                "load the kernel's module tun, or leave --latency out", kNotAllowed);
  }
  return port;
}

}  // namespace

std::string node_address(int index) {
  return fmt::format("10.77.0.{}", index + 1);
}

std::string network_tool(const std::string& name) {
  for (const char* folder : {"", "/usr/sbin/", "/sbin/"}) {
    if (const std::string found = find_in_path(folder + name); !found.empty()) return found;
  }
  throw Error(name, "command not found", "install iproute2", kNotAllowed);
}

void join_by_bridge(const std::vector<pid_t>& holders) {
  ip(fmt::format("link add {} type bridge\n", kInterface), "bridge", "bridge");
  settle_protocols();
  std::string lines;
  for (std::size_t node = 0; node < holders.size(); ++node) {
    lines += fmt::format(
        "link add link{} type veth peer name {} netns {}\nlink set link{} master {} up\n", node,
        kInterface, holders[node], node, kInterface);
  }
  ip(lines, "virtual Ethernet pair", "veth");
  ip(interface_up(kHeadAddress), "head's network", "bridge");
  for (std::size_t node = 0; node < holders.size(); ++node) {
    in_network_of(holders[node], [&] {
      settle_protocols();
      ip(interface_up(node_address(static_cast<int>(node))), "node's network", "veth");
    });
  }
}

std::vector<Descriptor> join_by_ports(const std::vector<pid_t>& holders) {
  std::vector<Descriptor> ports;
  const auto join = [&](const std::string& address) {
    ports.push_back(open_port());
    settle_protocols();
    // The switch may be late: what has come meanwhile must not be dropped.
    ip(fmt::format("link set {} txqueuelen 10000\n", kInterface) + interface_up(address),
       "port of the switch", "tun");
  };
  for (std::size_t node = 0; node < holders.size(); ++node) {
    in_network_of(holders[node], [&] { join(node_address(static_cast<int>(node))); });
  }
  join(kHeadAddress);
  return ports;
}

int bucket_bytes(double bytes_per_second) {
  return std::max(5 * 1024, static_cast<int>(std::lround(bytes_per_second * 40e-6)));
}

std::vector<std::string> rate_arguments(const std::string& interface, double bytes_per_second,
                                        long queue_bytes) {
  return {"qdisc", "replace",
          "dev",   interface,
          "root",  "tbf",
          "rate",  fmt::format("{:.0f}bit", 8 * bytes_per_second),
          "burst", fmt::format("{}b", bucket_bytes(bytes_per_second)),
          "limit", fmt::format("{}b", queue_bytes)};
}

}  // namespace plait::cluster
