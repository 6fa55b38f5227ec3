// SPDX-License-Identifier: BSD-3-Clause
// The plan of the MPI probe: written by plait, read by every rank.
#include "measure/probe_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <sstream>
#include <utility>

#include "base/failure.hpp"
#include "measure/sizes.hpp"
#include "plait/error.hpp"

namespace plait::measure {
namespace {

constexpr const char* kHeader = "plait-probe-plan 1";
constexpr std::array<std::pair<StepKind, const char*>, 11> kKinds{{
    {StepKind::pingpong, "pingpong"},
    {StepKind::pingping, "pingping"},
    {StepKind::pingpong_off_cache, "pingpong_off_cache"},
    {StepKind::multi_pair, "multi_pair"},
    {StepKind::multi_pair_pingping, "multi_pair_pingping"},
    {StepKind::overhead, "overhead"},
    {StepKind::back_to_back, "back_to_back"},
    {StepKind::eager, "eager"},
    {StepKind::overlap, "overlap"},
    {StepKind::mixed, "mixed"},
    {StepKind::collective, "collective"},
}};

[[noreturn]] void damaged(const std::string& line) {
  throw Failure("probe plan", fmt::format("cannot read the line \"{}\"", line),
                "start the probe through plait measure");
}

/// "1,2,3"; empty when it cannot be read.
template <class Number>
std::vector<Number> parse_list(const std::string& text) {
  std::vector<Number> numbers;
  std::istringstream items(text);
  for (std::string item; std::getline(items, item, ',');) {
    Number number{};
    const char* const end = item.data() + item.size();
    const auto [last, error] = std::from_chars(item.data(), end, number);
    if (error != std::errc{} || last != end) return {};
    numbers.push_back(number);
  }
  return numbers;
}

RankPair parse_pair(const std::string& text, const std::string& line) {
  RankPair pair;
  int length = 0;
  const bool read =
      std::sscanf(text.c_str(), "%d-%d%n", &pair.leader, &pair.follower, &length) == 2 &&
      static_cast<std::size_t>(length) == text.size();
  if (!read) damaged(line);
  return pair;
}

ProbeStep parse_step(std::istringstream& fields, const std::string& line, std::size_t ranks) {
  ProbeStep step;
  std::string kind;
  if (!(fields >> kind >> step.seconds)) damaged(line);
  const auto known = std::find_if(kKinds.begin(), kKinds.end(),
                                  [&](const auto& item) { return kind == item.second; });
  if (known == kKinds.end()) damaged(line);
  step.kind = known->first;
  for (std::string field; fields >> field;) {
    const std::size_t equals = field.find('=');
    const std::string name = field.substr(0, equals == std::string::npos ? 0 : equals);
    const std::string value = field.substr(name.size() + (name.empty() ? 0 : 1));
    if (name == "what") {
      step.what = value;
    } else if (name == "sizes") {
      step.sizes = parse_list<std::uint64_t>(value);
      if (step.sizes.empty()) damaged(line);
    } else if (name == "inside") {
      const auto bytes = parse_list<std::uint64_t>(value);
      if (bytes.size() != 1) damaged(line);
      step.inside_bytes = bytes.front();
    } else if (name == "ranks") {
      step.ranks = parse_list<int>(value);
    } else {
      step.pairs.push_back(parse_pair(field, line));
    }
  }
  const std::vector<int> members = members_of(step);
  const bool valid = std::all_of(members.begin(), members.end(), [&](int rank) {
    return rank >= 0 && static_cast<std::size_t>(rank) < ranks;
  });
  if (largest_message(step) > kLargestTransfer) damaged(line);
  if (!valid || members.empty() || step.pairs.empty() != (step.kind == StepKind::collective)) {
    damaged(line);
  }
  return step;
}

}  // namespace

std::string name_of(StepKind kind) {
  for (const auto& [known, name] : kKinds) {
    if (known == kind) return name;
  }
  return {};
}

std::vector<int> members_of(const ProbeStep& step) {
  std::vector<int> members;
  const auto add = [&](int rank) {
    if (std::find(members.begin(), members.end(), rank) == members.end()) members.push_back(rank);
  };
  for (const RankPair& pair : step.pairs) {
    add(pair.leader);
    add(pair.follower);
  }
  for (const int rank : step.ranks) add(rank);
  return members;
}

std::uint64_t largest_message(const ProbeStep& step) {
  std::uint64_t largest = step.inside_bytes;
  for (const std::uint64_t bytes : step.sizes) largest = std::max(largest, bytes);
  return largest;
}

std::string format_plan(const ProbePlan& plan) {
  std::string text = fmt::format("{}\n", kHeader);
  for (const std::string& library : plan.libraries) text += fmt::format("library {}\n", library);
  text += fmt::format("pus {}\n", fmt::join(plan.pus, " "));
  if (!plan.hosts.empty()) text += fmt::format("hosts {}\n", fmt::join(plan.hosts, " "));
  text += fmt::format("poll {}\nlimit {}\n", plan.poll ? 1 : 0, plan.limit_s);
  text += fmt::format("rounds {} {} {}\n", plan.seed, plan.relative_width, plan.max_rounds);
  text += fmt::format("off_cache_bytes {}\n", plan.off_cache_bytes);
  for (const std::string& variable : plan.variables) text += fmt::format("variable {}\n", variable);
  for (const ProbeStep& step : plan.steps) {
    text += fmt::format("step {} {}", name_of(step.kind), step.seconds);
    if (!step.what.empty()) text += " what=" + step.what;
    if (!step.sizes.empty()) text += fmt::format(" sizes={}", fmt::join(step.sizes, ","));
    if (step.inside_bytes > 0) text += fmt::format(" inside={}", step.inside_bytes);
    if (!step.ranks.empty()) text += fmt::format(" ranks={}", fmt::join(step.ranks, ","));
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
    std::istringstream fields(line);
    std::string item;
    fields >> item;
    if (item == "library") {
      plan.libraries.push_back(line.substr(item.size() + 1));
    } else if (item == "pus") {
      for (int pu = 0; fields >> pu;) plan.pus.push_back(pu);
    } else if (item == "hosts") {
      for (std::string host; fields >> host;) plan.hosts.push_back(host);
      if (plan.hosts.size() != plan.pus.size()) damaged(line);
    } else if (item == "poll") {
      if (!(fields >> plan.poll)) damaged(line);
    } else if (item == "limit") {
      if (!(fields >> plan.limit_s)) damaged(line);
    } else if (item == "rounds") {
      if (!(fields >> plan.seed >> plan.relative_width >> plan.max_rounds)) damaged(line);
    } else if (item == "off_cache_bytes") {
      if (!(fields >> plan.off_cache_bytes)) damaged(line);
    } else if (item == "variable") {
      if (!(fields >> plan.variables.emplace_back())) damaged(line);
    } else if (item == "step") {
      plan.steps.push_back(parse_step(fields, line, plan.pus.size()));
    } else {
      damaged(line);
    }
  }
  return plan;
}

}  // namespace plait::measure
