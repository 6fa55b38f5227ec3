// SPDX-License-Identifier: BSD-3-Clause
// What the members of a collective call need from each other, by its function.
#include "check/collective_flow.hpp"

#include <cctype>
#include <functional>
#include <map>

#include "check/collectives.hpp"

namespace plait::check {

std::string blocking_name(const std::string& function) {
  std::string name = plain_name(function);
  if (name.ends_with("_init")) name.resize(name.size() - 5);
  name.erase(0, std::string("MPI_").size());
  if (name.size() > 1 && name.starts_with('I') && !name.starts_with("Intercomm")) {
    name.erase(0, 1);
    name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  }
  return name;
}

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
  const auto known = kFlows.find(blocking_name(function));
  return known == kFlows.end() ? Flow::none : known->second;
}

}  // namespace plait::check
