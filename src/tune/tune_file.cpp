// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes tune.json: the state and the result of a tuning.
#include "tune/tune_file.hpp"

#include <algorithm>
#include <array>

#include "base/json_file.hpp"
#include "base/secrets.hpp"
#include "plait/error.hpp"

namespace plait::tune {
namespace {

using nlohmann::json;

constexpr const char* kSchema = "plait-tune";
constexpr int kVersion = 1;

constexpr std::array<const char*, 4> kStages{"screening", "proving", "combining", "confirming"};
constexpr std::array<const char*, 3> kStates{"running", "interrupted", "finished"};
constexpr std::array<const char*, 5> kVerdicts{"unfinished", "nothing", "undecided", "unconfirmed",
                                               "won"};

template <class Enum, std::size_t N>
const char* name_of(const std::array<const char*, N>& names, Enum value) {
  return names.at(static_cast<std::size_t>(value));
}

template <class Enum, std::size_t N>
Enum named(const std::array<const char*, N>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw Error(name, "unknown value", "");
  return static_cast<Enum>(found - names.begin());
}

json rule_json(const CollectiveRule& rule) {
  json value = {{"operation", rule.operation}, {"variable", rule.variable},
                {"ranks", rule.ranks},         {"from_bytes", rule.from_bytes},
                {"to_bytes", nullptr},         {"algorithm", rule.algorithm}};
  if (rule.to_bytes != kAllSizes) value["to_bytes"] = rule.to_bytes;
  if (rule.requests > 0) value["requests"] = rule.requests;
  if (rule.segment_bytes > 0) value["segment_bytes"] = rule.segment_bytes;
  return value;
}

CollectiveRule rule_of(const json& value) {
  CollectiveRule rule;
  rule.operation = value.at("operation");
  rule.variable = value.at("variable");
  rule.ranks = value.at("ranks");
  rule.from_bytes = value.at("from_bytes");
  if (!value.at("to_bytes").is_null()) rule.to_bytes = value.at("to_bytes").get<std::uint64_t>();
  rule.algorithm = value.at("algorithm");
  rule.requests = value.value("requests", 0);
  rule.segment_bytes = value.value("segment_bytes", std::uint64_t{0});
  return rule;
}

json probe_json(const ProbeMessage& message) {
  return {{"operation", message.operation},
          {"ranks", message.ranks},
          {"bytes", message.bytes},
          {"calls", message.calls}};
}

ProbeMessage probe_of(const json& value) {
  return {value.at("operation"), value.at("ranks"), value.at("bytes"), value.at("calls")};
}

json pairs_json(const std::vector<std::array<double, 2>>& pairs) {
  json value = json::array();
  for (const auto& [before, after] : pairs) {
    value.push_back({{"before_s", before}, {"after_s", after}});
  }
  return value;
}

/// @throws Error when a time is not above 0.
std::vector<std::array<double, 2>> pairs_in(const json& value) {
  std::vector<std::array<double, 2>> pairs;
  for (const json& pair : value) {
    const double before = pair.at("before_s"), after = pair.at("after_s");
    if (!(before > 0) || !(after > 0)) throw Error("pairs", "a time is not above 0", "");
    pairs.push_back({before, after});
  }
  return pairs;
}

json candidate_json(const Candidate& candidate) {
  json value = {{"group", candidate.group},     {"name", candidate.name},
                {"reason", candidate.reason},   {"share", candidate.share},
                {"promise", candidate.promise}, {"settings", candidate.settings},
                {"rules", json::array()}};
  for (const CollectiveRule& rule : candidate.rules) value["rules"].push_back(rule_json(rule));
  if (!candidate.wait.empty()) value["wait"] = candidate.wait;
  if (!candidate.files.empty()) value["files"] = candidate.files;
  if (!candidate.transport.empty()) value["transport"] = candidate.transport;
  for (const ProbeMessage& message : candidate.probe) value["probe"].push_back(probe_json(message));
  if (!candidate.probe.empty()) value["probe_share"] = candidate.probe_share;
  return value;
}

Candidate candidate_of(const json& value) {
  Candidate candidate;
  candidate.group = value.at("group");
  candidate.name = value.at("name");
  candidate.reason = value.at("reason");
  candidate.share = value.at("share");
  candidate.promise = value.value("promise", 0.0);
  candidate.settings = value.at("settings").get<Settings>();
  for (const json& rule : value.at("rules")) candidate.rules.push_back(rule_of(rule));
  candidate.wait = value.value("wait", "");
  candidate.files = value.value("files", std::map<std::string, std::string>());
  candidate.transport = value.value("transport", "");
  if (value.contains("probe")) {
    for (const json& message : value.at("probe")) candidate.probe.push_back(probe_of(message));
    candidate.probe_share = value.at("probe_share");
  }
  return candidate;
}

json contest_json(const Contest& contest) {
  json value = {{"stage", name_of(kStages, contest.stage)},
                {"before", contest.before},
                {"after", contest.after},
                {"pairs", pairs_json(contest.pairs)},
                {"disturbed", contest.disturbed},
                {"failure", contest.failure}};
  if (!contest.probes.empty()) value["probes"] = pairs_json(contest.probes);
  return value;
}

/// Indices of candidates. @throws Error when one is out of range.
std::vector<int> candidates_in(const json& value, std::size_t count) {
  auto indices = value.get<std::vector<int>>();
  for (const int index : indices) {
    if (index < 0 || static_cast<std::size_t>(index) >= count) {
      throw Error(std::to_string(index), "not the number of a candidate", "");
    }
  }
  return indices;
}

Contest contest_in(const json& value, std::size_t candidates) {
  Contest contest;
  contest.stage = named<Stage>(kStages, value.at("stage"));
  contest.before = candidates_in(value.at("before"), candidates);
  contest.after = candidates_in(value.at("after"), candidates);
  if (contest.after.empty()) throw Error("after", "no candidate", "");
  contest.pairs = pairs_in(value.at("pairs"));
  if (value.contains("probes")) contest.probes = pairs_in(value.at("probes"));
  contest.disturbed = value.at("disturbed");
  contest.failure = value.at("failure");
  if (contest.disturbed < 0) throw Error("disturbed", "below 0", "");
  return contest;
}

json optional_json(const std::optional<double>& value) {
  return value ? json(*value) : json(nullptr);
}

std::optional<double> optional_in(const json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}

json result_json(const Tuning& tuning) {
  const SearchResult result = result_of(tuning.search);
  json value = {{"verdict", name_of(kVerdicts, result.verdict)},
                {"sentence", verdict_of(tuning)},
                {"chosen", result.chosen},
                {"ratio", nullptr},
                {"runs", runs_of(tuning.search)},
                {"probes", probes_of(tuning.search)},
                {"out_of_budget", result.out_of_budget},
                {"undecided", result.undecided},
                {"read_back", tuning.read_back}};
  if (result.ratio && result.ratio->covers) {
    value["ratio"] = {
        {"value", result.ratio->median}, {"low", result.ratio->low}, {"high", result.ratio->high}};
  }
  return value;
}

Tuning tuning_of(const json& value) {
  Tuning tuning;
  tuning.created = value.at("created");
  tuning.host = value.at("host");
  tuning.command = value.at("command").get<std::vector<std::string>>();
  tuning.run = value.at("run");
  const json& mpi = value.at("mpi");
  tuning.launcher.version = mpi.at("version");
  tuning.launcher.kind = launcher::kind_of(mpi.at("kind"), tuning.launcher.version);
  tuning.launcher.path = mpi.at("launcher");
  tuning.launcher.name = tuning.launcher.path;
  tuning.tool = mpi.at("tool");
  tuning.time_from = value.at("time_from");
  tuning.same_output = value.at("same_output");
  tuning.limit_s = optional_in(value.at("limit_s"));
  tuning.first_s = value.at("first_s");
  for (const json& candidate : value.at("candidates")) {
    tuning.list.candidates.push_back(candidate_of(candidate));
  }
  tuning.ranks = value.value("ranks", 0);
  tuning.probed = value.value("probed", false);
  prepare_search(tuning);
  tuning.list.left_out = value.at("left_out").get<std::vector<std::string>>();
  tuning.search.rules.error_rate = value.at("error_rate");
  tuning.search.rules.least_gain = value.at("least_gain");
  tuning.search.budget_s = optional_in(value.at("budget_s"));
  tuning.search.spent_s = value.at("spent_s");
  tuning.search.round = value.value("round", 1);
  for (const json& contest : value.at("contests")) {
    tuning.search.contests.push_back(contest_in(contest, tuning.list.candidates.size()));
  }
  tuning.quarantined = value.at("quarantined").get<std::vector<std::string>>();
  tuning.read_back = value.at("result").at("read_back").get<std::vector<std::string>>();
  tuning.notes = value.at("notes").get<std::vector<std::string>>();
  tuning.state = named<TuningState>(kStates, value.at("state"));
  const double rate = tuning.search.rules.error_rate;
  if (tuning.command.empty() || !(rate > 0 && rate < 1)) {
    throw Error("command, error_rate", "missing or out of range", "");
  }
  if (tuning.search.round < 1 || tuning.search.round > tuning.search.rules.most_rounds) {
    throw Error("round", "out of range", "");
  }
  return tuning;
}

}  // namespace

json tune_to_json(const Tuning& tuning) {
  json value = {{"schema", kSchema},
                {"schema_version", kVersion},
                {"plait_version", PLAIT_VERSION},
                {"created", tuning.created},
                {"host", tuning.host},
                {"command", masked_arguments(tuning.command)},
                {"run", tuning.run},
                {"mpi",
                 {{"kind", launcher::kind_name(tuning.launcher.kind)},
                  {"version", tuning.launcher.version},
                  {"launcher", tuning.launcher.path},
                  {"tool", tuning.tool}}},
                {"ranks", tuning.ranks},
                {"probed", tuning.probed},
                {"time_from", tuning.time_from},
                {"same_output", tuning.same_output},
                {"limit_s", optional_json(tuning.limit_s)},
                {"first_s", tuning.first_s},
                {"error_rate", tuning.search.rules.error_rate},
                {"least_gain", tuning.search.rules.least_gain},
                {"budget_s", optional_json(tuning.search.budget_s)},
                {"spent_s", tuning.search.spent_s},
                {"round", tuning.search.round},
                {"candidates", json::array()},
                {"left_out", tuning.list.left_out},
                {"contests", json::array()},
                {"quarantined", tuning.quarantined},
                {"notes", tuning.notes},
                {"state", name_of(kStates, tuning.state)},
                {"result", result_json(tuning)}};
  for (const Candidate& candidate : tuning.list.candidates) {
    value["candidates"].push_back(candidate_json(candidate));
  }
  for (const Contest& contest : tuning.search.contests) {
    value["contests"].push_back(contest_json(contest));
  }
  return value;
}

void save_tuning(const std::filesystem::path& folder, const Tuning& tuning) {
  write_json_file(folder / kTuneName, tune_to_json(tuning));
}

Tuning load_tuning(const std::filesystem::path& folder) {
  const char* const again = "start the tuning again";
  const std::filesystem::path file = folder / kTuneName;
  const json value = read_json_file(file, kSchema, kVersion, again);
  return convert_json(file, again, [&] { return tuning_of(value); });
}

}  // namespace plait::tune
