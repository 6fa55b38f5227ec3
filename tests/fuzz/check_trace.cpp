// SPDX-License-Identifier: BSD-3-Clause
// Checks what the header of Trace promises about every trace that was read.
#include "check_trace.hpp"

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

namespace plait::fuzz {
namespace {

using trace::kNone;

void require(bool good, const char* what) {
  if (!good) throw std::logic_error(std::string("the trace has an invalid ") + what);
}

void check_shapes(const trace::Trace& trace) {
  const auto or_none = [](std::uint32_t index, std::size_t size) {
    return index == kNone || index < size;
  };
  for (const trace::Shape& shape : trace.shapes) {
    const bool region = shape.kind == trace::EventKind::parallel ||
                        shape.kind == trace::EventKind::work ||
                        shape.kind == trace::EventKind::region;
    require(or_none(shape.function, trace.functions.size()), "function of a shape");
    require(or_none(shape.comm, trace.comms.size()), "communicator of a shape");
    require(or_none(shape.site, region ? trace.regions.size() : trace.sites.size()),
            "site of a shape");
  }
  for (const trace::Comm& comm : trace.comms) {
    for (const auto* members : {&comm.members, &comm.remote_members}) {
      for (const int member : *members) {
        require(
            member == -1 || (member >= 0 && static_cast<std::size_t>(member) < trace.ranks.size()),
            "member of a communicator");
      }
    }
  }
  for (std::size_t index = 0; index < trace.regions.size(); ++index) {
    require(or_none(trace.regions[index].parent, index), "parent of a region");
  }
}

void check_events(const trace::Trace& trace, const trace::Rank& rank) {
  for (const trace::Stream& stream : rank.streams) {
    std::int64_t last = std::numeric_limits<std::int64_t>::min();
    for (const trace::Event& event : stream.events) {
      require(event.shape < trace.shapes.size(), "shape of an event");
      require(event.begin <= event.end && last <= event.end, "time of an event");
      last = event.end;
      require(event.operations == 0 ||
                  event.first_operation + std::size_t{event.operations} <= rank.operations.size(),
              "list of started operations");
      for (const std::uint32_t operation : rank.completed_by(event)) {
        require(operation < rank.operations.size(), "completed operation");
      }
    }
  }
}

void check_operations(const trace::Trace& trace, const trace::Rank& rank) {
  for (const trace::Operation& at : rank.operations) {
    require(at.shape < trace.shapes.size(), "shape of an operation");
    require(at.stream < rank.streams.size() && at.started < rank.streams[at.stream].events.size(),
            "start of an operation");
    require(at.ended == kNone || (at.end_stream < rank.streams.size() &&
                                  at.ended < rank.streams[at.end_stream].events.size()),
            "end of an operation");
    require(at.partner == -1 ||
                (at.partner >= 0 && static_cast<std::size_t>(at.partner) < trace.ranks.size()),
            "partner of an operation");
    const std::size_t matches = at.kind == trace::OperationKind::collective
                                    ? trace.collectives.size()
                                    : trace.messages.size();
    require(at.message == kNone || at.message < matches, "message of an operation");
  }
}

void check_matches(const trace::Trace& trace) {
  for (const trace::Message& at : trace.messages) {
    require(at.sender < trace.ranks.size() && at.receiver < trace.ranks.size() &&
                at.send < trace.ranks[at.sender].operations.size() &&
                at.receive < trace.ranks[at.receiver].operations.size(),
            "message");
  }
  for (const trace::Collective& at : trace.collectives) {
    require(at.comm < trace.comms.size(), "communicator of a collective");
    const trace::Comm& comm = trace.comms[at.comm];
    const std::size_t size = comm.members.size() + comm.remote_members.size();
    require(at.first_member + size <= trace.members.size(), "list of members");
  }
}

}  // namespace

void check_trace(const trace::Trace& trace) {
  check_shapes(trace);
  for (const trace::Rank& rank : trace.ranks) {
    require(rank.streams.empty() || rank.node < trace.nodes.size(), "node of a rank");
    check_events(trace, rank);
    check_operations(trace, rank);
  }
  check_matches(trace);
}

}  // namespace plait::fuzz
