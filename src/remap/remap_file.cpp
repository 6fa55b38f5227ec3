// SPDX-License-Identifier: BSD-3-Clause
// remap.json of a run directory: the decisions of plait run --remap and what came of them.
#include "remap/remap_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/json.hpp"
#include "base/json_file.hpp"
#include "machine/machine_file.hpp"
#include "plait/error.hpp"
#include "text/counted.hpp"
#include "text/units.hpp"
#include "text/wrap.hpp"

namespace plait::remap {
namespace {

constexpr const char* kSchema = "plait-remap";
constexpr int kVersion = 1;
constexpr std::array kEffects{Effect::unknown, Effect::faster, Effect::not_faster,
                              Effect::another_pattern};
/// Decisions that the terminal shows; the file has all.
constexpr std::size_t kShown = 6;
/// Ranks of a decision that the terminal shows.
constexpr std::size_t kShownRanks = 4;

std::filesystem::path path_in(const std::filesystem::path& run_dir) {
  return run_dir / "remap.json";
}

nlohmann::json json_of(const Decision& decision) {
  const Move& move = decision.move;
  nlohmann::json ranks = nlohmann::json::array();
  for (const MovedRank& rank : decision.ranks) {
    ranks.push_back({{"rank", rank.rank}, {"from", rank.from}, {"to", rank.to}});
  }
  return {{"at_s", decision.at_s},
          {"asked", decision.asked},
          {"revert", move.revert},
          {"interval_s", move.interval_s},
          {"predicted_gain_s", move.predicted_gain_s},
          {"cost_s", move.cost_s},
          {"effect", effect_name(move.effect)},
          {"speed", move.speed},
          {"ranks", ranks}};
}

/// Text for people, in one line.
std::string line_at(const nlohmann::json& json, const char* key) {
  return in_one_line(json.at(key).get<std::string>());
}

int count_at(const nlohmann::json& json, const char* key) {
  const int count = json.at(key).get<int>();
  if (count < 0) throw JsonError(fmt::format("{} is {}", key, count));
  return count;
}

Effect effect_named(const std::string& name) {
  const auto* found = std::find_if(kEffects.begin(), kEffects.end(),
                                   [&](Effect effect) { return name == effect_name(effect); });
  if (found == kEffects.end()) throw JsonError("unknown effect \"" + name + '"');
  return *found;
}

Decision decision_of(const nlohmann::json& json) {
  Decision decision;
  decision.at_s = json.at("at_s").get<double>();
  decision.asked = json.at("asked").get<bool>();
  Move& move = decision.move;
  move.revert = json.at("revert").get<bool>();
  move.interval_s = json.at("interval_s").get<double>();
  move.predicted_gain_s = json.at("predicted_gain_s").get<double>();
  move.cost_s = json.at("cost_s").get<double>();
  move.effect = effect_named(json.at("effect").get<std::string>());
  move.speed = json.at("speed").get<double>();
  for (const nlohmann::json& rank : json.at("ranks")) {
    decision.ranks.push_back({count_at(rank, "rank"), line_at(rank, "from"), line_at(rank, "to")});
  }
  return decision;
}

std::string effect_text(const Move& move) {
  switch (move.effect) {
    case Effect::faster:
    case Effect::not_faster:
      return fmt::format("messages per second became {} times as many", format_number(move.speed));
    case Effect::another_pattern:
      return "other ranks communicated then, so the effect is unknown";
    case Effect::unknown:
      break;
  }
  return "the effect is unknown";
}

std::string ranks_text(const Decision& decision) {
  std::string text;
  for (std::size_t i = 0; i < std::min(kShownRanks, decision.ranks.size()); ++i) {
    const MovedRank& rank = decision.ranks[i];
    text +=
        fmt::format("{}rank {} from {} to {}", i > 0 ? ", " : "", rank.rank, rank.from, rank.to);
  }
  if (decision.ranks.size() > kShownRanks) {
    text += fmt::format(" and {} more", decision.ranks.size() - kShownRanks);
  }
  return text;
}

std::string sentence(const Decision& decision) {
  const std::string ranks = ranks_text(decision);
  if (decision.move.revert) return "moved back, because that was not faster: " + ranks;
  return fmt::format(
      "{}cores: {}; predicted to save {} of {} for {}; {}", decision.asked ? "asked, " : "", ranks,
      format_seconds(decision.move.predicted_gain_s), format_seconds(decision.move.interval_s),
      format_seconds(decision.move.cost_s), effect_text(decision.move));
}

}  // namespace

nlohmann::json remap_to_json(const RemapFile& file) {
  nlohmann::json decisions = nlohmann::json::array();
  for (const Decision& decision : file.decisions) decisions.push_back(json_of(decision));
  return {{"host", file.host},           {"interval_s", file.interval_s}, {"ranks", file.ranks},
          {"elsewhere", file.elsewhere}, {"intervals", file.intervals},   {"stopped", file.stopped},
          {"decisions", decisions}};
}

RemapFile remap_from_json(const nlohmann::json& json) {
  RemapFile file;
  file.host = line_at(json, "host");
  file.interval_s = json.at("interval_s").get<double>();
  file.ranks = count_at(json, "ranks");
  file.elsewhere = count_at(json, "elsewhere");
  file.intervals = count_at(json, "intervals");
  file.stopped = line_at(json, "stopped");
  for (const nlohmann::json& decision : json.at("decisions")) {
    file.decisions.push_back(decision_of(decision));
  }
  return file;
}

void write_remap_file(const std::filesystem::path& run_dir, const RemapFile& file) {
  nlohmann::json json = remap_to_json(file);
  json.update({{"schema", kSchema},
               {"schema_version", kVersion},
               {"plait_version", PLAIT_VERSION},
               {"created", machine::utc_now()}});
  write_json_file(path_in(run_dir), json);
}

std::optional<RemapFile> read_remap_file(const std::filesystem::path& run_dir) {
  const std::filesystem::path path = path_in(run_dir);
  if (!std::filesystem::exists(path)) return std::nullopt;
  const std::string remedy = "remove it, or repeat the run";
  const nlohmann::json json = read_json_file(path, kSchema, kVersion, remedy);
  return convert_json(path, remedy, [&] { return remap_from_json(json); });
}

std::vector<std::string> remap_lines(const RemapFile& file, const std::string& all) {
  std::vector<std::string> lines;
  const auto add = [&](const std::string& label, const std::string& text) {
    for (std::string& line : wrap_beside(label, text)) lines.push_back(std::move(line));
  };
  std::string text =
      fmt::format("{} looked at after each of {} (every {}); ", counted(file.ranks, "rank"),
                  counted(file.intervals, "interval"), format_seconds(file.interval_s));
  if (file.decisions.empty()) {
    text += "none was moved: no move would have paid within an interval";
  } else {
    text += fmt::format("moved {}", counted(file.decisions.size(), "time"));
  }
  if (file.intervals == 0) {
    text = "no rank was moved";
    if (file.stopped.empty()) {
      text += fmt::format(": the program ended within {}", format_seconds(file.interval_s));
    }
  }
  if (!file.stopped.empty()) text += (file.intervals == 0 ? ": " : "; stopped: ") + file.stopped;
  if (file.elsewhere > 0) {
    text += fmt::format("; {} on other nodes or in containers stayed where the launcher put {}",
                        counted(file.elsewhere, "rank"), file.elsewhere == 1 ? "it" : "them");
  }
  add("Remapping: ", text);
  for (std::size_t i = 0; i < std::min(kShown, file.decisions.size()); ++i) {
    add(fmt::format("  after {}: ", format_seconds(file.decisions[i].at_s)),
        sentence(file.decisions[i]));
  }
  if (file.decisions.size() > kShown) {
    add("  ", fmt::format("{} more in {}", file.decisions.size() - kShown, all));
  }
  return lines;
}

}  // namespace plait::remap
