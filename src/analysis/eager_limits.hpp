// SPDX-License-Identifier: BSD-3-Clause
// The sizes up to which messages of a run did not wait for their receives.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "analysis/wait_states.hpp"
#include "machine/measured.hpp"

namespace plait::analysis {

/// Limits of eager messages, bytes.
struct EagerLimits {
  /// Inside a node and between nodes; ~0: no message waits.
  std::array<std::uint64_t, 2> bytes{~std::uint64_t{0}, ~std::uint64_t{0}};
  /// Where each limit comes from: "in this trace", "measured", "default of Dimemas".
  std::array<const char*, 2> source{"", ""};
  bool has_nodes = false;  ///< the trace has messages between nodes

  /// "rendezvous above 4 KiB (in this trace)".
  [[nodiscard]] std::string text() const;
};

/// The limits of a run: as measured, otherwise Dimemas' 32 KiB. The trace corrects them: messages
/// that were sent before their receive began were eager, and those whose sends waited for it were
/// not.
/// @param measured  of the machine; may be null
EagerLimits eager_limits(const trace::Trace& trace, const machine::Measured* measured,
                         const Waits& waits);

}  // namespace plait::analysis
