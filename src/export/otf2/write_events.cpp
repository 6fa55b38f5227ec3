// SPDX-License-Identifier: BSD-3-Clause
// Writes the events of an OTF2 archive: calls as regions, with their messages and collectives.
#include <algorithm>
#include <limits>
#include <memory>

#include "base/failure.hpp"
#include "export/event_text.hpp"
#include "export/nesting.hpp"
#include "export/otf2/write_otf2.hpp"
#include "plait/error.hpp"

namespace plait::otf2 {
namespace {

using trace::kNone;
using trace::Operation;
using trace::OperationKind;

OTF2_TimeStamp stamp(std::int64_t ns) {
  return static_cast<OTF2_TimeStamp>(std::max<std::int64_t>(ns, 0));
}

/// The root of a collective in OTF2's encoding.
std::uint32_t root_of(const trace::Shape& shape) {
  if (shape.peer >= 0) return static_cast<std::uint32_t>(shape.peer);
  if (shape.peer == PLAIT_ROOT_PEER) return OTF2_COLLECTIVE_ROOT_SELF;
  return shape.peer == PLAIT_NULL_PEER ? OTF2_COLLECTIVE_ROOT_THIS_GROUP
                                       : OTF2_COLLECTIVE_ROOT_NONE;
}

/// Writes the events of one thread.
class ThreadEvents {
public:
  ThreadEvents(const trace::Trace& trace, const SiteStrings& sites, std::uint32_t rank,
               std::uint32_t thread, OTF2_EvtWriter* writer, const std::filesystem::path& file)
      : trace_(trace),
        sites_(sites),
        rank_(trace.ranks[rank]),
        thread_(thread),
        writer_(writer),
        file_(file),
        stream_(rank_.streams[thread]) {}

  void write() {
    exports::walk_nested(
        stream_, {}, [&](std::uint32_t index) { enter(index); },
        [&](std::uint32_t index, std::int64_t end_ns) { leave(index, stamp(end_ns)); });
    recording_began(std::numeric_limits<std::int64_t>::max());
  }

private:
  void done(OTF2_ErrorCode code) const { check(code, file_, "events cannot be written"); }

  /// Writes the start of recording (the end of MPI_Init) as an event of the main thread.
  void recording_began(std::int64_t before_ns) {
    if (thread_ != 0 || began_ || before_ns < rank_.begin) return;
    began_ = true;
    last_ = std::max(last_, stamp(rank_.begin));
    done(OTF2_EvtWriter_MeasurementOnOff(writer_, nullptr, last_, OTF2_MEASUREMENT_ON));
  }

  /// Gets the partner's rank in the communicator; false: none or unknown.
  bool peer(const Operation& operation, const trace::Shape& shape, std::uint32_t& out) const {
    if (operation.partner < 0 || shape.comm == kNone) return false;
    const std::vector<int>& peers = trace_.comms[shape.comm].peers_of(rank_.world_rank);
    if (shape.peer >= 0) {
      out = static_cast<std::uint32_t>(shape.peer);
      return true;
    }
    const auto at = std::ranges::find(peers, operation.partner);
    out = static_cast<std::uint32_t>(at - peers.begin());
    return at != peers.end();
  }

  [[nodiscard]] bool ends_in(const Operation& operation, std::uint32_t event) const {
    return operation.ended == event && operation.end_stream == thread_;
  }

  void enter(std::uint32_t index) {
    const trace::Event& event = stream_.events[index];
    recording_began(event.begin);
    last_ = std::max(last_, stamp(event.begin));
    const trace::Shape& shape = trace_.shape(event);
    done(OTF2_EvtWriter_Enter(writer_, attributes_of(shape), last_, region_of(trace_, shape)));
    std::uint64_t request = event.first_operation;
    for (const Operation& operation : rank_.started_by(event)) {
      start(operation, request++, ends_in(operation, index));
    }
  }

  /// The call site of an event that is a call; writing the event empties the list.
  OTF2_AttributeList* attributes_of(const trace::Shape& shape) const {
    const bool is_known = exports::has_site(shape.kind) && shape.site < sites_.of_site.size() &&
                          sites_.of_site[shape.site] != OTF2_UNDEFINED_STRING;
    if (!is_known) return nullptr;
    done(OTF2_AttributeList_AddStringRef(attributes_.get(), kSiteAttribute,
                                         sites_.of_site[shape.site]));
    return attributes_.get();
  }

  void start(const Operation& operation, std::uint64_t request, bool blocking) {
    const trace::Shape& shape = trace_.shapes[operation.shape];
    std::uint32_t to = 0;
    const bool known = peer(operation, shape, to);
    const auto tag = static_cast<std::uint32_t>(operation.tag);
    switch (operation.kind) {
      case OperationKind::send:
        if (!known) break;
        done(blocking ? OTF2_EvtWriter_MpiSend(writer_, nullptr, last_, to, shape.comm, tag,
                                               operation.bytes)
                      : OTF2_EvtWriter_MpiIsend(writer_, nullptr, last_, to, shape.comm, tag,
                                                operation.bytes, request));
        break;
      case OperationKind::receive:
        if (!blocking && known) {
          done(OTF2_EvtWriter_MpiIrecvRequest(writer_, nullptr, last_, request));
        }
        break;
      case OperationKind::collective:
        if (shape.comm == kNone) break;
        done(blocking
                 ? OTF2_EvtWriter_MpiCollectiveBegin(writer_, nullptr, last_)
                 : OTF2_EvtWriter_NonBlockingCollectiveRequest(writer_, nullptr, last_, request));
        break;
    }
  }

  void leave(std::uint32_t index, OTF2_TimeStamp end) {
    const trace::Event& event = stream_.events[index];
    last_ = std::max(last_, end);
    for (const Operation& operation : rank_.started_by(event)) {
      if (ends_in(operation, index)) complete_blocking(operation);
    }
    for (const std::uint32_t number : rank_.completed_by(event)) complete(number);
    done(OTF2_EvtWriter_Leave(writer_, nullptr, last_, region_of(trace_, trace_.shape(event))));
  }

  void complete_blocking(const Operation& operation) {
    const trace::Shape& shape = trace_.shapes[operation.shape];
    std::uint32_t from = 0;
    if (operation.kind == OperationKind::receive && peer(operation, shape, from)) {
      done(OTF2_EvtWriter_MpiRecv(writer_, nullptr, last_, from, shape.comm,
                                  static_cast<std::uint32_t>(operation.tag), operation.bytes));
    } else if (operation.kind == OperationKind::collective && shape.comm != kNone) {
      done(OTF2_EvtWriter_MpiCollectiveEnd(
          writer_, nullptr, last_, collective_op(trace_.functions[shape.function]), shape.comm,
          root_of(shape), operation.bytes, operation.capacity));
    }
  }

  void complete(std::uint32_t number) {
    const Operation& operation = rank_.operations[number];
    const trace::Shape& shape = trace_.shapes[operation.shape];
    std::uint32_t partner = 0;
    const bool known = peer(operation, shape, partner);
    switch (operation.kind) {
      case OperationKind::send:
        if (known) done(OTF2_EvtWriter_MpiIsendComplete(writer_, nullptr, last_, number));
        break;
      case OperationKind::receive:
        if (!known) break;
        done(operation.cancelled
                 ? OTF2_EvtWriter_MpiRequestCancelled(writer_, nullptr, last_, number)
                 : OTF2_EvtWriter_MpiIrecv(writer_, nullptr, last_, partner, shape.comm,
                                           static_cast<std::uint32_t>(operation.tag),
                                           operation.bytes, number));
        break;
      case OperationKind::collective:
        if (shape.comm == kNone) break;
        done(OTF2_EvtWriter_NonBlockingCollectiveComplete(
            writer_, nullptr, last_, collective_op(trace_.functions[shape.function]), shape.comm,
            root_of(shape), operation.bytes, operation.capacity, number));
        break;
    }
  }

  struct Delete {
    void operator()(OTF2_AttributeList* list) const { OTF2_AttributeList_Delete(list); }
  };

  const trace::Trace& trace_;
  const SiteStrings& sites_;
  const std::unique_ptr<OTF2_AttributeList, Delete> attributes_{OTF2_AttributeList_New()};
  const trace::Rank& rank_;
  std::uint32_t thread_;
  OTF2_EvtWriter* writer_;
  const std::filesystem::path& file_;
  const trace::Stream& stream_;
  OTF2_TimeStamp last_ = 0;
  bool began_ = false;
};

}  // namespace

std::vector<std::uint64_t> write_events(const trace::Trace& trace, const SiteStrings& sites,
                                        OTF2_Archive* archive, const std::filesystem::path& file) {
  std::vector<std::uint64_t> counts;
  check(OTF2_Archive_OpenEvtFiles(archive), file, "cannot be written");
  const std::vector<OTF2_LocationRef> first = first_locations(trace);
  for (std::uint32_t rank = 0; rank < trace.ranks.size(); ++rank) {
    for (OTF2_LocationRef location = first[rank]; location < first[rank + 1]; ++location) {
      OTF2_EvtWriter* const writer = OTF2_Archive_GetEvtWriter(archive, location);
      if (writer == nullptr)
        throw Failure(file.string(), "cannot be written", "choose another path with -o");
      const auto thread = static_cast<std::uint32_t>(location - first[rank]);
      if (thread < trace.ranks[rank].streams.size()) {
        ThreadEvents(trace, sites, rank, thread, writer, file).write();
      }
      check(OTF2_EvtWriter_GetNumberOfEvents(writer, &counts.emplace_back()), file,
            "cannot be written");
      check(OTF2_Archive_CloseEvtWriter(archive, writer), file, "cannot be written");
    }
  }
  check(OTF2_Archive_CloseEvtFiles(archive), file, "cannot be written");
  return counts;
}

}  // namespace plait::otf2
