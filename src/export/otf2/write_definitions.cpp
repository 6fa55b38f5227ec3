// SPDX-License-Identifier: BSD-3-Clause
// Writes the definitions of an OTF2 archive: clock, nodes, processes, threads, regions,
// communicators.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "export/event_text.hpp"
#include "export/otf2/write_otf2.hpp"

namespace plait::otf2 {
namespace {

using trace::EventKind;

/// OTF2's role of a function or region.
OTF2_RegionRole role_of(EventKind kind) {
  switch (kind) {
    case EventKind::send:
    case EventKind::receive:
    case EventKind::send_receive:
    case EventKind::start:
    case EventKind::complete:
    case EventKind::poll:
    case EventKind::probe:
      return OTF2_REGION_ROLE_POINT2POINT;
    case EventKind::collective:
      return OTF2_REGION_ROLE_COLL_ALL2ALL;
    case EventKind::one_sided:
      return OTF2_REGION_ROLE_RMA;
    case EventKind::parallel:
      return OTF2_REGION_ROLE_PARALLEL;
    case EventKind::work:
      return OTF2_REGION_ROLE_LOOP;
    case EventKind::region:
    case EventKind::other:
      break;
  }
  return OTF2_REGION_ROLE_FUNCTION;
}

class Definitions {
public:
  Definitions(const DefinitionParts& of, OTF2_GlobalDefWriter* writer,
              const std::filesystem::path& file)
      : of_(of), trace_(of.trace), events_(of.events), writer_(writer), file_(file) {}

  void write() {
    call_sites();
    clock();
    system_tree();
    regions();
    locations_of_communicators();
    communicators();
  }

private:
  void done(OTF2_ErrorCode code) const { check(code, file_, "definitions cannot be written"); }

  OTF2_StringRef text(const std::string& value) {
    const auto [at, is_new] = texts_.try_emplace(value, static_cast<OTF2_StringRef>(texts_.size()));
    if (is_new) done(OTF2_GlobalDefWriter_WriteString(writer_, at->second, value.c_str()));
    return at->second;
  }

  void call_sites() {
    for (const std::string& site : of_.sites.texts) text(site);
    done(OTF2_GlobalDefWriter_WriteAttribute(writer_, kSiteAttribute, text("call site"),
                                             text("where the program calls MPI"),
                                             OTF2_TYPE_STRING));
  }

  void clock() {
    std::int64_t last = 0;
    for (const trace::Rank& rank : trace_.ranks) {
      last = std::max(last, rank.end);
      for (const trace::Stream& stream : rank.streams) {
        if (!stream.events.empty()) last = std::max(last, stream.events.back().end);
      }
    }
    done(OTF2_GlobalDefWriter_WriteClockProperties(
        writer_, 1000000000, 0, static_cast<std::uint64_t>(last) + 1, OTF2_UNDEFINED_TIMESTAMP));
    done(OTF2_GlobalDefWriter_WriteParadigm(writer_, OTF2_PARADIGM_MPI, text("MPI"),
                                            OTF2_PARADIGM_CLASS_PROCESS));
  }

  void system_tree() {
    done(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer_, 0, text("job"), text("machine"),
                                                  OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (std::uint32_t node = 0; node < trace_.nodes.size(); ++node) {
      done(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer_, node + 1, text(trace_.nodes[node]),
                                                    text("node"), 0));
    }
    const std::vector<OTF2_LocationRef> first = first_locations(trace_);
    for (std::uint32_t rank = 0; rank < trace_.ranks.size(); ++rank) {
      const trace::Rank& of = trace_.ranks[rank];
      const bool known = of.node < trace_.nodes.size();
      done(OTF2_GlobalDefWriter_WriteLocationGroup(
          writer_, rank, text(fmt::format("MPI Rank {}", rank)), OTF2_LOCATION_GROUP_TYPE_PROCESS,
          known ? of.node + 1 : 0, OTF2_UNDEFINED_LOCATION_GROUP));
      for (OTF2_LocationRef location = first[rank]; location < first[rank + 1]; ++location) {
        const std::size_t thread = location - first[rank];
        const std::string name =
            thread < of.streams.size() ? exports::thread_text(of.streams[thread]) : "no events";
        done(OTF2_GlobalDefWriter_WriteLocation(
            writer_, location, text(name), OTF2_LOCATION_TYPE_CPU_THREAD, events_[location], rank));
      }
    }
  }

  void region(OTF2_RegionRef self, const std::string& name, OTF2_RegionRole role,
              OTF2_Paradigm paradigm) {
    const OTF2_StringRef text_of_name = text(name);
    done(OTF2_GlobalDefWriter_WriteRegion(writer_, self, text_of_name, text_of_name, text(""), role,
                                          paradigm, OTF2_REGION_FLAG_NONE, text(""), 0, 0));
  }

  void regions() {
    const std::size_t functions = trace_.functions.size();
    std::vector<EventKind> kinds(functions, EventKind::other);
    std::vector<std::pair<EventKind, std::string>> others(trace_.regions.size() + 1,
                                                          {EventKind::region, "unknown"});
    for (const trace::Shape& shape : trace_.shapes) {
      const OTF2_RegionRef self = region_of(trace_, shape);
      if (self < functions) {
        kinds[self] = shape.kind;
      } else if (self - functions < others.size()) {
        others[self - functions] = {shape.kind, exports::event_name(trace_, of_.names, shape)};
      }
    }
    for (std::uint32_t function = 0; function < functions; ++function) {
      region(function, trace_.functions[function], role_of(kinds[function]), OTF2_PARADIGM_MPI);
    }
    for (std::size_t index = 0; index < others.size(); ++index) {
      const auto& [kind, name] = others[index];
      region(static_cast<OTF2_RegionRef>(functions + index), name, role_of(kind),
             kind == EventKind::region ? OTF2_PARADIGM_USER : OTF2_PARADIGM_OPENMP);
    }
  }

  void group(OTF2_GroupRef self, const std::string& name, OTF2_GroupType type,
             const std::vector<std::uint64_t>& members) {
    done(OTF2_GlobalDefWriter_WriteGroup(
        writer_, self, text(name), type, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
        static_cast<std::uint32_t>(members.size()), members.data()));
  }

  /// Group 0: the location of each rank. Members of other groups are indices into it.
  void locations_of_communicators() {
    std::vector<OTF2_LocationRef> main = first_locations(trace_);
    main.pop_back();
    group(0, "MPI ranks", OTF2_GROUP_TYPE_COMM_LOCATIONS, main);
  }

  void communicators() {
    OTF2_GroupRef next = 1;
    for (std::uint32_t index = 0; index < trace_.comms.size(); ++index) {
      const trace::Comm& comm = trace_.comms[index];
      const OTF2_GroupRef own = next++;
      group(own, comm.name, OTF2_GROUP_TYPE_COMM_GROUP, {comm.members.begin(), comm.members.end()});
      if (comm.remote_members.empty()) {
        done(OTF2_GlobalDefWriter_WriteComm(writer_, index, text(comm.name), own,
                                            OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
        continue;
      }
      const OTF2_GroupRef remote = next++;
      group(remote, comm.name, OTF2_GROUP_TYPE_COMM_GROUP,
            {comm.remote_members.begin(), comm.remote_members.end()});
      done(OTF2_GlobalDefWriter_WriteInterComm(writer_, index, text(comm.name), own, remote,
                                               OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    }
  }

  const DefinitionParts& of_;
  const trace::Trace& trace_;
  const std::vector<std::uint64_t>& events_;
  OTF2_GlobalDefWriter* writer_;
  const std::filesystem::path& file_;
  std::map<std::string, OTF2_StringRef> texts_;
};

}  // namespace

void write_definitions(const DefinitionParts& of, OTF2_GlobalDefWriter* writer,
                       const std::filesystem::path& file) {
  Definitions(of, writer, file).write();
}

}  // namespace plait::otf2
