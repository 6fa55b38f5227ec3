// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes plans as JSON that a person can edit.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>

#include "base/json.hpp"
#include "base/json_file.hpp"
#include "base/shell_word.hpp"
#include "launcher/launcher_traits.hpp"
#include "launcher/plan.hpp"
#include "plait/error.hpp"

namespace plait::launcher {
namespace {

using nlohmann::json;

json json_of(const std::optional<PredictedTime>& time) {
  if (!time) return nullptr;
  return {{"s", time->seconds}, {"low_s", time->low}, {"high_s", time->high}};
}

std::optional<PredictedTime> time_of(const json& value) {
  if (value.is_null()) return std::nullopt;
  return PredictedTime{value.at("s"), value.at("low_s"), value.at("high_s")};
}

const char* reorder_text(const Plan& plan) {
  if (plan.reorder_always) return "always";
  return plan.reorder ? "where_asked" : "no";
}

void read_reorder(const std::string& word, Plan& plan) {
  if (word != "no" && word != "where_asked" && word != "always") {
    throw Error("reorder", fmt::format("unknown value \"{}\"", word),
                "use no, where_asked or always");
  }
  plan.reorder = word != "no";
  plan.reorder_always = word == "always";
}

RankPlaces places_of(const json& value) {
  RankPlaces places;
  places.node = value.at("node");
  places.pus = machine::CpuSet::parse(value.at("cpus").get<std::string>());
  places.cores = machine::CpuSet::parse(value.at("cores").get<std::string>());
  return places;
}

PlanPart part_of(const json& value) {
  PlanPart part;
  part.program = value.at("program");
  part.ranks = value.at("ranks");
  part.threads = value.at("threads");
  part.environment = value.at("environment").get<std::map<std::string, std::string>>();
  return part;
}

nlohmann::ordered_json json_of(const PlanPart& part) {
  return {{"program", part.program},
          {"ranks", part.ranks},
          {"threads", part.threads},
          {"environment", part.environment}};
}

Plan plan_of(const json& value) {
  Plan plan;
  plan.name = value.at("name");
  plan.reason = value.at("reason");
  plan.source = value.at("source");
  plan.ranks = value.at("ranks");
  plan.threads = value.at("threads");
  for (const json& place : value.at("places")) plan.places.push_back(places_of(place));
  if (value.contains("parts")) {
    for (const json& part : value.at("parts")) plan.parts.push_back(part_of(part));
  }
  read_reorder(value.at("reorder"), plan);
  plan.environment = value.at("environment").get<std::map<std::string, std::string>>();
  if (value.contains("files")) {
    plan.files = value.at("files").get<std::map<std::string, std::string>>();
  }
  plan.launcher_options = value.at("launcher_options").get<std::vector<std::string>>();
  plan.wait = value.value("wait", "");
  plan.transport = value.value("transport", "");
  if (const json& only = value.at("only_for"); !only.is_null()) {
    plan.only_for = launcher_of_key(only);
    if (!plan.only_for) {
      throw Error("only_for", fmt::format("unknown launcher \"{}\"", only.get<std::string>()),
                  fmt::format("use {} or null", known_launcher_ids()));
    }
  }
  const json& predicted = value.at("predicted");
  plan.predicted_of = predicted.at("of");
  plan.before = time_of(predicted.at("before"));
  plan.after = time_of(predicted.at("after"));
  return plan;
}

void check_variables(const std::map<std::string, std::string>& environment) {
  for (const auto& [name, value] : environment) {
    if (!is_variable_name(name)) {
      throw Error("environment", fmt::format("\"{}\" is not a variable name", name),
                  "use letters, digits and _");
    }
  }
}

void check_parts(const Plan& plan) {
  std::int64_t ranks = 0;
  for (const PlanPart& part : plan.parts) {
    if (part.program.empty() || part.ranks < 1 || part.threads < 0) {
      throw Error("parts", "each needs a program and at least one rank",
                  "use threads 0 to leave them as they are");
    }
    ranks += part.ranks;
    check_variables(part.environment);
  }
  if (!plan.parts.empty() && ranks != plan.ranks) {
    throw Error("parts", fmt::format("{} ranks in all, but the plan has {}", ranks, plan.ranks),
                "give each rank one part");
  }
}

void check(const Plan& plan) {
  if (plan.ranks < 0 || plan.threads < 0) {
    throw Error("ranks, threads", "must not be negative", "use 0 to leave them as they are");
  }
  if (!plan.places.empty() && plan.ranks != static_cast<int>(plan.places.size())) {
    throw Error("places", fmt::format("{} for {} ranks", plan.places.size(), plan.ranks),
                "give one per rank, or none");
  }
  if (plan.ranks == 0 && plan.threads == 0 && !plan.reorder && plan.environment.empty() &&
      plan.launcher_options.empty() && plan.wait.empty() && plan.transport.empty()) {
    throw Error("the plan", "changes nothing", "set ranks, threads, reorder or settings");
  }
  for (const RankPlaces& place : plan.places) check_host_names("places", {place.node});
  check_variables(plan.environment);
  check_parts(plan);
  for (const auto& [name, content] : plan.files) {
    if (name.empty() || name.front() == '.' || name.find_first_of("/\"$`\\\n") != name.npos) {
      throw Error("files", fmt::format("\"{}\" is not the name of a file in a folder", name),
                  "use letters, digits, -, _ and .");
    }
  }
}

}  // namespace

void check_host_names(const std::string& input, const std::vector<std::string>& hosts) {
  const auto fits = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
  };
  for (const std::string& host : hosts) {
    if (!std::all_of(host.begin(), host.end(), fits)) {
      throw Error(input, fmt::format("\"{}\" is not a host name", host),
                  "use letters, digits, -, _ and ., separated by commas");
    }
  }
}

Plan load_plan(const std::filesystem::path& file) {
  const std::filesystem::path path =
      std::filesystem::is_directory(file) && std::filesystem::exists(file / kPlanName)
          ? file / kPlanName
          : file;
  const char* const again = "make it again with plait place, map or advise";
  const json value = read_json_file(path, kPlanSchema, kPlanSchemaVersion, again);
  return convert_json(path, again, [&] {
    Plan plan = plan_of(value);
    check(plan);
    return plan;
  });
}

std::string plan_text(const Plan& plan) {
  nlohmann::ordered_json places = nlohmann::ordered_json::array();
  for (const RankPlaces& place : plan.places) {
    places.push_back(
        {{"node", place.node}, {"cpus", place.pus.format()}, {"cores", place.cores.format()}});
  }
  nlohmann::ordered_json value;
  value["schema"] = kPlanSchema;
  value["schema_version"] = kPlanSchemaVersion;
  value["name"] = plan.name;
  value["reason"] = plan.reason;
  value["source"] = plan.source;
  value["ranks"] = plan.ranks;
  value["threads"] = plan.threads;
  value["places"] = places;
  for (const PlanPart& part : plan.parts) value["parts"].push_back(json_of(part));
  value["reorder"] = reorder_text(plan);
  value["environment"] = plan.environment;
  if (!plan.files.empty()) value["files"] = plan.files;
  value["launcher_options"] = plan.launcher_options;
  if (!plan.wait.empty()) value["wait"] = plan.wait;
  if (!plan.transport.empty()) value["transport"] = plan.transport;
  value["only_for"] = nullptr;
  if (plan.only_for) value["only_for"] = launcher_key(*plan.only_for);
  value["predicted"] = {
      {"of", plan.predicted_of}, {"before", json_of(plan.before)}, {"after", json_of(plan.after)}};
  return value.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

void save_plan(const std::filesystem::path& path, const Plan& plan) {
  write_text_file(path, plan_text(plan));
}

}  // namespace plait::launcher
