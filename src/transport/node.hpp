// SPDX-License-Identifier: BSD-3-Clause
// The memory that the processes of a node share, and which of them are there.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "transport/bell.hpp"
#include "transport/segment.hpp"

namespace plait::transport {

inline constexpr uint32_t kMostMembers = 1024;
inline constexpr std::size_t kLine = 64;  ///< bytes of a cache line

/// How much memory a queue design needs.
struct Demand {
  uint64_t fixed_bytes;   ///< per member, reserved when the node is created
  uint64_t growth_bytes;  ///< per member, addresses for memory that it reserves later
};

/// What all members know of one.
struct alignas(2 * kLine) Member {
  Bell bell;
  alignas(kLine) std::atomic<uint32_t> state;  ///< MemberState
  std::atomic<int32_t> process;                ///< since it entered
};

/// What members note of a CPU on which they run.
struct alignas(kLine) CpuNotes {
  /// Twice the time since when a member runs there, in ticks; one more: when it has yielded.
  std::atomic<uint64_t> last;
  std::atomic<uint64_t> taken;            ///< when another program last had it for long, in ticks
  std::atomic<uint64_t> disturbed_until;  ///< other programs use it until then, in ticks
};
inline constexpr uint32_t kNotedCpus = 256;  ///< CPUs with greater numbers share the notes

enum class MemberState : uint32_t { absent, entering, present, left };

/// The processes of a node, numbered from 0, over one segment. A process has one object per node;
/// its threads may be several members.
class Node {
public:
  /// @param design  a number that other processes get from design()
  /// @throws Error when there is no room
  static Node create(uint32_t members, uint32_t design, const Demand& demand,
                     const std::string& directory = "/dev/shm");

  /// @param address  of the node, from the process that created it
  /// @throws Error as Segment::open does
  static Node open(const std::string& address);

  [[nodiscard]] std::string address() const { return segment_.address(); }
  [[nodiscard]] uint32_t members() const noexcept { return members_; }
  [[nodiscard]] uint32_t design() const noexcept;

  /// Becomes a member. @throws Error when there is no such member, or another process is it
  void enter(uint32_t member);
  void leave(uint32_t member) noexcept;

  /// True when each has entered; some may have left again.
  [[nodiscard]] bool all_entered() const noexcept;

  /// The process that has entered as a member.
  [[nodiscard]] int32_t process(uint32_t member) const noexcept {
    return member_[member].process.load(std::memory_order_relaxed);
  }

  [[nodiscard]] Bell& bell(uint32_t member) const noexcept { return member_[member].bell; }

  /// The memory of a member: its fixed bytes, and addresses in which it may grow.
  [[nodiscard]] uint64_t fixed(uint32_t member) const noexcept {
    return fixed_ + member * demand_.fixed_bytes;
  }
  [[nodiscard]] uint64_t growth(uint32_t member) const noexcept {
    return growth_ + member * demand_.growth_bytes;
  }
  [[nodiscard]] const Demand& demand() const noexcept { return demand_; }
  [[nodiscard]] const Segment& segment() const noexcept { return segment_; }

  /// The object at an offset from the start of the segment, which is the same in all processes.
  template <class T>
  [[nodiscard]] T* at(uint64_t offset) const noexcept {
    return reinterpret_cast<T*>(segment_.data() + offset);
  }
  [[nodiscard]] uint64_t offset(const void* address) const noexcept {
    return static_cast<uint64_t>(static_cast<const std::byte*>(address) - segment_.data());
  }

  [[nodiscard]] CpuNotes& notes_of(uint32_t cpu) const noexcept { return cpus_[cpu % kNotedCpus]; }

  /// True since a process was found dead that had not left. Nobody can rely on queues then.
  [[nodiscard]] bool failed() const noexcept { return dead_member() >= 0; }
  /// The number of that process, or -1.
  [[nodiscard]] int dead_member() const noexcept;

  /// Looks at some of the members, each time at others; wakes all if one of them is dead.
  /// @param at  the first one; is moved on
  void look_for_dead(uint32_t& at) noexcept;

private:
  explicit Node(Segment segment);

  [[nodiscard]] bool is_dead(uint32_t member) const noexcept;

  Segment segment_;
  uint32_t members_;
  Demand demand_;
  Member* member_;
  CpuNotes* cpus_;                            ///< kNotedCpus
  uint64_t fixed_;                            ///< offset of the members' memory
  uint64_t growth_;                           ///< and of the addresses in which it grows
  std::atomic<bool> own_[kMostMembers] = {};  ///< members in this process, whose locks it has
};

}  // namespace plait::transport
