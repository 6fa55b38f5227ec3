// SPDX-License-Identifier: BSD-3-Clause
// Judges with plait measure's results whether an MPI moves messages during computation.
#include "analysis/measured_progress.hpp"

#include <fmt/format.h>

#include "base/mpi_library.hpp"
#include "machine/measured_text.hpp"

namespace plait::analysis {
namespace {

using machine::OverlapVerdict;

/// Eager limit of paths without measurements.
constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

/// The verdict on which all paths inside a node (or the network) agree, with the smallest overlap;
/// empty if they disagree.
std::optional<OverlapVerdict> agreed(const machine::Measured& measured, bool between_nodes,
                                     bool rendezvous, const std::string& setting) {
  std::optional<OverlapVerdict> found;
  for (const OverlapVerdict& verdict : measured.overlap_verdicts) {
    if ((verdict.path == "network") != between_nodes || verdict.setting != setting ||
        (verdict.protocol == "rendezvous") != rendezvous || verdict.undecided) {
      continue;
    }
    if (found && found->progresses != verdict.progresses) return {};
    if (!found || verdict.overlapped < found->overlapped) found = verdict;
  }
  return found;
}

}  // namespace

MeasuredProgress::MeasuredProgress(const machine::Measured* measured,
                                   const std::optional<replay::Network>& paths, const RunMpi& mpi)
    : eager_limits_{kNoLimit, kNoLimit} {
  if (paths) eager_limits_ = {paths->within_node.eager_limit, paths->between_nodes.eager_limit};
  if (measured == nullptr || measured->overlap_verdicts.empty() || !measured->mpi) {
    why_not_ = "overlap with computation was not measured for this MPI; run plait measure --nodes";
    return;
  }
  mpi_ = machine::mpi_name(*measured);
  measured_ = measured->overlap_verdicts;
  const std::string ran = short_library(mpi.library);
  if (ran != mpi_) {
    why_not_ = fmt::format("plait measure tested {}, but this program ran with {}", mpi_,
                           ran.empty() ? "an unknown MPI" : ran);
    return;
  }
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    verdicts_[kind] = agreed(*measured, kind >= 2, kind % 2 == 1, mpi.progress_setting);
  }
  why_not_ = fmt::format("plait measure has no result for such messages with {}{}{}", mpi_,
                         mpi.progress_setting.empty() ? "" : " and ", mpi.progress_setting);
}

const OverlapVerdict* MeasuredProgress::judge(
    const std::array<std::uint64_t, kKinds>& bytes) const {
  std::array<std::uint64_t, 2> sums{};
  std::array<std::size_t, 2> most{kKinds, kKinds};
  std::uint64_t all = 0;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    all += bytes[kind];
    if (!verdicts_[kind]) continue;
    const std::size_t moves = verdicts_[kind]->progresses ? 1 : 0;
    sums[moves] += bytes[kind];
    if (most[moves] == kKinds || bytes[kind] > bytes[most[moves]]) most[moves] = kind;
  }
  for (const std::size_t moves : {0, 1}) {
    if (sums[moves] > all / 2) return &*verdicts_[most[moves]];
  }
  return nullptr;
}

std::string MeasuredProgress::what_helps(const OverlapVerdict& verdict) const {
  std::string settings;
  for (const OverlapVerdict& other : measured_) {
    if (other.path != verdict.path || other.protocol != verdict.protocol || !other.progresses ||
        other.setting.empty()) {
      continue;
    }
    settings += (settings.empty() ? "" : ", or with ") + other.setting;
  }
  return settings.empty() ? "" : "In plait measure they moved with " + settings;
}

std::string MeasuredProgress::sentence(const OverlapVerdict& verdict) const {
  return machine::overlap_sentence(verdict, mpi_) + ", measured by plait measure";
}

}  // namespace plait::analysis
