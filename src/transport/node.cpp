// SPDX-License-Identifier: BSD-3-Clause
// The memory that the processes of a node share, and which of them are there.
#include "transport/node.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "plait/error.hpp"

namespace plait::transport {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint32_t kLooks = 4;  ///< members that one look_for_dead() looks at

struct NodeHeader {
  SegmentHeader segment;
  uint32_t members, design;
  Demand demand;
  alignas(kLine) std::atomic<uint32_t> entered;
  std::atomic<uint32_t> dead;  ///< number + 1
  CpuNotes cpus[kNotedCpus];
};

constexpr uint64_t whole_pages(uint64_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

constexpr uint64_t kMembersAt = whole_pages(sizeof(NodeHeader));

uint64_t fixed_at(uint32_t members) {
  return kMembersAt + whole_pages(members * sizeof(Member));
}

MemberState state_of(const Member& member) {
  return static_cast<MemberState>(member.state.load(std::memory_order_acquire));
}

void set_state(Member& member, MemberState state) {
  member.state.store(static_cast<uint32_t>(state), std::memory_order_release);
}

NodeHeader* header_of(const Segment& segment) {
  return reinterpret_cast<NodeHeader*>(segment.data());
}

}  // namespace

Node Node::create(uint32_t members, uint32_t design, const Demand& demand,
                  const std::string& directory) {
  if (members < 1 || members > kMostMembers) {
    throw Error(std::to_string(members) + " processes", "not a supported number",
                "use 1 to " + std::to_string(kMostMembers));
  }
  const Demand rounded{whole_pages(demand.fixed_bytes), whole_pages(demand.growth_bytes)};
  const uint64_t committed = fixed_at(members) + members * rounded.fixed_bytes;
  Segment segment =
      Segment::create(committed, committed + members * rounded.growth_bytes, directory);
  NodeHeader* const header = header_of(segment);
  header->members = members;
  header->design = design;
  header->demand = rounded;
  return Node(std::move(segment));
}

Node Node::open(const std::string& address) {
  return Node(Segment::open(address));
}

Node::Node(Segment segment)
    : segment_(std::move(segment)),
      members_(header_of(segment_)->members),
      demand_(header_of(segment_)->demand),
      member_(at<Member>(kMembersAt)),
      cpus_(header_of(segment_)->cpus),
      fixed_(fixed_at(members_)),
      growth_(fixed_ + members_ * demand_.fixed_bytes) {}

uint32_t Node::design() const noexcept {
  return header_of(segment_)->design;
}

void Node::enter(uint32_t member) {
  const std::string name = "process " + std::to_string(member);
  if (member >= members_) {
    throw Error(name, "the node has " + std::to_string(members_) + " processes",
                "number them from 0");
  }
  auto absent = static_cast<uint32_t>(MemberState::absent);
  Member& me = member_[member];
  const bool held = segment_.hold(member);
  if (!held ||
      !me.state.compare_exchange_strong(absent, static_cast<uint32_t>(MemberState::entering))) {
    // A lock is the process': one of its own members keeps it.
    if (held && !own_[member].load(std::memory_order_relaxed)) segment_.release(member);
    throw Error(name, "another process has this number", "give each process its own");
  }
  own_[member].store(true, std::memory_order_relaxed);
  me.process.store(static_cast<int32_t>(getpid()), std::memory_order_relaxed);
  set_state(me, MemberState::present);
  header_of(segment_)->entered.fetch_add(1, std::memory_order_acq_rel);
}

void Node::leave(uint32_t member) noexcept {
  set_state(member_[member], MemberState::left);
}

bool Node::all_entered() const noexcept {
  return header_of(segment_)->entered.load(std::memory_order_acquire) == members_;
}

int Node::dead_member() const noexcept {
  // A process that has announced to sleep looks at it, so it must not see an old value.
  return static_cast<int>(header_of(segment_)->dead.load(std::memory_order_seq_cst)) - 1;
}

bool Node::is_dead(uint32_t member) const noexcept {
  const Member& other = member_[member];
  if (own_[member].load(std::memory_order_relaxed)) return false;
  if (state_of(other) != MemberState::present) return false;
  // It may have left after the first look, and ended.
  return !segment_.is_held(member) && state_of(other) == MemberState::present;
}

void Node::look_for_dead(uint32_t& at) noexcept {
  for (uint32_t look = 0; look < std::min(kLooks, members_) && !failed(); ++look) {
    at = at + 1 < members_ ? at + 1 : 0;
    if (!is_dead(at)) continue;
    uint32_t none = 0;
    header_of(segment_)->dead.compare_exchange_strong(none, at + 1);
    for (uint32_t member = 0; member < members_; ++member) bell(member).wake_if_asleep();
  }
}

}  // namespace plait::transport
