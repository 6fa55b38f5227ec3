// SPDX-License-Identifier: BSD-3-Clause
// What the members of a collective call need from each other, by its function.
#include "check/collective_flow.hpp"

#include <functional>
#include <map>

#include "trace/collective_name.hpp"

namespace plait::check {

Flow flow_of(const std::string& function) {
  static const std::map<std::string, Flow, std::less<>> kFlows{{"Barrier", Flow::all},
                                                               {"Allreduce", Flow::all},
                                                               {"Allgather", Flow::all},
                                                               {"Allgatherv", Flow::all},
                                                               {"Alltoall", Flow::all},
                                                               {"Reduce_scatter", Flow::all},
                                                               {"Reduce_scatter_block", Flow::all},
                                                               {"Comm_dup", Flow::all},
                                                               {"Comm_dup_with_info", Flow::all},
                                                               {"Comm_split", Flow::all},
                                                               {"Comm_split_type", Flow::all},
                                                               {"Comm_create", Flow::all},
                                                               {"Alltoallv", Flow::exchange},
                                                               {"Alltoallw", Flow::exchange},
                                                               {"Bcast", Flow::from_root},
                                                               {"Scatter", Flow::from_root},
                                                               {"Scatterv", Flow::from_root},
                                                               {"Reduce", Flow::to_root},
                                                               {"Gather", Flow::to_root},
                                                               {"Gatherv", Flow::to_root}};
  const auto known = kFlows.find(trace::blocking_name(function));
  return known == kFlows.end() ? Flow::none : known->second;
}

}  // namespace plait::check
