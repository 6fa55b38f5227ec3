// SPDX-License-Identifier: BSD-3-Clause
// Reads run.json, the description of a run that plait run writes.
#include "report/run_file.hpp"

#include <fmt/format.h>

#include "base/json.hpp"
#include "base/json_file.hpp"
#include "plait/error.hpp"

namespace plait::report {
namespace {

using nlohmann::json;

constexpr const char* kAgain = "run the program again under plait run";
constexpr const char* kGive = "give a directory that plait run has written";

std::string text_of(const json& value, const char* name) {
  const auto found = value.find(name);
  return found != value.end() && found->is_string() ? found->get<std::string>() : "";
}

std::optional<int> number_of(const json& value, const char* name) {
  const auto found = value.find(name);
  if (found == value.end() || !found->is_number_integer()) return {};
  return found->get<int>();
}

}  // namespace

RunFile read_run_file(const std::filesystem::path& run_dir) {
  if (!std::filesystem::exists(run_dir)) {
    throw Error(run_dir.string(), "no such directory", kGive);
  }
  if (!std::filesystem::is_directory(run_dir)) {
    throw Error(run_dir.string(), "not a run directory", kGive);
  }
  const std::filesystem::path path = run_dir / "run.json";
  if (!std::filesystem::exists(path)) {
    throw Error(run_dir.string(), "not a run directory: run.json is missing", kGive);
  }
  const json value = read_json_file(path, "plait-run", 1, kAgain);
  return convert_json(path, kAgain, [&] {
    RunFile run;
    value.at("command").get_to(run.command);
    run.started_command = run.started_plain = run.command;
    if (const auto started = value.find("started_as"); started != value.end()) {
      started->at("around").get_to(run.started_around);
      started->at("command").get_to(run.started_command);
      if (started->contains("plain")) {
        started->at("outer").get_to(run.started_outer);
        started->at("plain").get_to(run.started_plain);
      }
    }
    run.state = text_of(value, "state");
    const auto wall = value.find("wall_s");
    if (wall != value.end() && wall->is_number()) run.wall_s = wall->get<double>();
    run.exit_code = number_of(value, "exit_code");
    run.signal = number_of(value, "signal");
    run.interrupted_by = number_of(value, "interrupted_by");
    const auto allocation = value.find("allocation");
    if (allocation != value.end() && allocation->is_object()) {
      run.allocation = text_of(*allocation, "text");
    }
    const auto environment = value.find("environment");
    if (environment != value.end() && environment->is_object()) {
      for (const auto& [name, of] : environment->items()) {
        if (of.is_string()) run.environment.emplace(name, of.get<std::string>());
      }
    }
    if (const auto replay = value.find("replay"); replay != value.end()) {
      run.replayed_on = text_of(*replay, "network");
      run.replay_of = text_of(*replay, "run");
    }
    const json& launcher = value.at("launcher");
    if (launcher.is_object()) {
      run.launcher_kind = text_of(launcher, "kind");
      run.launcher_version = text_of(launcher, "version");
      run.launcher_path = text_of(launcher, "path");
    }
    return run;
  });
}

}  // namespace plait::report
