// SPDX-License-Identifier: BSD-3-Clause
// Writes the results of runs as JSON.
#include "result_json.hpp"

#include <cstdio>
#include <ctime>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "plait/environment.hpp"

namespace plait::jacobi {
namespace {

using Json = nlohmann::ordered_json;

std::string date_text() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

/// The first line of the MPI library's version string: "Open MPI v4.1.4, ...".
std::string mpi_library() {
  std::string text(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  text.resize(static_cast<std::size_t>(length));
  text = text.substr(0, text.find('\n'));
  while (!text.empty() && (text.back() == '\0' || text.back() == ' ')) text.pop_back();
  return text;
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "";
}

Json grid_json(const Result& result) {
  return {{"cells", result.options.cells},
          {"ranks", result.ranks},
          {"processes", result.size},
          {"threads", result.options.threads},
          {"map", result.map},
          {"decomposition", result.decomposition}};
}

Json problem_json(const Result& result) {
  const Options& options = result.options;
  Json json{{"name", to_string(options.problem)}, {"boundary", options.boundary.text()}};
  if (result.distance) json["distance_from_solution"] = *result.distance;
  return json;
}

Json iteration_json(const Result& result) {
  const Iteration& iteration = result.iteration;
  Json json{{"steps", iteration.steps},
            {"first_step", iteration.first_step},
            {"seconds", iteration.seconds},
            {"mlups", result.updates_per_s() / 1e6},
            {"bytes_per_update", result.bytes_per_update()}};
  if (result.options.until > 0.0) {
    json["until"] = result.options.until;
    json["converged"] = iteration.converged;
    json["largest_change"] = iteration.last_change;
  }
  json["checkpoints"] = iteration.checkpoints;
  json["checkpoint_seconds"] = iteration.checkpoint_seconds;
  return json;
}

Json run_json(const Result& result) {
  const Options& options = result.options;
  return {{"schedule", result.schedule},
          {"schedule_asked", options.temporal > 1 ? "temporal" : to_string(options.schedule)},
          {"deciding", result.deciding},
          {"order", options.order == Order::step ? "step" : "advance"},
          {"temporal", options.temporal},
          {"transport", result.transport},
          {"packing", result.packing},
          {"thread_level", to_string(granted_thread_level())},
          {"stores", result.streaming ? "streaming" : "cached"},
          {"block_rows", result.block_rows},
          {"instruction_set", result.instruction_set}};
}

Json costs_json(const Result& result) {
  Json json = Json::object();
  if (result.costs) {
    json = {{"compute_s", result.costs->compute_s},
            {"compute_less_one_s", result.costs->compute_less_one_s},
            {"boundary_s", result.costs->boundary_s},
            {"communicate_s", result.costs->communicate_s},
            {"communication_cpu_s", result.costs->communication_cpu_s},
            {"owns_core", result.costs->owns_core},
            {"progress", result.costs->progress}};
  }
  json["schedules"] = Json::array();
  for (const ScheduleCost& cost : result.schedules) {
    Json entry{{"schedule", to_string(cost.schedule)}};
    if (!cost.refused.empty()) {
      entry["refused"] = cost.refused;
    } else {
      entry["predicted_s"] = cost.predicted_s;
      entry["low_s"] = cost.low_s;
      entry["high_s"] = cost.high_s;
      if (cost.measured_s > 0.0) entry["measured_s"] = cost.measured_s;
    }
    json["schedules"].push_back(entry);
  }
  return json;
}

Json placement_json(const Result& result) {
  Json json = Json::array();
  for (const RankPlace& place : result.placement) {
    json.push_back({{"rank", place.rank},
                    {"host", place.host},
                    {"coordinates", place.coordinates},
                    {"first", place.own.first},
                    {"last", place.own.last},
                    {"cpus", place.cpus}});
  }
  return json;
}

Json result_json(const Result& result) {
  char checksum[17];
  std::snprintf(checksum, sizeof checksum, "%016llx",
                static_cast<unsigned long long>(result.checksum));
  Json json{{"grid", grid_json(result)},
            {"problem", problem_json(result)},
            {"iteration", iteration_json(result)},
            {"run", run_json(result)},
            {"halo",
             {{"bytes", result.halo_bytes},
              {"largest_rank_bytes", result.largest_halo_bytes},
              {"cross_node_bytes", result.cross_node_bytes}}}};
  if (result.copy_bytes_per_s > 0.0) {
    json["bound"] = {{"copy_gbs", result.copy_bytes_per_s / 1e9},
                     {"mlups", result.bound_updates_per_s() / 1e6},
                     {"reached", result.updates_per_s() / result.bound_updates_per_s()}};
  }
  json["checksum"] = checksum;
  if (result.unlike_reference >= 0) json["cells_unlike_reference"] = result.unlike_reference;
  json["costs"] = costs_json(result);
  json["placement"] = placement_json(result);
  return json;
}

}  // namespace

void write_json(const std::string& path, const std::vector<std::string>& command,
                const std::vector<Result>& results) {
  Json json{{"schema", "plait-jacobi"}, {"schema_version", 1},  {"plait_version", PLAIT_VERSION},
            {"created", date_text()},   {"command", command},   {"mpi_library", mpi_library()},
            {"cpu_model", cpu_model()}, {"runs", Json::array()}};
  for (const Result& result : results) json["runs"].push_back(result_json(result));
  std::ofstream file(path);
  file << json.dump(2) << "\n" << std::flush;
  if (!file)
    throw Error("--json " + path, "cannot be written", "check that the file system is not full");
}

}  // namespace plait::jacobi
