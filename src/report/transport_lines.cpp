// SPDX-License-Identifier: BSD-3-Clause
// What became of --transport, below the report.
#include "report/transport_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <tuple>

#include "plait/error.hpp"
#include "report/node_files.hpp"
#include "report/wait_lines.hpp"
#include "text/counted.hpp"
#include "text/terminal.hpp"
#include "text/units.hpp"
#include "trace/transport_page.h"

namespace plait::report {
namespace {

namespace fs = std::filesystem;

template <std::size_t bytes>
std::string text_of(const char (&field)[bytes]) {
  return {field, strnlen(field, bytes)};
}

std::string sentence(const NodeTransport& job) {
  if (!job.refused.empty()) {
    return fmt::format("the MPI library's own, not {}: {}", job.design,
                       printable(job.refused, true));
  }
  if (job.users == 0) {
    return fmt::format("the MPI library's own, not {}: it was offered, and not taken", job.design);
  }
  std::string text =
      fmt::format("{}; {} sent {} ({})", job.design, counted(job.users, "rank"),
                  counted(job.sent, "message"), format_bytes(static_cast<double>(job.sent_bytes)));
  if (job.pulled > 0) {
    text += fmt::format("; {} were read in the sender's memory", format_count(job.pulled));
  }
  if (job.streamed > 0) {
    text += fmt::format("; {} went through a cache in pieces", format_count(job.streamed));
  }
  if (job.yields > 0) text += fmt::format("; yielded {}", counted(job.yields, "time"));
  if (job.sleeps > 0) text += fmt::format("; slept {}", counted(job.sleeps, "time"));
  return text;
}

}  // namespace

NodeTransport parse_transport(const std::string& content, const std::string& file) {
  constexpr std::size_t kHead = offsetof(plait_transport_page, process);
  plait_transport_page page{};
  std::memcpy(&page, content.data(), std::min(content.size(), sizeof page));
  if (content.size() < kHead || page.magic != PLAIT_TRANSPORT_MAGIC ||
      page.version != PLAIT_TRANSPORT_VERSION || page.state > PLAIT_TRANSPORT_REFUSING) {
    throw Error(file, "not a file about a transport of this version of Plait", "repeat the run");
  }
  const auto count = std::min<std::size_t>(page.members, PLAIT_TRANSPORT_PROCESSES);
  if (content.size() < kHead + count * sizeof(plait_transport_process)) {
    throw Error(file, fmt::format("too short for {}", counted(count, "process", "processes")),
                "repeat the run");
  }
  NodeTransport job;
  job.host = text_of(page.host);
  job.design = text_of(page.design);
  job.ranks = static_cast<int>(count);
  if (page.state != PLAIT_TRANSPORT_FORMED) {
    job.refused = text_of(page.reason);
    if (job.refused.empty()) job.refused = "the ranks ended before all of them were there";
  }
  for (const plait_transport_process& process : std::span(page.process, count)) {
    if (process.in_use == 0) continue;
    ++job.users;
    job.sent += process.sent;
    job.sent_bytes += process.sent_bytes;
    job.pulled += process.pulled;
    job.streamed += process.streamed;
    job.sleeps += process.sleeps;
    job.yields += process.yields;
  }
  return job;
}

std::vector<NodeTransport> read_transports(const fs::path& run_dir) {
  std::vector<NodeTransport> jobs =
      read_node_files(run_dir, PLAIT_TRANSPORT_SUFFIX, parse_transport);
  std::sort(jobs.begin(), jobs.end(), [](const NodeTransport& a, const NodeTransport& b) {
    return std::tie(a.host, a.sent) < std::tie(b.host, b.sent);
  });
  return jobs;
}

std::vector<std::string> transport_lines(const std::vector<NodeTransport>& jobs) {
  return node_lines("Transport", jobs, sentence);
}

std::vector<std::string> message_lines(const fs::path& run_dir) {
  const std::vector<NodeTransport> jobs = read_transports(run_dir);
  std::vector<NodeWaiting> waiting = read_waiting(run_dir);
  if (std::ranges::any_of(jobs, [](const NodeTransport& job) { return job.users > 0; })) {
    std::erase_if(waiting, [](const NodeWaiting& node) { return node.policy == "spin"; });
  }
  std::vector<std::string> lines = wait_lines(waiting);
  const std::vector<std::string> more = transport_lines(jobs);
  lines.insert(lines.end(), more.begin(), more.end());
  return lines;
}

}  // namespace plait::report
