// SPDX-License-Identifier: BSD-3-Clause
// Judges with plait measure's results whether an MPI moves messages during computation.
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

/// The MPI with which a trace was recorded.
struct RunMpi {
  std::string library;  ///< as MPI_Get_library_version or short_library returns it; empty: unknown
  /// Progress setting of the run, as machine::OverlapVerdict::setting; empty: default.
  std::string progress_setting;
};

/// A machine's verdicts on overlap that apply to one run.
class MeasuredProgress {
public:
  /// Number of kinds of messages: inside a node or between nodes, eager or rendezvous.
  static constexpr std::size_t kKinds = 4;

  /// @param measured  of the machine; may be null, then judge() always returns null
  /// @param paths     of the machine, for the eager limits
  MeasuredProgress(const machine::Measured* measured, const std::optional<replay::Network>& paths,
                   const RunMpi& mpi);

  /// The kind of a message, less than kKinds.
  [[nodiscard]] std::size_t kind_of(bool between_nodes, std::uint64_t bytes) const {
    return 2 * std::size_t{between_nodes} +
           std::size_t{bytes > eager_limits_[std::size_t{between_nodes}]};
  }

  /// The verdict for messages with the given bytes of each kind. It applies to more than half of
  /// the bytes; of equal verdicts, the one for the most bytes is returned. Null: no such verdict.
  [[nodiscard]] const machine::OverlapVerdict* judge(
      const std::array<std::uint64_t, kKinds>& bytes) const;

  /// The verdict as text: "Open MPI 4.1.4 does not move long messages between nodes while the
  /// program computes: 3 % hidden, measured by plait measure".
  [[nodiscard]] std::string sentence(const machine::OverlapVerdict& verdict) const;
  /// Settings that help: "In plait measure they moved with a communicating thread"; empty: none.
  [[nodiscard]] std::string what_helps(const machine::OverlapVerdict& verdict) const;
  /// Why judge() returns null for some messages, for the user.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

private:
  std::array<std::uint64_t, 2> eager_limits_;
  std::array<std::optional<machine::OverlapVerdict>, kKinds> verdicts_;
  std::vector<machine::OverlapVerdict> measured_;
  std::string mpi_, why_not_;
};

}  // namespace plait::analysis
