// SPDX-License-Identifier: BSD-3-Clause
// Describes operations and calls for findings.
#include "check/place.hpp"

#include <fmt/format.h>

#include "base/name_ranks.hpp"
#include "check/types.hpp"

namespace plait::check {
namespace {

std::string peer_text(const Process& process, const plait_check_op& op, int peer) {
  if (peer == PLAIT_CHECK_ANY) return "any source";
  const int world = process.world_rank(op, peer);
  return world >= 0 ? fmt::format("rank {}", world)
                    : fmt::format("rank {} of the communicator", peer);
}

/// "2", or "0 (rank 2)" if the root has another rank in the world.
std::string root_text(const Process& process, const plait_check_op& op) {
  const int world = process.world_rank(op, op.peer);
  return world < 0 || world == op.peer ? fmt::format("{}", op.peer)
                                       : fmt::format("{} (rank {})", op.peer, world);
}

std::string tag_text(int tag) {
  return tag == PLAIT_CHECK_ANY ? "any tag" : fmt::format("tag {}", tag);
}

std::string detail_of(const Process& process, const plait_check_op& op) {
  const std::string on = comm_text(process.comm_of(op));
  if (op.kind == PLAIT_CHECK_COLLECTIVE) {
    return op.peer >= 0 ? fmt::format("root {} on {}", root_text(process, op), on)
                        : fmt::format("on {}", on);
  }
  if (op.kind == PLAIT_CHECK_OTHER) return "";
  std::string text;
  if (op.kind != PLAIT_CHECK_PROBE && op.type != 0) {
    text = describe({&process.type(op.type), op.count}) + " ";
  }
  const bool ended = op.state == PLAIT_CHECK_COMPLETE && op.actual_peer >= 0;
  text += op.kind == PLAIT_CHECK_SEND ? "to " : "from ";
  text += peer_text(process, op, ended ? op.actual_peer : op.peer);
  return fmt::format("{}, {} on {}", text, tag_text(ended ? op.actual_tag : op.tag), on);
}

}  // namespace

std::string comm_text(const trace::Communicator* comm) {
  if (comm == nullptr) return "an unknown communicator";
  if (!comm->name.empty()) return comm->name;
  return fmt::format("a communicator of {}", name_ranks(comm->members.to_vector()));
}

Place place_of_call(const Job& job, std::uint32_t process, std::uint32_t function,
                    std::uint32_t site) {
  const Process& own = job.processes[process];
  return {{own.rank}, own.function(function), "", static_cast<int>(process), site, {}, false};
}

Place place_of(const Job& job, std::uint32_t process, std::uint32_t index) {
  const Process& own = job.processes[process];
  const plait_check_op& op = own.ops[index];
  Place place = place_of_call(job, process, op.function, op.site);
  place.detail = detail_of(own, op);
  return place;
}

}  // namespace plait::check
