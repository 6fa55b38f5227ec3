// SPDX-License-Identifier: BSD-3-Clause
// Adds the results of the probe between two ranks, or several pairs, to the figures of a path.
#include "measure/path_figures.hpp"

#include "measure/sizes.hpp"
#include "measure/variants.hpp"

namespace plait::measure {

void add_to_path(machine::Path& path, StepKind kind, const ProbeCell& cell, int pairs_at_once) {
  using machine::CurvePoint;
  using machine::OverheadPoint;
  switch (kind) {
    case StepKind::pingpong:
      append(path.mpi_pingpong, cell.bytes, &CurvePoint::half_round_trip_us, cell.samples,
             cell.disturbed);
      break;
    case StepKind::pingping:
      append(path.mpi_pingping, cell.bytes, &machine::PingPingPoint::time_us, cell.samples,
             cell.disturbed);
      break;
    case StepKind::pingpong_off_cache:
      append(path.mpi_pingpong_off_cache, cell.bytes, &CurvePoint::half_round_trip_us, cell.samples,
             cell.disturbed);
      break;
    case StepKind::multi_pair:
      path.mpi_multi_pair.push_back(
          {pairs_at_once, cell.bytes, summarize(cell.samples, cell.disturbed)});
      break;
    case StepKind::multi_pair_pingping:
      path.mpi_multi_pair_pingping.push_back(
          {pairs_at_once, cell.bytes, summarize(cell.samples, cell.disturbed)});
      break;
    case StepKind::overhead:
      if (cell.variant == overhead_variant::alone) break;
      append(path.mpi_overheads, cell.bytes,
             cell.variant == overhead_variant::send ? &OverheadPoint::send_us
                                                    : &OverheadPoint::receive_us,
             cell.samples, cell.disturbed);
      break;
    case StepKind::back_to_back:
      append(path.mpi_back_to_back, cell.bytes, &machine::BackToBackPoint::time_us, cell.samples,
             cell.disturbed);
      path.mpi_back_to_back.back().messages = back_to_back_messages(cell.bytes);
      break;
    case StepKind::eager:
    case StepKind::overlap:
    case StepKind::mixed:
    case StepKind::collective:
      break;
  }
}

void remove_incomplete(machine::Path& path) {
  std::erase_if(path.mpi_overheads, [](const machine::OverheadPoint& point) {
    return point.send_us.n == 0 || point.receive_us.n == 0;
  });
}

}  // namespace plait::measure
