// SPDX-License-Identifier: BSD-3-Clause
// Reads Slurm's environment variables: host lists with brackets, counts with repetitions.
#include "launcher/slurm_allocation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <numeric>
#include <string_view>

#include "base/environment.hpp"
#include "launcher/plan_options.hpp"
#include "plait/error.hpp"
#include "text/counted.hpp"

namespace plait::launcher {
namespace {

using Lookup = std::function<std::string(const std::string&)>;

constexpr std::size_t kMost = 65'536;   ///< Slurm has at most 65 533 nodes
constexpr std::size_t kMostName = 256;  ///< host names have at most 253 characters

[[noreturn]] void no_hostlist(const std::string& list, const std::string& why) {
  throw Error(list.empty() ? "\"\"" : list, "not a list of hosts: " + why,
              "use Slurm's syntax: n[1-3,07],gpu4");
}

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool all = error == std::errc{} && end == text.data() + text.size();
  return all && text.front() != '-' ? std::optional(value) : std::nullopt;
}

/// The parts between the commas outside brackets.
std::vector<std::string> outer_parts(const std::string& list) {
  std::vector<std::string> parts(1);
  bool inside = false;
  for (const char letter : list) {
    if (letter == '[' && inside) no_hostlist(list, "nested brackets");
    if (letter == ']' && !inside) no_hostlist(list, "] without [");
    if (letter == '[' || letter == ']') inside = letter == '[';
    if (letter == ',' && !inside) {
      parts.emplace_back();
    } else {
      parts.back() += letter;
    }
  }
  if (inside) no_hostlist(list, "[ without ]");
  return parts;
}

/// The numbers of "7", "07", "1-3" or "07-12" as text, as wide as the first.
void add_range(const std::string& list, std::string_view range, std::vector<std::string>& texts) {
  const std::size_t dash = range.find('-');
  const std::string_view low = range.substr(0, dash);
  const std::string_view high = dash == range.npos ? low : range.substr(dash + 1);
  const auto first = number(low), last = number(high);
  if (!first || !last || range.size() > kMostName) {
    no_hostlist(list, fmt::format("\"{}\" is not a range of numbers", range));
  }
  if (*last < *first) no_hostlist(list, fmt::format("{} ends before it begins", range));
  if (texts.size() + static_cast<std::size_t>(*last - *first) >= kMost) {
    no_hostlist(list, "too many names");
  }
  for (int value = *first; value <= *last; ++value) {
    texts.push_back(fmt::format("{:0{}}", value, low.size()));
  }
}

/// The numbers inside a bracket as text.
std::vector<std::string> bracket_texts(const std::string& list, std::string_view inside) {
  std::vector<std::string> texts;
  for (std::size_t at = 0; at <= inside.size();) {
    const std::size_t end = std::min(inside.find(',', at), inside.size());
    add_range(list, inside.substr(at, end - at), texts);
    at = end + 1;
  }
  return texts;
}

/// The names of one part, bracket by bracket.
std::vector<std::string> names_of(const std::string& list, std::string_view part) {
  std::vector<std::string> names(1);
  while (!part.empty()) {
    const std::size_t open = part.find('[');
    const std::string_view before = part.substr(0, open);
    if (names.front().size() + before.size() > kMostName) no_hostlist(list, "a name is too long");
    for (std::string& name : names) name += before;
    if (open == part.npos) break;
    const std::size_t close = part.find(']');
    const auto texts = bracket_texts(list, part.substr(open + 1, close - open - 1));
    if (names.size() * texts.size() > kMost) no_hostlist(list, "too many names");
    std::vector<std::string> longer;
    for (const std::string& name : names) {
      for (const std::string& text : texts) longer.push_back(name + text);
    }
    names = std::move(longer);
    part.remove_prefix(close + 1);
  }
  return names;
}

/// "n0" of "n0.cluster.org".
std::string_view short_name(std::string_view host) {
  return host.substr(0, host.find('.'));
}

/// The counts of a variable if it has one per node. Within a job step, the counts of the step and
/// the nodes of the whole job may differ.
std::vector<int> counts_of_nodes(const std::string& text, std::size_t nodes) {
  if (text.empty()) return {};
  std::vector<int> counts = expand_counts(text);
  if (counts.size() != nodes) counts.clear();
  return counts;
}

/// Reads a variable's value, and names the variable when that fails.
template <class Read>
auto read_variable(const Lookup& value, const char* name, Read&& read) {
  try {
    return read(value(name));
  } catch (const Error& error) {
    throw Error(name, error.what(), "unset it if this is not a Slurm job");
  }
}

}  // namespace

std::vector<std::string> expand_hostlist(const std::string& list) {
  std::vector<std::string> names;
  for (const std::string& part : outer_parts(list)) {
    if (part.empty()) no_hostlist(list, "a name is missing");
    const std::vector<std::string> more = names_of(list, part);
    if (names.size() + more.size() > kMost) no_hostlist(list, "too many names");
    names.insert(names.end(), more.begin(), more.end());
  }
  return names;
}

std::vector<int> expand_counts(const std::string& text) {
  const auto refuse = [&] {
    throw Error(text.empty() ? "\"\"" : text, "not a list of counts",
                "use Slurm's syntax: 2(x3),1");
  };
  std::vector<int> counts;
  for (const std::string& part : outer_parts(text)) {
    const std::size_t open = part.find("(x");
    const bool repeated = open != part.npos && part.back() == ')';
    const auto count = number(std::string_view(part).substr(0, open));
    const auto times = repeated
                           ? number(std::string_view(part).substr(open + 2, part.size() - open - 3))
                           : std::optional(1);
    if (!count || !times || *times == 0 || (open != part.npos && !repeated)) refuse();
    if (counts.size() + static_cast<std::size_t>(*times) > kMost) refuse();
    counts.insert(counts.end(), static_cast<std::size_t>(*times), *count);
  }
  return counts;
}

std::optional<SlurmAllocation> slurm_allocation(const Lookup& value) {
  SlurmAllocation allocation{value("SLURM_JOB_ID"), {}};
  if (allocation.job.empty() || value("SLURM_JOB_NODELIST").empty()) return std::nullopt;
  for (std::string& name : read_variable(value, "SLURM_JOB_NODELIST", expand_hostlist)) {
    allocation.nodes.push_back({std::move(name)});
  }
  const std::size_t nodes = allocation.nodes.size();
  const auto of_nodes = [&](const std::string& text) { return counts_of_nodes(text, nodes); };
  const auto cpus = read_variable(value, "SLURM_JOB_CPUS_PER_NODE", of_nodes);
  const auto tasks = read_variable(value, "SLURM_TASKS_PER_NODE", of_nodes);
  const int cpus_per_task = read_variable(value, "SLURM_CPUS_PER_TASK", [](const auto& text) {
    return text.empty() ? 1 : std::max(1, expand_counts(text).front());
  });
  for (std::size_t node = 0; node < nodes; ++node) {
    AllocatedNode& one = allocation.nodes[node];
    if (!cpus.empty()) one.cpus = cpus[node];
    one.tasks = std::max(1, tasks.empty() ? one.cpus / cpus_per_task : tasks[node]);
  }
  return allocation;
}

std::optional<SlurmAllocation> slurm_allocation() {
  return slurm_allocation(environment_value);
}

std::vector<std::string> node_names(const SlurmAllocation& allocation) {
  std::vector<std::string> names;
  for (const AllocatedNode& node : allocation.nodes) names.push_back(node.name);
  return names;
}

std::string allocation_text(const SlurmAllocation& allocation) {
  const std::vector<AllocatedNode>& nodes = allocation.nodes;
  const std::string text =
      fmt::format("Slurm job {}: {}", allocation.job, counted(nodes.size(), "node"));
  const int first = nodes.front().cpus;
  const auto all =
      std::accumulate(nodes.begin(), nodes.end(), std::int64_t{0},
                      [](std::int64_t sum, const auto& node) { return sum + node.cpus; });
  if (all == 0) return text;
  const bool alike =
      std::all_of(nodes.begin(), nodes.end(), [&](const auto& node) { return node.cpus == first; });
  const std::int64_t shown = alike ? first : all;
  return fmt::format("{}{}{}", text, alike ? " x " : ", ", counted(shown, "CPU"));
}

bool holds_nodes(const SlurmAllocation& allocation, const std::vector<std::string>& nodes) {
  return std::all_of(nodes.begin(), nodes.end(), [&](const std::string& name) {
    return std::any_of(allocation.nodes.begin(), allocation.nodes.end(),
                       [&](const auto& node) { return short_name(node.name) == short_name(name); });
  });
}

Plan on_allocation(Plan plan, const SlurmAllocation& allocation) {
  std::vector<std::string> names;
  for (const PlanNode& node : nodes_of(plan)) names.push_back(node.name);
  const bool anywhere = std::all_of(names.begin(), names.end(), [](const std::string& name) {
    return name.empty() || name == "localhost";
  });
  if (anywhere || holds_nodes(allocation, names)) return plan;
  if (names.size() > allocation.nodes.size()) {
    throw Error(plan.name.empty() ? "plan" : plan.name,
                fmt::format("has {} nodes, but {}", names.size(), allocation_text(allocation)),
                "ask Slurm for more nodes, or make a plan for these");
  }
  const std::vector<int> node = node_of_rank(plan);
  for (std::size_t rank = 0; rank < plan.places.size(); ++rank) {
    plan.places[rank].node = allocation.nodes[static_cast<std::size_t>(node[rank])].name;
  }
  return plan;
}

}  // namespace plait::launcher
