// SPDX-License-Identifier: BSD-3-Clause
// Merges the definitions of all processes.
#include "trace/merge_definitions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace plait::trace {

namespace {

EventKind kind_of(const plait_shape& shape) {
  switch (shape.kind) {
    case PLAIT_EVENT_SEND:
      return EventKind::send;
    case PLAIT_EVENT_RECV:
    case PLAIT_EVENT_MRECV:
      return EventKind::receive;
    case PLAIT_EVENT_SENDRECV:
      return EventKind::send_receive;
    case PLAIT_EVENT_ISEND:
    case PLAIT_EVENT_IRECV:
    case PLAIT_EVENT_START:
    case PLAIT_EVENT_IMRECV:
    case PLAIT_EVENT_ICOLLECTIVE:
    case PLAIT_EVENT_ISENDRECV:
      return EventKind::start;
    case PLAIT_EVENT_COMPLETE:
      return EventKind::complete;
    case PLAIT_EVENT_PROBE:
    case PLAIT_EVENT_MPROBE:
      return EventKind::probe;
    case PLAIT_EVENT_COLLECTIVE:
      return EventKind::collective;
    case PLAIT_EVENT_RMA:
    case PLAIT_EVENT_EPOCH:
      return EventKind::one_sided;
    case PLAIT_EVENT_PARALLEL:
      return EventKind::parallel;
    case PLAIT_EVENT_WORK:
      return EventKind::work;
    case PLAIT_EVENT_REGION:
      return EventKind::region;
    default:
      return EventKind::other;
  }
}

bool may_find_nothing(const plait_shape& shape) {
  return shape.kind == PLAIT_EVENT_PROBE || shape.kind == PLAIT_EVENT_MPROBE ||
         (shape.kind == PLAIT_EVENT_COMPLETE && (shape.flags & PLAIT_SHAPE_TEST) != 0);
}

std::string text_of(const CodeAddress& address) {
  // The address at run time differs between processes; it is used only if the file is unknown.
  return fmt::format("{}\n{:x}\n", address.module.text(),
                     address.module.empty() ? address.pc : address.offset);
}

std::uint32_t at_or(const std::vector<std::uint32_t>& indices, std::uint32_t index,
                    std::uint32_t otherwise) {
  return index < indices.size() ? indices[index] : otherwise;
}

template <class Known, class Entry, class Entries>
std::uint32_t index_in(Known& known, const std::string& key, Entries& entries, Entry&& entry) {
  const auto [at, is_new] = known.try_emplace(key, static_cast<std::uint32_t>(entries.size()));
  if (is_new) {
    entries.push_back(std::forward<Entry>(entry));
  }
  return at->second;
}

}  // namespace

std::size_t DefinitionMerger::ShapeHash::operator()(const Shape& shape) const {
  std::uint64_t hash = static_cast<std::uint64_t>(shape.kind);
  for (const std::uint64_t field :
       {std::uint64_t{shape.flags}, std::uint64_t{shape.function}, std::uint64_t{shape.site},
        std::uint64_t{shape.comm}, static_cast<std::uint64_t>(shape.peer),
        static_cast<std::uint64_t>(shape.tag), std::uint64_t{shape.operation}, shape.extra,
        shape.elements}) {
    hash = (hash ^ field) * 0x9e3779b97f4a7c15ULL;  // 2^64 / golden ratio
    hash ^= hash >> 32;
  }
  return hash;
}

std::uint32_t DefinitionMerger::function(const FunctionName& name) {
  const std::size_t before = trace_.functions.size();
  const std::uint32_t index = index_in(functions_, name.name, trace_.functions, name.name);
  if (trace_.functions.size() > before) {
    trace_.is_collective.push_back(name.collective);
  }
  return index;
}

std::uint32_t DefinitionMerger::site(const Site& site) {
  std::string key;
  for (const CodeAddress& frame : site.frames) {
    key += text_of(frame);
  }
  return index_in(sites_, key, trace_.sites, TraceSite{site.frames});
}

std::uint32_t DefinitionMerger::region(const TraceRegion& region) {
  const std::string key = region.name.empty() ? text_of(region.address)
                                              : fmt::format("{}\n{}", region.parent, region.name);
  return index_in(regions_, key, trace_.regions, region);
}

std::uint32_t DefinitionMerger::comm(const Communicator& comm) {
  Comm merged{comm.name, comm.members.to_vector(), comm.remote_members.to_vector()};
  const auto forget_unknown = [&](int& member) {
    if (!std::in_range<std::size_t>(member) ||
        static_cast<std::size_t>(member) >= trace_.ranks.size()) {
      member = -1;
    }
  };
  std::ranges::for_each(merged.members, forget_unknown);
  std::ranges::for_each(merged.remote_members, forget_unknown);
  if (!comm.remote_members.empty() && !comm.members.empty() &&
      comm.remote_members.front() < comm.members.front()) {
    std::swap(merged.members, merged.remote_members);
  }
  Indices& candidates = comms_[{comm.members_hash, comm.ordinal}];
  const auto found = std::ranges::find_if(candidates, [&](std::uint32_t index) {
    const Comm& known = trace_.comms[index];
    return known.members == merged.members && known.remote_members == merged.remote_members;
  });
  std::uint32_t index = 0;
  if (found != candidates.end()) {
    index = *found;
  } else {
    index = static_cast<std::uint32_t>(trace_.comms.size());
    candidates.push_back(index);
    trace_.comms.push_back(std::move(merged));
  }
  Comm& known = trace_.comms[index];
  if (known.name.empty()) known.name = comm.name;
  if (!comm.sources.empty() && comm.remote_members.empty() &&
      std::cmp_less(comm.my_rank, known.members.size()) && comm.my_rank >= 0) {
    known.sources.resize(known.members.size());
    known.sources[static_cast<std::size_t>(comm.my_rank)] = comm.sources;
  }
  return index;
}

std::uint32_t DefinitionMerger::shape(const Shape& shape) {
  const auto [at, is_new] =
      shapes_.try_emplace(shape, static_cast<std::uint32_t>(trace_.shapes.size()));
  if (is_new) {
    trace_.shapes.push_back(shape);
  }
  return at->second;
}

MergedShape DefinitionMerger::merged(const plait_shape& from, const Local& local) {
  Shape out;
  out.kind = kind_of(from);
  out.flags = from.flags;
  out.peer = from.peer;
  out.tag = from.tag;
  out.operation = from.operation;
  out.extra = from.extra;
  out.elements = from.elements;
  switch (out.kind) {
    case EventKind::parallel:
    case EventKind::work:
      out.site = at_or(local.parallel, from.site, kNone);
      break;
    case EventKind::region:
      out.site = at_or(local.regions, from.site, kNone);
      break;
    default:
      out.function = at_or(local.functions, from.function, kNone);
      if (out.function == kNone) {
        out.function = function({"unknown", false});
      }
      out.site = at_or(local.sites, from.site, kNone);
      out.comm = at_or(local.comms, from.comm, kNone);
  }
  MergedShape indices{shape(out), kNone};
  if (may_find_nothing(from)) {
    out.kind = EventKind::poll;
    indices.poll = shape(out);
  }
  return indices;
}

std::vector<MergedShape> DefinitionMerger::add(const ProcessDefinitions& process,
                                               std::span<const plait_shape> shapes) {
  Local local;
  for (const FunctionName& name : process.functions) {
    local.functions.push_back(function(name));
  }
  for (const Site& at : process.sites) {
    local.sites.push_back(site(at));
  }
  for (std::size_t index = 0; index < process.comms.size(); ++index) {
    local.comms.push_back(index == 0 ? kNone : comm(process.comms[index]));
  }
  for (const UserRegion& at : process.regions) {
    const auto parent = static_cast<std::uint32_t>(at.parent);
    local.regions.push_back(region({at.name, {}, at_or(local.regions, parent, kNone)}));
  }
  for (const CodeAddress& address : process.parallel) {
    local.parallel.push_back(region({"", address, kNone}));
  }
  std::vector<MergedShape> out;
  out.reserve(shapes.size());
  for (const plait_shape& at : shapes) {
    out.push_back(merged(at, local));
  }
  return out;
}

}  // namespace plait::trace
