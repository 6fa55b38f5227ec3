// SPDX-License-Identifier: BSD-3-Clause
// Whether the MPI of a run moves messages while the program computes, as plait measure found it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "machine/measured.hpp"
#include "replay/network.hpp"

namespace plait::analysis {

/// The MPI under which a trace was recorded.
struct RunMpi {
  std::string library;  ///< as MPI_Get_library_version or short_library says; empty: not known
  /// What should make its messages move, as machine::OverlapVerdict::setting; empty: the default.
  std::string progress_setting;
};

/// A machine's verdicts on overlap that hold for one run.
class MeasuredProgress {
public:
  /// Kinds of messages that a verdict is on: inside a node or between nodes, eager or rendezvous.
  static constexpr std::size_t kKinds = 4;

  /// @param measured  of the machine; null: none, and why_not() says so
  /// @param paths  the machine's, which tell from which size on messages are rendezvous
  MeasuredProgress(const machine::Measured* measured, const std::optional<replay::Network>& paths,
                   const RunMpi& mpi);

  [[nodiscard]] std::size_t kind_of(bool between_nodes, std::uint64_t bytes) const {
    return 2 * std::size_t{between_nodes} +
           std::size_t{bytes > eager_limits_[std::size_t{between_nodes}]};
  }

  /// The verdict by which messages are judged that have so many bytes of each kind: it holds for
  /// more than half of them (where several that say the same do, the one on most of these). Null:
  /// nothing was measured that holds for so many.
  [[nodiscard]] const machine::OverlapVerdict* judge(
      const std::array<std::uint64_t, kKinds>& bytes) const;

  /// "Open MPI 4.1.4 does not move long messages between nodes while the program computes: 3 %
  /// hidden, measured by plait measure"
  [[nodiscard]] std::string sentence(const machine::OverlapVerdict& verdict) const;
  /// "plait measure saw them move with a communicating thread": of messages that stay where they
  /// are. Empty: with nothing that it tried.
  [[nodiscard]] std::string what_helps(const machine::OverlapVerdict& verdict) const;
  /// Why judge() has none for some messages, for the user.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

private:
  std::array<std::uint64_t, 2> eager_limits_;
  std::array<std::optional<machine::OverlapVerdict>, kKinds> verdicts_;
  std::vector<machine::OverlapVerdict> measured_;
  std::string mpi_, why_not_;
};

}  // namespace plait::analysis
