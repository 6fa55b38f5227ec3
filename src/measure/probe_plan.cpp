// SPDX-License-Identifier: BSD-3-Clause
// What the MPI probe shall do: written by plait, read by every rank.
#include "measure/probe_plan.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <sstream>

#include "plait/error.hpp"

namespace plait::measure {
namespace {

constexpr const char* kHeader = "plait-probe-plan 1";
constexpr std::array kKinds{StepKind::pingpong, StepKind::pingping, StepKind::pingpong_off_cache,
                            StepKind::multi_pair};

[[noreturn]] void damaged(const std::string& line) {
  throw Error("probe plan", fmt::format("cannot read the line \"{}\"", line),
              "start the probe through plait measure", 1);
}

ProbeStep parse_step(std::istringstream& words, const std::string& line, std::size_t ranks) {
  ProbeStep step;
  std::string kind;
  if (!(words >> kind >> step.seconds)) damaged(line);
  bool known = false;
  for (const StepKind candidate : kKinds) {
    if (name_of(candidate) != kind) continue;
    step.kind = candidate;
    known = true;
  }
  for (std::string word; words >> word;) {
    RankPair pair;
    int length = 0;
    const bool read =
        std::sscanf(word.c_str(), "%d-%d%n", &pair.leader, &pair.follower, &length) == 2 &&
        static_cast<std::size_t>(length) == word.size();
    const auto valid = [&](int rank) {
      return rank >= 0 && static_cast<std::size_t>(rank) < ranks;
    };
    if (!read || !valid(pair.leader) || !valid(pair.follower)) damaged(line);
    step.pairs.push_back(pair);
  }
  if (!known || step.pairs.empty()) damaged(line);
  return step;
}

}  // namespace

std::string name_of(StepKind kind) {
  switch (kind) {
    case StepKind::pingpong:
      return "pingpong";
    case StepKind::pingping:
      return "pingping";
    case StepKind::pingpong_off_cache:
      return "pingpong_off_cache";
    case StepKind::multi_pair:
      break;
  }
  return "multi_pair";
}

std::string format_plan(const ProbePlan& plan) {
  std::string text = fmt::format("{}\n", kHeader);
  for (const std::string& library : plan.libraries) text += fmt::format("library {}\n", library);
  text += fmt::format("pus {}\n", fmt::join(plan.pus, " "));
  text += fmt::format("rounds {} {} {}\n", plan.seed, plan.relative_width, plan.max_rounds);
  text += fmt::format("off_cache_bytes {}\n", plan.off_cache_bytes);
  for (const ProbeStep& step : plan.steps) {
    text += fmt::format("step {} {}", name_of(step.kind), step.seconds);
    for (const RankPair& pair : step.pairs) {
      text += fmt::format(" {}-{}", pair.leader, pair.follower);
    }
    text += '\n';
  }
  return text;
}

ProbePlan parse_plan(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != kHeader) damaged(line);
  ProbePlan plan;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string item;
    words >> item;
    if (item == "library") {
      plan.libraries.push_back(line.substr(item.size() + 1));
    } else if (item == "pus") {
      for (int pu = 0; words >> pu;) plan.pus.push_back(pu);
    } else if (item == "rounds") {
      if (!(words >> plan.seed >> plan.relative_width >> plan.max_rounds)) damaged(line);
    } else if (item == "off_cache_bytes") {
      if (!(words >> plan.off_cache_bytes)) damaged(line);
    } else if (item == "step") {
      plan.steps.push_back(parse_step(words, line, plan.pus.size()));
    } else {
      damaged(line);
    }
  }
  return plan;
}

}  // namespace plait::measure
