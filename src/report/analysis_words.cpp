// SPDX-License-Identifier: BSD-3-Clause
// An analysis in plain words: its verdict and a sentence for each cause.
#include "report/analysis_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/site_text.hpp"
#include "report/text.hpp"

namespace plait::report {
namespace {

using nlohmann::json;

/// Of all ranks' time; a loss below it is not worth a verdict.
constexpr double kWorthAVerdict = 0.01;

/// Below this share of what it costs others a rank's longer computation is not told: it then is
/// longer now and shorter later.
constexpr double kWorthTelling = 0.01;

/// Of the threads' time: more of it spent in waiting for a CPU spoils what is said of transfer.
constexpr double kWorthACpu = 0.05;

std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : "";
}

/// " in region 'solve', before main (solver.c:41)", as far as it is known.
std::string where(const json& cause) {
  std::string text;
  const std::string region = text_of(cause.at("region"));
  const std::string site = text_of(cause.at("site"));
  if (!region.empty()) text += fmt::format(" in region '{}'", region);
  if (!site.empty()) text += fmt::format("{} before {}", region.empty() ? "" : ",", site);
  if (region.empty() && site.empty()) text += " before the end";
  return text;
}

std::string at_site(const json& cause, const char* preposition) {
  const std::string site = text_of(cause.at("site"));
  return site.empty() ? "" : fmt::format("{}{}", preposition, site);
}

struct Delayed {
  std::string ranks;
  bool one = false;
};

Delayed delayed(const json& cause) {
  auto ranks = cause.at("delayed").get<std::vector<int>>();
  std::ranges::sort(ranks);
  if (ranks.empty()) return {"others", false};
  return {name_ranks(ranks), ranks.size() == 1};
}

std::string computation(const json& cause) {
  const auto rank = cause.at("rank").get<int>();
  const auto seconds = cause.at("seconds").get<double>();
  const auto excess = cause.at("own_excess_s").get<double>();
  const Delayed others = delayed(cause);
  const std::string wait = fmt::format("{} {} {} for it", others.ranks,
                                       others.one ? "waits" : "wait", format_seconds(seconds));
  if (excess < kWorthTelling * seconds) {
    return fmt::format("rank {} computes longer at times{}: {}", rank, where(cause), wait);
  }
  return fmt::format("rank {} computes {} longer{}: {}", rank, format_seconds(excess), where(cause),
                     wait);
}

std::string serialization(const json& cause) {
  const auto chain = cause.at("chain").get<std::vector<int>>();
  std::vector<std::string> ranks;
  for (const int rank : chain) ranks.push_back(std::to_string(rank));
  return fmt::format("ranks work one after the other ({}): waiting of {}{}",
                     fmt::join(ranks, " -> "), format_seconds(cause.at("seconds").get<double>()),
                     at_site(cause, ", most of it in "));
}

std::string late_receive(const json& cause) {
  const Delayed others = delayed(cause);
  return fmt::format("rank {} posts its receive{} late: {} {} {} in sending to it",
                     cause.at("rank").get<int>(), at_site(cause, " in "), others.ranks,
                     others.one ? "waits" : "wait",
                     format_seconds(cause.at("seconds").get<double>()));
}

std::string late_start(const json& cause) {
  const Delayed others = delayed(cause);
  return fmt::format("rank {} left MPI_Init later: {} {} {} for it", cause.at("rank").get<int>(),
                     others.ranks, others.one ? "waits" : "wait",
                     format_seconds(cause.at("seconds").get<double>()));
}

/// Who must wait for a CPU inside a call is late as one whose messages are slow.
std::string transfer(const json& cause, double cpu_taken_fraction) {
  return fmt::format("transfer: on an ideal network{} the ranks would save {}{}",
                     cpu_taken_fraction < kWorthACpu
                         ? ""
                         : fmt::format(", and with CPUs of their own (others held them for {} of "
                                       "the time),",
                                       format_percent(std::min(1.0, cpu_taken_fraction))),
                     format_seconds(cause.at("seconds").get<double>()),
                     at_site(cause, ", most of it in "));
}

/// What must be said before any verdict: halves of messages say nothing of who waited for whom.
std::string reservation(const json& analysis) {
  constexpr double kMany = 0.05;
  const double alone = analysis.at("without_partner").get<double>();
  if (alone < kMany) return "";
  return fmt::format(
      "Of {} of the sends and receives the other side is not in the trace, and their waiting is "
      "not told. Of the rest: ",
      format_percent(alone));
}

std::string verdict_of(const json& analysis) {
  const json& causes = analysis.at("causes");
  const auto ranks = static_cast<double>(analysis.at("waiting_s").size());
  const double all = analysis.at("time_s").get<double>() * ranks;
  if (causes.empty() || all <= 0) return "No rank waits for another.";
  const json& dearest = causes.front();
  const double share = dearest.at("seconds").get<double>() / all;
  std::string sentence = dearest.at("sentence").get<std::string>();
  if (share < kWorthAVerdict) {
    return fmt::format(
        "Nothing stands out; the dearest cause of waiting ({} of the ranks' time): "
        "{}.",
        format_percent(share), sentence);
  }
  return fmt::format("{} of the ranks' time: {}.", format_percent(share), sentence);
}

}  // namespace

std::string cause_sentence(const json& cause, double cpu_taken_fraction) {
  const std::string kind = cause.at("kind").get<std::string>();
  if (kind == "computation") return computation(cause);
  if (kind == "serialization") return serialization(cause);
  if (kind == "late posted receive") return late_receive(cause);
  if (kind == "late start") return late_start(cause);
  return transfer(cause, cpu_taken_fraction);
}

void add_words(json& analysis) {
  const double taken = analysis.at("cpu_taken_fraction").get<double>();
  for (json& cause : analysis.at("causes")) cause["sentence"] = cause_sentence(cause, taken);
  analysis["verdict"] = reservation(analysis) + verdict_of(analysis);
}

}  // namespace plait::report
