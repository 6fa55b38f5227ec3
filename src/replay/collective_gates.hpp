// SPDX-License-Identifier: BSD-3-Clause
// Replays collectives as dependencies between their members, without messages.
//
// A member leaves when all members whose data it receives have arrived. Broadcast and scatter: all
// wait for the root. Reduction and gather to a root: the root waits for all. Scan: each member
// waits for those before it. Others: all wait for all.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "replay/program.hpp"

namespace plait::replay {

/// The members of a collective in this part of a replay (parts.hpp).
struct OwnMembers {
  std::uint32_t count = 0;
  bool root = false;  ///< is one of them
};

/// What the other parts of a replay must know of the members in one of them.
struct Arrived {
  std::uint32_t member = 0;  ///< the root, of a scan any; otherwise not used
  std::uint32_t count = 0;   ///< of members; 0: nothing
  double time = 0;           ///< of the last of them, s
};

/// A member that leaves a collective, and when.
struct Leave {
  std::uint32_t rank = 0;
  std::uint32_t target = 0;  ///< as passed to arrive()
  double time = 0;           ///< s
};

class CollectiveGates {
public:
  /// Call when a member arrives.
  /// @param index   of the collective, Step::collective
  /// @param who     the member with its arrival time
  /// @param cost_s  time of a waiting member after the last member it waits for has arrived
  /// @param own     the members that arrive here: all, or those of this part
  /// @param tell    gets what the other parts must know; those in which no member depends on it
  ///                ignore it
  /// @returns the members that can leave now, possibly including this one; valid until the next
  /// call
  const std::vector<Leave>& arrive(std::uint32_t index, const CollectiveStep& collective,
                                   std::uint32_t member, const Leave& who, double cost_s,
                                   const OwnMembers& own, Arrived& tell);

  /// Call with what another part tells.
  /// @param nobody  Leave::target of members elsewhere
  const std::vector<Leave>& arrive_elsewhere(std::uint32_t index, const CollectiveStep& collective,
                                             const Arrived& arrived, std::uint32_t nobody,
                                             double cost_s, const OwnMembers& own);

private:
  struct Gate {
    std::uint32_t own = 0;      ///< members of this part that have arrived
    std::uint32_t arrived = 0;  ///< members that have arrived, as far as this part must know
    bool root_arrived = false;
    double root_time = 0;
    double latest = 0;
    std::vector<Leave> waiting;      ///< with their arrival times; scan: by member
    std::vector<std::uint8_t> here;  ///< scan: by member, whether it has arrived
    std::uint32_t complete = 0;      ///< scan: members that have left
  };
  /// The number of arrivals after which nobody needs the gate.
  static std::uint32_t expected(const CollectiveStep& collective, const OwnMembers& own);
  void all_leave_after_root(Gate& gate, double cost_s);
  void from_root(Gate& gate, bool is_root, const Leave& who, double cost_s);
  void all_leave(Gate& gate, double time);
  void prefix(Gate& gate, std::uint32_t members, std::uint32_t member, const Leave& who,
              double cost_s);

  std::unordered_map<std::uint32_t, Gate> gates_;
  std::vector<Leave> leaving_;
};

}  // namespace plait::replay
