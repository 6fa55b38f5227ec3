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
  /// @returns the members that can leave now, possibly including this one; valid until the next
  /// call
  const std::vector<Leave>& arrive(std::uint32_t index, const CollectiveStep& collective,
                                   std::uint32_t member, const Leave& who, double cost_s);

private:
  struct Gate {
    std::uint32_t arrived = 0;
    bool root_arrived = false;
    double root_time = 0;
    double latest = 0;
    std::vector<Leave> waiting;      ///< with their arrival times; scan: by member
    std::vector<std::uint8_t> here;  ///< scan: by member, whether it has arrived
    std::uint32_t complete = 0;      ///< scan: members that have left
  };
  void from_root(Gate& gate, bool is_root, const Leave& who, double cost_s);
  void to_root(Gate& gate, bool is_root, bool last, const Leave& who, double cost_s);
  void prefix(Gate& gate, std::uint32_t members, std::uint32_t member, const Leave& who,
              double cost_s);

  std::unordered_map<std::uint32_t, Gate> gates_;
  std::vector<Leave> leaving_;
};

}  // namespace plait::replay
