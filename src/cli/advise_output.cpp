// SPDX-License-Identifier: BSD-3-Clause
// The output of plait advise: the verdict, the plans with their reasons, JSON.
#include "cli/advise_output.hpp"

#include <fmt/format.h>

#include "base/environment.hpp"
#include "base/shell_word.hpp"
#include "machine/machine_file.hpp"
#include "text/counted.hpp"
#include "text/interval.hpp"
#include "text/units.hpp"
#include "text/wrap.hpp"

namespace plait::cli {
namespace {

using advise::Advice;
using nlohmann::json;

std::string gain_text(const launcher::Plan& plan) {
  const std::string before = format_seconds(plan.before->seconds);
  if (format_seconds(plan.after->low) == before && format_seconds(plan.after->high) == before) {
    return before + ", as before";
  }
  return fmt::format(
      "{} instead of {}",
      format_interval(plan.after->seconds, plan.after->low, plan.after->high, format_seconds),
      before);
}

json time_json(const launcher::PredictedTime& of) {
  return {{"s", of.seconds}, {"low_s", of.low}, {"high_s", of.high}};
}

void add_wrapped(const std::string& text, const char* label, std::vector<std::string>& lines) {
  for (std::string& line : wrap_beside(label, printable(text, true))) {
    lines.push_back(std::move(line));
  }
}

}  // namespace

std::string advice_verdict(const Advice& advice) {
  if (advice.plans.empty() && advice.undecided) {
    return fmt::format(
        "Undecided: other programs used CPUs during the run, which took {}, so no gain is certain. "
        "Repeat the run when no other program runs.",
        format_seconds(advice.profile.wall_s));
  }
  if (advice.plans.empty()) {
    return fmt::format("No change of placement, mapping or threads would help: the run took {}.{}",
                       format_seconds(advice.profile.wall_s),
                       advice.loss.empty() ? "" : " " + advice.loss + ".");
  }
  const launcher::Plan& best = advice.plans.front();
  return fmt::format("{}: the best, {}, is predicted to take {}.",
                     counted(advice.plans.size(), "plan"), best.name, gain_text(best));
}

std::vector<std::string> advice_lines(const Advice& advice) {
  std::vector<std::string> lines;
  add_wrapped(advice_verdict(advice), "", lines);
  for (std::size_t at = 0; at < advice.plans.size(); ++at) {
    const launcher::Plan& plan = advice.plans[at];
    lines.emplace_back();
    add_wrapped(fmt::format("{}. {}", at + 1, plan.name), "", lines);
    add_wrapped(fmt::format("{}: {}", plan.predicted_of, gain_text(plan)), "   ", lines);
    add_wrapped(plan.reason, "   ", lines);
    if (at < advice.files.size()) lines.push_back("   " + advice.files[at]);
  }
  if (!advice.tuned.empty()) {
    lines.emplace_back();
    add_wrapped(advice.tuned, "MPI: ", lines);
  }
  if (!advice.program.empty()) {
    lines.emplace_back();
    lines.emplace_back("Known of this program:");
  }
  for (const std::string& sentence : advice.program) add_wrapped(sentence, "- ", lines);
  if (!advice.nothing.empty()) {
    lines.emplace_back();
    lines.emplace_back("Considered, but not advised:");
  }
  for (const std::string& sentence : advice.nothing) {
    add_wrapped(sentence, "- ", lines);
  }
  lines.emplace_back();
  if (!advice.result.empty()) lines.push_back("JSON: " + advice.result);
  if (!advice.files.empty()) {
    const std::string outer = advice.outer.empty() ? "" : command_text(advice.outer) + " ";
    lines.push_back(fmt::format("Next: {}plait apply {} -- {}", outer,
                                shell_word(advice.files.front()),
                                command_text(advice.profile.command)));
  } else {
    lines.emplace_back("Next: plait report shows where the time went");
  }
  return lines;
}

json advice_to_json(const Advice& advice) {
  json value = {{"schema", "plait-advice"},
                {"schema_version", 1},
                {"plait_version", PLAIT_VERSION},
                {"created", machine::utc_now()},
                {"host", host_name()},
                {"run", advice.run},
                {"wall_s", advice.profile.wall_s},
                {"verdict", advice_verdict(advice)},
                {"undecided", advice.plans.empty() && advice.undecided},
                {"plans", json::array()},
                {"loss", advice.loss},
                {"tuned", advice.tuned},
                {"program", advice.program},
                {"not_advised", advice.nothing}};
  for (std::size_t at = 0; at < advice.plans.size(); ++at) {
    const launcher::Plan& plan = advice.plans[at];
    value["plans"].push_back({{"name", plan.name},
                              {"reason", plan.reason},
                              {"file", at < advice.files.size() ? advice.files[at] : ""},
                              {"predicted_of", plan.predicted_of},
                              {"before", time_json(*plan.before)},
                              {"after", time_json(*plan.after)}});
  }
  return value;
}

}  // namespace plait::cli
