// SPDX-License-Identifier: BSD-3-Clause
// Collectives as their dependencies: who can leave when, and no messages.
//
// A member leaves when everyone whose data it gets has come: of a broadcast and a scatter all but
// the root wait for the root; of a reduction and a gather to a root only the root waits, for all;
// of a scan each waits for those before it; of the others all wait for all.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "replay/program.hpp"

namespace plait::replay {

/// Who leaves a collective when.
struct Leave {
  std::uint32_t rank = 0;
  std::uint32_t target = 0;  ///< as given to arrive()
  double time = 0;
};

class CollectiveGates {
public:
  /// A member has come. @returns those who can leave now, itself among them or not; valid until the
  /// next call.
  /// @param index  of the collective, Step::collective
  /// @param cost_s what a member that waits needs when the last that it waits for has come
  const std::vector<Leave>& arrive(std::uint32_t index, const CollectiveStep& collective,
                                   std::uint32_t member, const Leave& who, double cost_s);

private:
  struct Gate {
    std::uint32_t arrived = 0;
    bool root_came = false;
    double root_time = 0;
    double latest = 0;
    std::vector<Leave> waiting;      ///< with the times at which they came; scan: by member
    std::vector<std::uint8_t> came;  ///< scan: by member
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
