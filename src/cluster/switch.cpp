// SPDX-License-Identifier: BSD-3-Clause
// The switch of a cluster with added latency: delays each packet, then forwards it.
#include "cluster/switch.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <ctime>

#include "base/failure.hpp"
#include "cluster/rights.hpp"
#include "plait/error.hpp"

namespace plait::cluster {
namespace {

constexpr std::size_t kQueueBytes = 16 << 20;  ///< may wait for one port; more are dropped
constexpr const char* kRateFile = "rate";

std::int64_t nanoseconds(const timespec& time) {
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

std::int64_t now_ns(clockid_t clock = CLOCK_MONOTONIC) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return nanoseconds(now);
}

std::uint64_t address_at(const Packet& packet, std::size_t at) {
  std::uint64_t address = 0;
  for (std::size_t i = 0; i < 6; ++i) address = address << 8 | packet[sizeof(Offload) + at + i];
  return address;
}

/// Bytes on a wire, where each segment of a bundle has its own headers.
std::size_t wire_bytes(const Packet& packet) {
  Offload offload;
  std::memcpy(&offload, packet.data(), sizeof offload);
  const std::size_t frame = packet.size() - sizeof offload;
  if (offload.bundle == 0 || offload.segment_bytes == 0) return frame;
  const std::size_t headers = std::min<std::size_t>(offload.header_bytes, frame);
  const std::size_t segments =
      (frame - headers + offload.segment_bytes - 1) / offload.segment_bytes;
  return frame + (std::max<std::size_t>(segments, 1) - 1) * headers;
}

/// The rate that set_rate wrote last, in a page shared with the file.
class SharedRate {
public:
  explicit SharedRate(const std::filesystem::path& folder, bool writes) {
    const Descriptor file(::open((folder / kRateFile).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (file.get() < 0 || ::ftruncate(file.get(), sizeof(double)) != 0) return;
    void* const page = ::mmap(nullptr, sizeof(double), writes ? PROT_READ | PROT_WRITE : PROT_READ,
                              MAP_SHARED, file.get(), 0);
    if (page != MAP_FAILED) rate_ = static_cast<double*>(page);
  }
  ~SharedRate() {
    if (rate_ != nullptr) ::munmap(rate_, sizeof(double));
  }
  SharedRate(const SharedRate&) = delete;
  SharedRate& operator=(const SharedRate&) = delete;

  [[nodiscard]] bool open() const { return rate_ != nullptr; }
  [[nodiscard]] double get() const { return std::atomic_ref(*rate_).load(); }
  void set(double rate) { std::atomic_ref(*rate_).store(rate); }

private:
  double* rate_ = nullptr;
};

/// How long ago the kernel received a packet, by the system clock, which may have been set since.
std::int64_t age_ns(msghdr& message, std::int64_t now) {
  constexpr std::int64_t kOldest = 10'000'000;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_TIMESTAMPNS) continue;
    timespec came{};
    std::memcpy(&came, CMSG_DATA(part), sizeof came);
    const std::int64_t age = now - nanoseconds(came);
    return age > kOldest ? 0 : std::max<std::int64_t>(0, age);
  }
  return 0;
}

/// Takes up to 64 packets from a port, so that others get their turn.
void take_all(int port, std::size_t index, PacketQueues& queues) {
  std::array<unsigned char, 65536 + 64> buffer;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(timespec))> parts;
  for (int i = 0; i < 64; ++i) {
    iovec bytes{buffer.data(), buffer.size()};
    msghdr message{};
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    message.msg_control = parts.data();
    message.msg_controllen = parts.size();
    const ssize_t length = ::recvmsg(port, &message, 0);
    if (length <= 0) return;
    // The latency starts when a packet arrives, not when this process wakes up for it.
    queues.take(index, Packet(buffer.data(), buffer.data() + length),
                now_ns() - age_ns(message, now_ns(CLOCK_REALTIME)));
  }
}

}  // namespace

void PacketQueues::take(std::size_t from, Packet packet, std::int64_t now) {
  constexpr std::size_t kHeaderBytes = 14;  // of Ethernet: two addresses and a type
  if (packet.size() < sizeof(Offload) + kHeaderBytes) return;
  port_of_[address_at(packet, 6)] = from;
  if (const auto known = port_of_.find(address_at(packet, 0)); known != port_of_.end()) {
    if (known->second != from) queue(known->second, std::move(packet), now);
    return;
  }
  for (std::size_t to = 0; to < out_.size(); ++to) {
    if (to != from) queue(to, packet, now);
  }
}

void PacketQueues::queue(std::size_t to, Packet packet, std::int64_t now) {
  Out& out = out_[to];
  if (out.bytes + packet.size() > kQueueBytes) return;
  // The sender's link has already limited the rate; only packets of several senders queue here.
  const std::int64_t leaves = std::max(now + latency_ns_, out.free_at);
  out.free_at = leaves;
  if (to + 1 < out_.size() && bytes_per_ns_ > 0) {
    out.free_at += std::llround(static_cast<double>(wire_bytes(packet)) / bytes_per_ns_);
  }
  out.bytes += packet.size();
  out.waiting.push_back({leaves, std::move(packet)});
}

std::optional<std::int64_t> PacketQueues::next() const {
  std::optional<std::int64_t> first;
  for (const Out& out : out_) {
    if (out.waiting.empty()) continue;
    if (!first || out.waiting.front().leaves < *first) first = out.waiting.front().leaves;
  }
  return first;
}

std::optional<PacketQueues::Departure> PacketQueues::leaving(std::int64_t now) {
  for (std::size_t port = 0; port < out_.size(); ++port) {
    Out& out = out_[port];
    if (out.waiting.empty() || out.waiting.front().leaves > now) continue;
    Departure departure{port, std::move(out.waiting.front().packet)};
    out.waiting.pop_front();
    out.bytes -= departure.packet.size();
    return departure;
  }
  return std::nullopt;
}

void write_switch_rate(const std::filesystem::path& folder, double bytes_per_second) {
  SharedRate rate(folder, true);
  if (!rate.open()) throw Failure((folder / kRateFile).string(), "cannot be written", "");
  rate.set(bytes_per_second);
}

void run_switch(const std::vector<Descriptor>& ports, double latency_s,
                const std::filesystem::path& folder) {
  // A late switch adds latency, so it runs before programs, even those with real-time priority.
  // Best effort.
  const sched_param priority{::sched_get_priority_max(SCHED_FIFO) / 2};
  ::sched_setscheduler(0, SCHED_FIFO, &priority);
  ::prctl(PR_SET_TIMERSLACK, 1);
  const SharedRate rate(folder, false);
  drop_rights();
  PacketQueues queues(ports.size(), std::llround(latency_s * 1e9));
  std::vector<pollfd> waits;
  for (const Descriptor& port : ports) waits.push_back({port.get(), POLLIN, 0});
  while (rate.open()) {
    timespec patience{};
    const auto next = queues.next();
    if (next) {
      const std::int64_t left = std::max<std::int64_t>(0, *next - now_ns());
      patience = {static_cast<time_t>(left / 1'000'000'000), left % 1'000'000'000};
    }
    ::ppoll(waits.data(), waits.size(), next ? &patience : nullptr, nullptr);
    queues.set_rate(rate.get());
    for (std::size_t index = 0; index < waits.size(); ++index) {
      if (waits[index].revents != 0) take_all(waits[index].fd, index, queues);
    }
    while (const auto departure = queues.leaving(now_ns())) {
      // A port that is down takes nothing, like an unplugged link.
      [[maybe_unused]] const ssize_t sent =
          ::write(ports[departure->port].get(), departure->packet.data(), departure->packet.size());
    }
  }
  ::_exit(1);
}

}  // namespace plait::cluster
