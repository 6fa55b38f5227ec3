// SPDX-License-Identifier: BSD-3-Clause
// The list of queue designs.
#include "transport/queues.hpp"

#include "plait/error.hpp"
#include "transport/common_queue.hpp"
#include "transport/one_queue.hpp"
#include "transport/pair_queues.hpp"

namespace plait::transport {

const std::vector<Design>& designs() {
  static const std::vector<Design> all = {
      {"auto", "one common queue, and rings for peers that send much", common_demand, make_common},
      {"sm", "a ring per pair, acknowledgements (thesis, 4.2)", pair_demand, make_sm},
      {"sm-counted", "a ring per pair, whose sender counts fragments (8)", pair_demand,
       make_sm_counted},
      {"orq", "one queue per process, compare-and-swap (6.1.1)", one_queue_demand, make_orq},
      {"orq-lock", "one queue per process, spin lock (6.1.1)", one_queue_demand, make_orq_lock},
      {"cor", "rings, of which those with expected messages are polled (6.1.2)", pair_demand,
       make_cor},
  };
  return all;
}

const Design& design_of(std::string_view name) {
  std::string names;
  for (const Design& design : designs()) {
    if (name == design.name) return design;
    names += (names.empty() ? "" : ", ") + std::string(design.name);
  }
  throw Error("design " + std::string(name), "unknown", "use one of " + names);
}

Node create_node(const Design& design, uint32_t members, const std::string& directory) {
  const auto number = static_cast<uint32_t>(&design - designs().data());
  return Node::create(members, number, design.demand(members), directory);
}

std::unique_ptr<Queues> join(Node& node, uint32_t self) {
  if (node.design() >= designs().size()) {
    throw Error("shared memory", "written by another version", "start all processes again");
  }
  node.enter(self);
  return designs()[node.design()].make(node, self);
}

}  // namespace plait::transport
