// SPDX-License-Identifier: BSD-3-Clause
// How the ranks of a run with --wait waited for messages, below the report.
#include "report/wait_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <tuple>

#include "plait/error.hpp"
#include "report/node_files.hpp"
#include "text/counted.hpp"
#include "text/units.hpp"
#include "trace/wait_page.h"

namespace plait::report {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 6> kPolicies{"",      "spin",  "pause",
                                                    "yield", "sleep", "automatic"};

std::string share(std::uint64_t part, const NodeWaiting& node) {
  return format_percent(static_cast<double>(part) / static_cast<double>(node.polls));
}

std::string sentence(const NodeWaiting& node) {
  if (node.polls == 0) {
    return fmt::format("{}; the MPI library never gave its CPU away, so nothing was changed",
                       node.policy);
  }
  std::string text = fmt::format("{}; {} polled {} in vain", node.policy,
                                 counted(node.ranks, "rank"), counted(node.polls, "time"));
  if (node.policy != "spin") {
    text += fmt::format("; paused {}, yielded {}, slept {} ({} in all)", share(node.pauses, node),
                        share(node.yields, node), share(node.sleeps, node),
                        format_seconds(node.slept_s));
  }
  if (node.disturbances > 0) {
    text +=
        fmt::format("; noticed other programs on the cores {}", counted(node.disturbances, "time"));
  }
  return text;
}

}  // namespace

NodeWaiting parse_waiting(const std::string& content, const std::string& file) {
  constexpr std::size_t kHead = offsetof(plait_wait_page, process);
  plait_wait_page page{};
  std::memcpy(&page, content.data(), std::min(content.size(), sizeof page));
  if (content.size() < kHead || page.magic != PLAIT_WAIT_MAGIC ||
      page.version != PLAIT_WAIT_VERSION || page.policy == 0 || page.policy >= kPolicies.size()) {
    throw Error(file, "not a file about waiting of this version of Plait", "repeat the run");
  }
  const auto count = std::min<std::size_t>(page.processes, PLAIT_WAIT_PROCESSES);
  if (content.size() < kHead + count * sizeof(plait_wait_process)) {
    throw Error(file, fmt::format("too short for {}", counted(count, "process", "processes")),
                "repeat the run");
  }
  NodeWaiting node;
  node.host = std::string(page.host, strnlen(page.host, sizeof page.host));
  node.policy = kPolicies[page.policy];
  for (const plait_wait_process& process : std::span(page.process, count)) {
    if (process.ready == 0) continue;
    ++node.ranks;
    node.polls += process.polls;
    node.pauses += process.pauses;
    node.yields += process.yields;
    node.sleeps += process.sleeps;
    node.slept_s += 1e-9 * static_cast<double>(process.slept_ns);
    node.disturbances += process.disturbances;
  }
  return node;
}

std::vector<NodeWaiting> read_waiting(const fs::path& run_dir) {
  std::vector<NodeWaiting> nodes = read_node_files(run_dir, PLAIT_WAIT_SUFFIX, parse_waiting);
  std::sort(nodes.begin(), nodes.end(), [](const NodeWaiting& a, const NodeWaiting& b) {
    return std::tie(a.host, a.ranks) < std::tie(b.host, b.ranks);
  });
  return nodes;
}

std::vector<std::string> wait_lines(const std::vector<NodeWaiting>& nodes) {
  return node_lines("Waiting", nodes, sentence);
}

}  // namespace plait::report
