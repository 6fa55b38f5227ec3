// SPDX-License-Identifier: BSD-3-Clause
// The verdict of a trace analysis and a sentence for each cause of waiting.
#include "report/analysis_sentences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "analysis/causes.hpp"
#include "analysis/untraced.hpp"
#include "base/name_ranks.hpp"
#include "text/units.hpp"

namespace plait::report {
namespace {

using nlohmann::json;

/// Share of all ranks' time below which a loss is not worth a verdict.
constexpr double kWorthAVerdict = 0.01;

/// Share of the waiting it causes. Below it, a rank's longer computation is not reported as a time:
/// the rank is slower in some repetitions and faster in others.
constexpr double kWorthReporting = 0.01;

/// A cause of this share of the largest one could be the largest in the next run.
constexpr double kAsLarge = 0.75;
constexpr std::size_t kNamedTogether = 2;

std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : "";
}

/// " in region 'solve', before main (solver.c:41)"; omits what is unknown.
std::string where(const json& cause) {
  std::string text;
  const std::string region = text_of(cause.at("region"));
  const std::string site = text_of(cause.at("site"));
  if (!region.empty()) text += fmt::format(" in region '{}'", region);
  if (!site.empty()) text += fmt::format("{} before {}", region.empty() ? "" : ",", site);
  if (region.empty() && site.empty()) text += " before the end of the run";
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
  if (excess < kWorthReporting * seconds) {
    return fmt::format("rank {} sometimes computes longer{}: {}", rank, where(cause), wait);
  }
  return fmt::format("rank {} computes {} longer{}: {}", rank, format_seconds(excess), where(cause),
                     wait);
}

std::string serialization(const json& cause) {
  const auto chain = cause.at("chain").get<std::vector<int>>();
  std::vector<std::string> ranks;
  for (const int rank : chain) ranks.push_back(std::to_string(rank));
  return fmt::format("ranks work one after another ({}) and wait {}{}", fmt::join(ranks, " -> "),
                     format_seconds(cause.at("seconds").get<double>()),
                     at_site(cause, ", mostly in "));
}

std::string late_receive(const json& cause) {
  const Delayed others = delayed(cause);
  return fmt::format("rank {} posts its receive{} late: {} {} {} to send to it",
                     cause.at("rank").get<int>(), at_site(cause, " in "), others.ranks,
                     others.one ? "waits" : "wait",
                     format_seconds(cause.at("seconds").get<double>()));
}

std::string lock_contention(const json& cause) {
  const Delayed others = delayed(cause);
  return fmt::format("rank {} holds the lock of a window{}: {} {} {} for it",
                     cause.at("rank").get<int>(), at_site(cause, " until "), others.ranks,
                     others.one ? "waits" : "wait",
                     format_seconds(cause.at("seconds").get<double>()));
}

std::string no_progress(const json& cause) {
  const Delayed others = delayed(cause);
  return fmt::format("rank {} does not call MPI{}: {} {} {} for access to its window",
                     cause.at("rank").get<int>(), at_site(cause, " until "), others.ranks,
                     others.one ? "waits" : "wait",
                     format_seconds(cause.at("seconds").get<double>()));
}

std::string late_start(const json& cause) {
  const Delayed others = delayed(cause);
  return fmt::format("rank {} left MPI_Init late: {} {} {} for it", cause.at("rank").get<int>(),
                     others.ranks, others.one ? "waits" : "wait",
                     format_seconds(cause.at("seconds").get<double>()));
}

std::string transfer(const json& cause) {
  return fmt::format("data transfer: on an ideal network the ranks would save {}{}",
                     format_seconds(cause.at("seconds").get<double>()),
                     at_site(cause, ", mostly in "));
}

std::string untraced(const json& cause) {
  return fmt::format(
      "up to {} of waiting and transfer whose cause may be a rank that was not traced{}",
      format_seconds(cause.at("seconds").get<double>()), at_site(cause, ", mostly in "));
}

std::string cpu_wait(const json& cause) {
  const auto own = cause.at("own_excess_s").get<double>();
  const double others = cause.at("seconds").get<double>() - own;
  std::string text = fmt::format("the ranks wait {} for a CPU", format_seconds(own));
  if (others >= kWorthReporting * own) {
    text += fmt::format(", and {} for ranks that wait for one", format_seconds(others));
  }
  return text;
}

/// The warning before the verdict if many messages are incomplete: one half of a message does not
/// show who waited for whom.
std::string reservation(const json& analysis) {
  std::string text;
  const std::size_t all = analysis.at("waiting_s").size(), traced = traced_ranks(analysis);
  if (traced < all) text = fmt::format("Traced: {} of {} ranks. ", traced, all);
  const double cut_s = analysis.value("cut_s", 0.0);
  if (cut_s > 0) {
    const auto time_s = analysis.at("time_s").get<double>();
    text +=
        fmt::format("Traced: {} of {}. ", format_seconds(time_s), format_seconds(time_s + cut_s));
  }
  constexpr double kMany = 0.05;
  const double alone = analysis.at("without_partner").get<double>();
  if (alone < kMany) return text;
  return text +
         fmt::format(
             "The trace has only one side of {} of the sends and receives; waiting in these is not "
             "counted. For the others: ",
             format_percent(alone));
}

/// The largest of the causes, each with its share of the ranks' time. Noise could change the order
/// of causes that are nearly equal, so these are named together.
std::string largest_causes(const std::vector<std::pair<double, std::string>>& causes) {
  if (causes.empty()) return "No rank waits for another.";
  const auto& [share, sentence] = causes.front();
  if (share < kWorthAVerdict) {
    return fmt::format(
        "Nothing stands out. The largest cause of waiting takes {} of the ranks' time: {}.",
        format_percent(share), sentence);
  }
  std::string text = fmt::format("{} of the ranks' time: {}.", format_percent(share), sentence);
  for (std::size_t i = 1; i < std::min(kNamedTogether, causes.size()); ++i) {
    if (causes[i].first < kAsLarge * share) break;
    text +=
        fmt::format(" About as much, {}: {}.", format_percent(causes[i].first), causes[i].second);
  }
  return text;
}

/// Names waiting for a CPU first, and then what the program itself does.
std::string verdict_of(const json& analysis) {
  const auto ranks = static_cast<double>(traced_ranks(analysis));
  const double all = analysis.at("time_s").get<double>() * ranks;
  std::vector<std::pair<double, std::string>> causes;
  std::string text;
  for (const json& cause : analysis.at("causes")) {
    if (all <= 0) break;
    const double share = cause.at("seconds").get<double>() / all;
    const std::string sentence = cause.at("sentence").get<std::string>();
    if (cause.at("kind").get<std::string>() != analysis::kCpuWait) {
      causes.emplace_back(share, sentence);
    } else if (share >= kWorthAVerdict) {
      text = fmt::format("{} of the ranks' time: {}. Apart from that, ", format_percent(share),
                         sentence);
    }
  }
  std::string rest = largest_causes(causes);
  if (!text.empty()) rest.front() = static_cast<char>(std::tolower(rest.front()));
  return text + rest;
}

}  // namespace

std::size_t traced_ranks(const json& analysis) {
  return analysis.value("traced_ranks", analysis.at("waiting_s").size());
}

std::string cause_sentence(const json& cause) {
  const std::string kind = cause.at("kind").get<std::string>();
  if (kind == "computation") return computation(cause);
  if (kind == "serialization") return serialization(cause);
  if (kind == "late posted receive") return late_receive(cause);
  if (kind == "lock contention") return lock_contention(cause);
  if (kind == "wait for progress") return no_progress(cause);
  if (kind == "late start") return late_start(cause);
  if (kind == analysis::kCpuWait) return cpu_wait(cause);
  if (kind == analysis::kUntraced) return untraced(cause);
  return transfer(cause);
}

void add_sentences(json& analysis) {
  for (json& cause : analysis.at("causes")) cause["sentence"] = cause_sentence(cause);
  analysis["verdict"] = reservation(analysis) + verdict_of(analysis);
}

}  // namespace plait::report
