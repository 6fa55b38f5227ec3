// SPDX-License-Identifier: BSD-3-Clause
// Reads the events of an OTF2 archive into calls and operations.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "export/otf2/imported.hpp"
#include "plait/error.hpp"
#include "trace/clocks.hpp"

namespace plait::otf2 {
namespace {

/// An open call or region.
struct Open {
  Call call;
  bool hidden = false;  ///< inside an MPI call
};

struct ThreadState {
  std::vector<Open> open;
  std::size_t mpi_call = kNoCall;  ///< the outermost open MPI call
  std::int64_t last_ns = 0;

  static constexpr std::size_t kNoCall = ~std::size_t{0};
};

class EventReader {
public:
  explicit EventReader(Imported& into) : into_(into), threads_(into.processes.size()) {
    for (std::size_t rank = 0; rank < threads_.size(); ++rank) {
      threads_[rank].resize(into.processes[rank].threads.size());
    }
    requests_.resize(into.processes.size());
  }

  /// Sets the thread and time of an event; false: the thread is not imported.
  bool at(OTF2_LocationRef location, OTF2_TimeStamp time) {
    const auto found = into_.places.find(location);
    if (found == into_.places.end()) return false;
    place_ = found->second;
    // Events come in the order of time. Those of a damaged archive may do so over centuries.
    if (!first_ticks_) first_ticks_ = time;
    const double ns = static_cast<double>(time - *first_ticks_) * into_.ns_per_tick;
    now_ns_ = into_.ns_per_tick == 1 && ns < trace::kMostNs
                  ? static_cast<std::int64_t>(time - *first_ticks_)
                  : std::llround(std::min(ns, trace::kMostNs));
    state().last_ns = now_ns_;
    return true;
  }

  void enter(OTF2_RegionRef region) {
    const auto found = into_.region_numbers.find(region);
    Open open;
    open.hidden = mpi_call() != nullptr;
    open.call.begin_ns = now_ns_;
    open.call.region =
        found == into_.region_numbers.end() ? into_.region("unknown", false) : found->second;
    if (!open.hidden && into_.regions[open.call.region].mpi) state().mpi_call = state().open.size();
    state().open.push_back(std::move(open));
  }

  void leave() {
    std::vector<Open>& open = state().open;
    if (open.empty()) {
      ++unopened_;
      return;
    }
    if (!open.back().hidden) {
      open.back().call.end_ns = now_ns_;
      keep(std::move(open.back().call));
    }
    open.pop_back();
    if (state().mpi_call == open.size()) state().mpi_call = ThreadState::kNoCall;
  }

  void recording_began() {
    Process& process = into_.processes[place_.rank];
    if (place_.thread == 0 && process.recording_ns == std::numeric_limits<std::int64_t>::min()) {
      process.recording_ns = now_ns_;
    }
  }

  struct Envelope {
    std::uint32_t peer;
    OTF2_CommRef comm;
    std::uint32_t tag = 0;
    std::uint64_t bytes = 0, received = 0;
  };

  void blocking(OpKind kind, const Envelope& envelope, const char* function) {
    const std::uint32_t op = make(kind);
    fill(op, envelope);
    in_call(function, [&](Call& call) { call.started.push_back(op); });
    Op& made = ops()[op];
    made.end_thread = made.thread;
    made.ended = made.started;
  }

  void begin(OpKind kind, std::uint64_t request, const Envelope* envelope, const char* function) {
    const std::uint32_t op = make(kind);
    if (envelope != nullptr) fill(op, *envelope);
    requests_[place_.rank][request] = op;
    in_call(function, [&](Call& call) { call.started.push_back(op); });
  }

  void complete(std::uint64_t request, const Envelope* envelope, bool cancelled,
                const char* function) {
    auto& requests = requests_[place_.rank];
    const auto found = requests.find(request);
    if (found == requests.end()) {
      ++unstarted_;
      return;
    }
    const std::uint32_t op = found->second;
    requests.erase(found);
    if (envelope != nullptr) fill(op, *envelope);
    ops()[op].cancelled = cancelled;
    in_call(function, [&](Call& call) { call.ended.push_back(op); });
    ops()[op].end_thread = place_.thread;
    ops()[op].ended = next_call();
  }

  /// Ends open calls at the end of the archive, and adds notes.
  void finish() {
    std::size_t unclosed = 0;
    for (place_.rank = 0; place_.rank < threads_.size(); ++place_.rank) {
      for (place_.thread = 0; place_.thread < threads_[place_.rank].size(); ++place_.thread) {
        now_ns_ = state().last_ns;
        unclosed += state().open.size();
        while (!state().open.empty()) leave();
      }
    }
    const auto note = [&](std::uint64_t count, const char* what) {
      if (count > 0) into_.notes.push_back(fmt::format("{} {}", count, what));
    };
    note(unclosed, "calls had not ended; they end with the last event of their thread");
    note(unopened_, "ends of calls without a begin are left out");
    note(unstarted_, "ends of requests without a begin are left out");
  }

private:
  ThreadState& state() { return threads_[place_.rank][place_.thread]; }
  std::vector<Op>& ops() { return into_.processes[place_.rank].ops; }
  std::vector<Call>& calls() { return into_.processes[place_.rank].threads[place_.thread].calls; }

  /// The open MPI call; null: none.
  Call* mpi_call() {
    const std::size_t at = state().mpi_call;
    return at == ThreadState::kNoCall ? nullptr : &state().open[at].call;
  }

  /// The index that the current call will have; MPI calls contain no others.
  std::uint32_t next_call() {
    return static_cast<std::uint32_t>(calls().size()) - (alone_ ? 1 : 0);
  }

  /// Calls `use` with the open MPI call, or with a new call of no length.
  template <class Use>
  void in_call(const char* function, Use use) {
    Call* const open = mpi_call();
    alone_ = open == nullptr;
    if (open != nullptr) {
      use(*open);
      return;
    }
    Call call;
    call.begin_ns = call.end_ns = now_ns_;
    call.region = into_.region(function, true);
    use(call);
    keep(std::move(call));
    for (const std::uint32_t op : calls().back().started) {
      ops()[op].started = static_cast<std::uint32_t>(calls().size() - 1);
    }
  }

  void keep(Call&& call) { calls().push_back(std::move(call)); }

  std::uint32_t make(OpKind kind) {
    Op op;
    op.kind = kind;
    op.thread = place_.thread;
    op.started = static_cast<std::uint32_t>(calls().size());
    ops().push_back(op);
    return static_cast<std::uint32_t>(ops().size() - 1);
  }

  void fill(std::uint32_t number, const Envelope& envelope) {
    Op& op = ops()[number];
    const auto comm = into_.comm_numbers.find(envelope.comm);
    op.comm = comm == into_.comm_numbers.end() ? kNone : comm->second;
    op.peer = envelope.peer;
    op.tag = static_cast<int>(envelope.tag);
    op.bytes = envelope.bytes;
    op.received = envelope.received;
  }

  Imported& into_;
  std::vector<std::vector<ThreadState>> threads_;                           ///< by rank and thread
  std::vector<std::unordered_map<std::uint64_t, std::uint32_t>> requests_;  ///< by rank: operation
  Place place_;
  std::optional<OTF2_TimeStamp> first_ticks_;
  std::int64_t now_ns_ = 0;
  bool alone_ = false;  ///< the last record was outside MPI calls
  std::uint64_t unopened_ = 0, unstarted_ = 0;
};

/// Sets the reader to the thread and time of an event, and calls `use(reader)` if the thread is
/// imported.
template <class Use>
OTF2_CallbackCode on_event(void* user, OTF2_LocationRef at, OTF2_TimeStamp time, Use use) {
  auto& reader = *static_cast<EventReader*>(user);
  if (reader.at(at, time)) use(reader);
  return OTF2_CALLBACK_SUCCESS;
}

/// Sets the callback for each kind of record.
void set_callbacks(OTF2_GlobalEvtReaderCallbacks* on) {
  using Attributes = OTF2_AttributeList*;
  OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(
      on, [](OTF2_LocationRef at, OTF2_TimeStamp time, void* user, Attributes, OTF2_RegionRef of) {
        return on_event(user, at, time, [&](EventReader& reader) { reader.enter(of); });
      });
  OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback(
      on, [](OTF2_LocationRef at, OTF2_TimeStamp time, void* user, Attributes, OTF2_RegionRef) {
        return on_event(user, at, time, [&](EventReader& reader) { reader.leave(); });
      });
  OTF2_GlobalEvtReaderCallbacks_SetMeasurementOnOffCallback(
      on, [](OTF2_LocationRef at, OTF2_TimeStamp time, void* user, Attributes,
             OTF2_MeasurementMode mode) {
        if (mode != OTF2_MEASUREMENT_ON)
          return static_cast<OTF2_CallbackCode>(OTF2_CALLBACK_SUCCESS);
        return on_event(user, at, time, [&](EventReader& reader) { reader.recording_began(); });
      });
  OTF2_GlobalEvtReaderCallbacks_SetMpiSendCallback(
      on, [](OTF2_LocationRef at, OTF2_TimeStamp time, void* user, Attributes, uint32_t to,
             OTF2_CommRef comm, uint32_t tag, uint64_t bytes) {
        return on_event(user, at, time, [&](EventReader& reader) {
          reader.blocking(OpKind::send, {to, comm, tag, bytes}, "MPI_Send");
        });
      });
  OTF2_GlobalEvtReaderCallbacks_SetMpiRecvCallback(
      on, [](OTF2_LocationRef at, OTF2_TimeStamp time, void* user, Attributes, uint32_t from,
             OTF2_CommRef comm, uint32_t tag, uint64_t bytes) {
        return on_event(user, at, time, [&](EventReader& reader) {
          reader.blocking(OpKind::receive, {from, comm, tag, bytes}, "MPI_Recv");
        });
      });
  OTF2_GlobalEvtReaderCallbacks_SetMpiIsendCallback(
      on, [](OTF2_LocationRef at, OTF2_TimeStamp time, void* user, Attributes, uint32_t to,
             OTF2_CommRef comm, uint32_t tag, uint64_t bytes, uint64_t request) {
        const EventReader::Envelope envelope{to, comm, tag, bytes};
        return on_event(user, at, time, [&](EventReader& reader) {
          reader.begin(OpKind::send, request, &envelope, "MPI_Isend");
        });
      });
  OTF2_GlobalEvtReaderCallbacks_SetMpiIsendCompleteCallback(
      on, [](OTF2_LocationRef at, OTF2_TimeStamp time, void* user, Attributes, uint64_t request) {
        return on_event(user, at, time, [&](EventReader& reader) {
          reader.complete(request, nullptr, false, "MPI_Wait");
        });
      });
  OTF2_GlobalEvtReaderCallbacks_SetMpiIrecvRequestCallback(
      on, [](OTF2_LocationRef at, OTF2_TimeStamp time, void* user, Attributes, uint64_t request) {
        return on_event(user, at, time, [&](EventReader& reader) {
          reader.begin(OpKind::receive, request, nullptr, "MPI_Irecv");
        });
      });
  OTF2_GlobalEvtReaderCallbacks_SetMpiIrecvCallback(
      on, [](OTF2_LocationRef at, OTF2_TimeStamp time, void* user, Attributes, uint32_t from,
             OTF2_CommRef comm, uint32_t tag, uint64_t bytes, uint64_t request) {
        const EventReader::Envelope envelope{from, comm, tag, bytes};
        return on_event(user, at, time, [&](EventReader& reader) {
          reader.complete(request, &envelope, false, "MPI_Wait");
        });
      });
  OTF2_GlobalEvtReaderCallbacks_SetMpiRequestCancelledCallback(
      on, [](OTF2_LocationRef at, OTF2_TimeStamp time, void* user, Attributes, uint64_t request) {
        return on_event(user, at, time, [&](EventReader& reader) {
          reader.complete(request, nullptr, true, "MPI_Wait");
        });
      });
  OTF2_GlobalEvtReaderCallbacks_SetMpiCollectiveEndCallback(
      on, [](OTF2_LocationRef at, OTF2_TimeStamp time, void* user, Attributes, OTF2_CollectiveOp op,
             OTF2_CommRef comm, uint32_t root, uint64_t sent, uint64_t received) {
        return on_event(user, at, time, [&](EventReader& reader) {
          reader.blocking(OpKind::collective, {root, comm, 0, sent, received}, function_of(op));
        });
      });
  OTF2_GlobalEvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(
      on, [](OTF2_LocationRef at, OTF2_TimeStamp time, void* user, Attributes, uint64_t request) {
        return on_event(user, at, time, [&](EventReader& reader) {
          reader.begin(OpKind::collective, request, nullptr, "MPI_Ibarrier");
        });
      });
  OTF2_GlobalEvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(
      on, [](OTF2_LocationRef at, OTF2_TimeStamp time, void* user, Attributes, OTF2_CollectiveOp,
             OTF2_CommRef comm, uint32_t root, uint64_t sent, uint64_t received, uint64_t request) {
        const EventReader::Envelope envelope{root, comm, 0, sent, received};
        return on_event(user, at, time, [&](EventReader& reader) {
          reader.complete(request, &envelope, false, "MPI_Wait");
        });
      });
}

}  // namespace

void read_events(OTF2_Reader* reader, const std::filesystem::path& file, Imported& into) {
  for (const auto& [location, place] : into.places) {
    check_read(OTF2_Reader_SelectLocation(reader, location), file, "its events cannot be read");
  }
  check_read(OTF2_Reader_OpenDefFiles(reader), file, "its local definitions cannot be read");
  check_read(OTF2_Reader_OpenEvtFiles(reader), file, "its events cannot be read");
  for (const auto& [location, place] : into.places) {
    OTF2_DefReader* const definitions = OTF2_Reader_GetDefReader(reader, location);
    if (definitions != nullptr) {
      std::uint64_t count = 0;
      check_read(OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &count), file,
                 "its local definitions are damaged");
      OTF2_Reader_CloseDefReader(reader, definitions);
    }
    if (OTF2_Reader_GetEvtReader(reader, location) == nullptr) {
      throw damaged_archive(file, fmt::format("the events of location {} (a file {}.evt) cannot be "
                                              "read",
                                              location, location));
    }
  }
  OTF2_Reader_CloseDefFiles(reader);
  EventReader events(into);
  OTF2_GlobalEvtReader* const all = OTF2_Reader_GetGlobalEvtReader(reader);
  OTF2_GlobalEvtReaderCallbacks* const on = OTF2_GlobalEvtReaderCallbacks_New();
  set_callbacks(on);
  check_read(OTF2_Reader_RegisterGlobalEvtCallbacks(reader, all, on, &events), file,
             "its events cannot be read");
  OTF2_GlobalEvtReaderCallbacks_Delete(on);
  std::uint64_t count = 0;
  const OTF2_ErrorCode end = OTF2_Reader_ReadAllGlobalEvents(reader, all, &count);
  if (end != OTF2_SUCCESS) {
    into.damage = fmt::format("{}: damaged after {} records ({}); the rest is missing",
                              file.string(), count, OTF2_Error_GetDescription(end));
  }
  OTF2_Reader_CloseGlobalEvtReader(reader, all);
  OTF2_Reader_CloseEvtFiles(reader);
  events.finish();
}

}  // namespace plait::otf2
