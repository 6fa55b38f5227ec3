// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes the profile as JSON (docs/schemas/profile-1.schema.json).
#include <fmt/format.h>

#include "base/json_file.hpp"
#include "plait/error.hpp"
#include "report/alike_ranks.hpp"
#include "report/caller_tree.hpp"
#include "report/computation_json.hpp"
#include "report/optional_json.hpp"
#include "report/profile.hpp"
#include "report/resources_json.hpp"
#include "trace/frame_text.hpp"
#include "trace/rank_record.hpp"
#include "trace/site_names.hpp"

namespace plait::trace {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Frame, function, file, line, module, offset)

}  // namespace plait::trace

namespace plait::report {

using nlohmann::json;

// Like NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE, for a type with one member that has another name in the
// schema.
#define PLAIT_DEFINE_JSON(Type, name, member, ...)                             \
  void to_json(json& nlohmann_json_j, const Type& nlohmann_json_t) {           \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, __VA_ARGS__))   \
    nlohmann_json_j[name] = nlohmann_json_t.member;                            \
  }                                                                            \
  void from_json(const json& nlohmann_json_j, Type& nlohmann_json_t) {         \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_FROM, __VA_ARGS__)) \
    nlohmann_json_j.at(name).get_to(nlohmann_json_t.member);                   \
  }

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HostRanks, name, ranks)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MpiContext, abi, library)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LauncherContext, kind, version, path)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Context, hosts, cpu_model, mpi, launcher, omp_runtime,
                                   thread_level, machine_file)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(EfficiencyValue, value, kind)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(EfficiencyTable, definition, parallel, cpu, load_balance,
                                   communication, transfer, serialization, threads)
PLAIT_DEFINE_JSON(RankRow, "cpu_taken_s", cpu_wait_s, rank, host, pid, state, wall_s, mpi_s,
                  compute_s, omp_idle_s, threads, calls, bytes, cpu_s, voluntary_switches,
                  involuntary_switches, compute_wait_s, mpi_wait_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CallRow, name, count, bytes, time_s, max_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SiteRow, id, call, frames, communicator, count, bytes, time_s,
                                   time_min_s, time_max_s, time_min_rank, time_max_rank, before_s,
                                   ranks)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CommunicatorRow, id, name, size, calls, bytes, time_s, spacing,
                                   on_node)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SizeRow, kind, low_bytes, high_bytes, count, bytes, time_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OmpRegionRow, function, file, line, count, threads, time_s,
                                   busy_s, idle_s, cpu_wait_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OmpThreadRow, rank, thread, busy_s, idle_s, cpu_wait_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OpenMp, measured, runtime, regions, threads)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RegionRow, name, count, time_s, mpi_s, ranks)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(JobPart, program, ranks, count, least_threads, most_threads,
                                   wall_s, compute_s, cpu_wait_s, mpi_s, omp_idle_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FunctionThreadRow, rank, thread, calls, inclusive_s, exclusive_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FunctionRow, name, file, line, calls, inclusive_s, exclusive_s,
                                   ranks, threads, worst_rank, worst_s, switched_off, by_thread)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ThreadPlace, host, rank, thread, tid, cpus, cores, numa, phase)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Placement, threads, judgement)
PLAIT_DEFINE_JSON(Finding, "mend", fix, id, severity, what, evidence, cost, cost_share)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Overhead, ns_per_call, calls, total_s, fraction, lost_records,
                                   unseen_entry_points)

void to_json(json& to, const PeerClassRow& from) {
  to = {{"class", from.peer_class},
        {"count", from.count},
        {"bytes", from.bytes},
        {"time_s", from.time_s}};
}

void from_json(const json& from, PeerClassRow& to) {
  from.at("class").get_to(to.peer_class);
  from.at("count").get_to(to.count);
  from.at("bytes").get_to(to.bytes);
  from.at("time_s").get_to(to.time_s);
}

void to_json(json& to, const MatrixEntry& from) {
  to = json::array({from.from, from.to, from.messages, from.bytes});
}

void from_json(const json& from, MatrixEntry& to) {
  from.at(0).get_to(to.from);
  from.at(1).get_to(to.to);
  from.at(2).get_to(to.messages);
  from.at(3).get_to(to.bytes);
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Matrix, size, nodes, point_to_point, collective, left_out)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Contention, own_ranks_s, other_programs_s, throttled_s, steal_s,
                                   other_cpus, cpus, threads_per_cpu)
PLAIT_DEFINE_JSON(Profile, "cpu_taken_fraction", cpu_wait_fraction, plait_version, created, command,
                  exit_code, signal, wall_s, context, world_size, ranks_recorded, complete, missing,
                  notes, verdict, efficiencies, contention, ranks, calls, sites, communicators,
                  peer_classes, sizes, matrix, openmp, regions, counters, memory, io, placement,
                  findings, overhead, next)

namespace {

/// Adds the names that follow from all call paths together, which readers therefore ignore.
void add_names(json& sites, const Profile& profile) {
  std::vector<std::vector<Frame>> paths;
  for (const SiteRow& site : profile.sites) paths.push_back(site.frames);
  const std::vector<trace::SiteName> names = trace::name_sites(paths);
  for (std::size_t i = 0; i < names.size(); ++i) {
    json& site = sites[i];
    site["name"] = names[i].text();
    site["caller"] = names[i].caller.empty() ? json(nullptr) : json(names[i].caller_frame);
    for (std::size_t frame = 0; frame < paths[i].size(); ++frame) {
      site["frames"][frame]["name"] = trace::frame_name(paths[i][frame]);
    }
  }
}

/// The JSON of a profile with the keys that later versions of Plait added.
json with_later_keys(json value) {
  if (!value.is_object()) return value;
  const auto add = [](json& to, const char* key, const json& none) {
    if (to.is_object() && !to.contains(key)) to[key] = none;
  };
  add(value, "counters", Counters{});
  add(value["counters"], "roofline", Roofline{});
  if (value["counters"].is_object()) add(value["counters"]["roofline"], "peaks", json::array());
  add(value, "memory", Memory{});
  if (value["memory"].is_object() && value["memory"].contains("ranks")) {
    for (json& rank : value["memory"]["ranks"]) {
      for (const char* key : {"user_s", "system_s"}) add(rank, key, nullptr);
    }
  }
  if (value.contains("communicators")) {
    for (json& communicator : value["communicators"]) {
      for (const char* key : {"spacing", "on_node"}) add(communicator, key, 0);
    }
  }
  add(value, "io", Io{});
  add(value["io"], "series", json::array());
  add(value["io"], "without_series", 0);
  if (value.contains("computation")) add(value["computation"], "serial", nullptr);
  return value;
}

/// @throws JsonError when a row of counters has not as many counts as there are events.
void check_counts(const Counters& counters) {
  const auto check = [&](const auto& row) {
    if (row.outside.size() != counters.events.size() || row.inside.size() != row.outside.size()) {
      throw JsonError(fmt::format("a row of counters has {} and {} counts of {} events",
                                  row.outside.size(), row.inside.size(), counters.events.size()));
    }
  };
  for (const CounterRegionRow& row : counters.regions) check(row);
  for (const CounterRow& row : counters.threads) check(row);
}

}  // namespace

nlohmann::json profile_to_json(const Profile& profile) {
  json value = profile;
  add_names(value["sites"], profile);
  if (profile.computation) value["computation"] = *profile.computation;
  if (!profile.parts.empty()) value["parts"] = profile.parts;
  if (!profile.functions.empty()) value["functions"] = profile.functions;
  if (profile.remapping) value["remapping"] = remap::remap_to_json(*profile.remapping);
  if (profile.ranks.size() > kMostRanksShown) {
    value["rank_groups"] = alike_ranks_to_json(alike_ranks(profile.ranks, kMostRankGroups));
  }
  value["caller_tree"] = caller_tree_to_json(caller_tree(profile));
  value["schema"] = kProfileSchema;
  value["schema_version"] = kProfileVersion;
  return value;
}

Profile profile_from_json(const nlohmann::json& value, const std::string& name) {
  return convert_json(name, "remove the file and run plait report again", [&] {
    const json whole = with_later_keys(value);
    Profile profile = whole.get<Profile>();
    if (whole.contains("computation")) {
      profile.computation = whole.at("computation").get<Computation>();
    }
    if (whole.contains("parts")) whole.at("parts").get_to(profile.parts);
    if (whole.contains("functions")) whole.at("functions").get_to(profile.functions);
    if (whole.contains("remapping")) {
      profile.remapping = remap::remap_from_json(whole.at("remapping"));
    }
    check_counts(profile.counters);
    const auto most = static_cast<int>(trace::most_ranks(profile.ranks.size()));
    for (const int size : {profile.world_size, profile.matrix.size}) {
      if (size < 0 || size > most) throw JsonError(fmt::format("{} ranks are impossible", size));
    }
    return profile;
  });
}

Profile read_profile(const std::filesystem::path& file) {
  return profile_from_json(read_json_file(file, kProfileSchema, kProfileVersion), file.string());
}

}  // namespace plait::report
