// SPDX-License-Identifier: BSD-3-Clause
// Writes and reads the definitions of a packed trace.
#include "trace/definitions_json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <utility>

#include "base/json.hpp"
#include "plait/error.hpp"
#include "trace/budget.hpp"
#include "trace/clocks.hpp"
#include "trace/trace_files.hpp"

namespace plait::trace {

namespace {

using nlohmann::json;

constexpr const char* kSchema = "plait-trace-definitions";

/// Runs as [first, count, stride].
json runs_of(const RankGroup& ranks) {
  json runs = json::array();
  for (const RankGroup::Run& run : ranks.runs()) {
    runs.push_back({run.first, ranks.length(run), run.stride});
  }
  return runs;
}

void take(Budget& copies, std::uint64_t bytes) {
  if (!copies.take(bytes)) throw JsonError("it refers to the same text or ranks too often");
}

RankGroup ranks_of(const json& runs, Budget& copies) {
  RankGroup ranks;
  for (const json& run : runs) {
    const auto first = run.at(0).get<int>();
    const auto count = run.at(1).get<std::uint32_t>();
    const auto stride = run.at(2).get<int>();
    take(copies, count * std::uint64_t{sizeof(int)});
    const std::int64_t last = first + (std::int64_t{count} - 1) * stride;
    if (!std::in_range<int>(last)) throw JsonError("a communicator has impossible ranks");
    ranks.append(first, count, stride);
  }
  return ranks;
}

/// Numbers the paths of modules.
class Modules {
public:
  json address(const CodeAddress& at) {
    const auto [known, is_new] = indices_.try_emplace(at.module.text(), indices_.size());
    if (is_new) {
      paths_.push_back(at.module.text());
    }
    return {known->second, at.offset, at.pc};
  }
  [[nodiscard]] const json& paths() const { return paths_; }

private:
  std::map<std::string, std::size_t> indices_;
  json paths_ = json::array();
};

CodeAddress address_of(const json& at, const json& modules, Budget& copies) {
  const json& module = modules.at(at.at(0).get<std::size_t>());
  if (module.is_string()) take(copies, module.get_ref<const std::string&>().size());
  return {module.get<std::string>(), at.at(1).get<std::uint64_t>(), at.at(2).get<std::uint64_t>()};
}

json sample(const plait_clock_sample& at) {
  return {at.ticks, at.realtime_ns, at.monotonic_ns};
}

plait_clock_sample sample_of(const json& at) {
  return {at.at(0).get<std::uint64_t>(), at.at(1).get<std::int64_t>(),
          at.at(2).get<std::int64_t>()};
}

json offset(const plait_clock_offset& at) {
  return at.measured != 0 ? json{at.ticks, at.offset_s, at.uncertainty_s} : json();
}

plait_clock_offset offset_of(const json& at) {
  plait_clock_offset out{};
  if (!at.is_null()) {
    out = {at.at(0).get<std::uint64_t>(), at.at(1).get<double>(), at.at(2).get<double>(), 1, 0};
    if (!is_possible(out)) throw JsonError("impossible clock offset");
  }
  return out;
}

json clock(const ProcessClock& of) {
  return {{"kind", static_cast<int>(of.kind)}, {"ticks_per_s", of.ticks_per_s},
          {"first", sample(of.first)},         {"last", sample(of.last)},
          {"at_init", offset(of.at_init)},     {"at_finalize", offset(of.at_finalize)}};
}

ProcessClock clock_of(const json& of) {
  ProcessClock out;
  const int kind = of.at("kind").get<int>();
  if (kind < PLAIT_CLOCK_TSC || kind > PLAIT_CLOCK_CNTVCT) {
    throw JsonError("unknown kind of clock");
  }
  out.kind = static_cast<plait_clock_kind>(kind);
  out.ticks_per_s = of.at("ticks_per_s").get<double>();
  out.first = sample_of(of.at("first"));
  out.last = sample_of(of.at("last"));
  out.at_init = offset_of(of.at("at_init"));
  out.at_finalize = offset_of(of.at("at_finalize"));
  if (!(out.ticks_per_s > 1e3 && out.ticks_per_s < 1e12)) {
    throw JsonError("impossible clock rate");
  }
  return out;
}

ProcessDefinitions read(const json& from, Budget copies, std::vector<std::string>& problems) {
  ProcessDefinitions out;
  out.world_rank = from.at("world_rank").get<int>();
  out.world_size = from.at("world_size").get<int>();
  if (out.world_rank < -1 || (out.world_rank >= 0 && out.world_rank >= out.world_size)) {
    throw JsonError(fmt::format("its rank is {} of {}", out.world_rank, out.world_size));
  }
  out.pid = from.at("pid").get<int>();
  out.host = from.at("host").get<std::string>();
  out.complete = from.at("complete").get<bool>();
  out.mode = from.at("mode").get<std::string>() == "ring" ? PLAIT_TRACE_RING : PLAIT_TRACE_FULL;
  out.checking = from.at("checking").get<bool>();
  out.traced_ranks = from.value("traced_ranks", "");
  out.init_end_ticks = from.at("init_end_ticks").get<std::uint64_t>();
  out.clock = clock_of(from.at("clock"));
  for (const json& at : from.at("functions")) {
    out.functions.push_back({at.at(0).get<std::string>(), at.at(1).get<bool>()});
  }
  const json& modules = from.at("modules");
  for (const json& at : from.at("sites")) {
    Site& site = out.sites.emplace_back();
    for (const json& frame : at) {
      site.frames.push_back(address_of(frame, modules, copies));
    }
  }
  for (const json& at : from.at("comms")) {
    Communicator& comm = out.comms.emplace_back();
    comm.name = at.at("name").get<std::string>();
    comm.my_rank = at.at("my_rank").get<int>();
    comm.members = ranks_of(at.at("members"), copies);
    comm.remote_members = ranks_of(at.at("remote_members"), copies);
    comm.ordinal = at.at("ordinal").get<std::uint32_t>();
    comm.members_hash = at.at("members_hash").get<std::uint64_t>();
    comm.sources = at.value("sources", std::vector<int>());
    take(copies, comm.sources.size() * sizeof(int));
    for (const int source : comm.sources) {
      if (source < 0 || !std::cmp_less(source, comm.members.size())) {
        throw JsonError("a communicator has an impossible neighbour");
      }
    }
  }
  for (const json& at : from.at("regions")) {
    UserRegion& region = out.regions.emplace_back();
    region.name = at.at(0).get<std::string>();
    region.parent = at.at(1).get<int>();
  }
  for (const json& at : from.at("parallel")) {
    out.parallel.push_back(address_of(at, modules, copies));
  }
  out.lost_events = from.at("lost_events").get<std::uint64_t>();
  out.overwritten_events = from.at("overwritten_events").get<std::uint64_t>();
  out.overhead_ns_per_event = from.at("overhead_ns_per_event").get<double>();
  if (!(std::abs(out.overhead_ns_per_event) < 1e9)) throw JsonError("impossible cost of an event");
  for (const json& at : from.at("problems")) {
    problems.push_back(at.get<std::string>());
  }
  return out;
}

}  // namespace

std::string definitions_to_json(const EventSource& from) {
  const ProcessDefinitions& of = from.definitions();
  Modules modules;
  json functions = json::array(), sites = json::array(), comms = json::array();
  json regions = json::array(), parallel = json::array();
  for (const FunctionName& at : of.functions) {
    functions.push_back({at.name, at.collective});
  }
  for (const Site& at : of.sites) {
    json& site = sites.emplace_back(json::array());
    for (const CodeAddress& frame : at.frames) {
      site.push_back(modules.address(frame));
    }
  }
  for (const Communicator& at : of.comms) {
    json& comm = comms.emplace_back(json{{"name", at.name},
                                         {"my_rank", at.my_rank},
                                         {"members", runs_of(at.members)},
                                         {"remote_members", runs_of(at.remote_members)},
                                         {"ordinal", at.ordinal},
                                         {"members_hash", at.members_hash}});
    if (!at.sources.empty()) comm["sources"] = at.sources;
  }
  for (const UserRegion& at : of.regions) {
    regions.push_back({at.name, at.parent});
  }
  for (const CodeAddress& at : of.parallel) {
    parallel.push_back(modules.address(at));
  }
  json out = {{"schema", kSchema},
              {"schema_version", kDefinitionsVersion},
              {"world_rank", of.world_rank},
              {"world_size", of.world_size},
              {"pid", of.pid},
              {"host", of.host},
              {"complete", of.complete},
              {"mode", of.mode == PLAIT_TRACE_RING ? "ring" : "full"},
              {"checking", of.checking},
              {"init_end_ticks", of.init_end_ticks},
              {"clock", clock(of.clock)},
              {"functions", std::move(functions)},
              {"modules", modules.paths()},
              {"sites", std::move(sites)},
              {"comms", std::move(comms)},
              {"regions", std::move(regions)},
              {"parallel", std::move(parallel)},
              {"lost_events", of.lost_events},
              {"overwritten_events", of.overwritten_events},
              {"overhead_ns_per_event", of.overhead_ns_per_event},
              {"problems", from.problems()},
              {"damage", from.damage()}};
  if (!of.traced_ranks.empty()) out["traced_ranks"] = of.traced_ranks;
  return out.dump();
}

ProcessDefinitions definitions_from_json(std::string_view text, std::uint64_t file_bytes,
                                         const std::string& file,
                                         std::vector<std::string>& problems, std::string& damage) {
  const json from = convert_json(file, kRecordAgain, [&] {
    json parsed = parse_json(text);
    if (parsed.at("schema") != kSchema) throw JsonError("its definitions have another schema");
    return parsed;
  });
  const int version =
      convert_json(file, kRecordAgain, [&] { return from.at("schema_version").get<int>(); });
  if (version != kDefinitionsVersion) {
    throw Error(file,
                fmt::format("has definitions of version {}, but this plait reads version {}",
                            version, kDefinitionsVersion),
                "read it with the plait that packed it");
  }
  return convert_json(file, kRecordAgain, [&] {
    damage = from.value("damage", "");
    return read(from, Budget(file_bytes), problems);
  });
}

}  // namespace plait::trace
