// SPDX-License-Identifier: BSD-3-Clause
// The settings that can matter to a program, by what its profile shows.
#include "tune/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "text/counted.hpp"
#include "text/units.hpp"
#include "tune/message_use.hpp"

namespace plait::tune {
namespace {

constexpr unsigned kLargestEager = 256 * 1024;

/// Powers of two of at least twice this limit, up to the largest one that is tried.
std::vector<double> sizes_above(double limit) {
  std::vector<double> sizes;
  for (unsigned size = 1; size <= kLargestEager; size *= 2) {
    if (size >= 2 * limit) sizes.push_back(size);
  }
  return sizes;
}

class Finder {
public:
  Finder(const report::Profile& profile, const Registry& registry, int cpus, double least_gain)
      : registry_(registry), use_(message_use(profile)), cpus_(cpus), least_gain_(least_gain) {}

  CandidateList find() {
    list_.left_out = registry_.left_out;
    if (!registry_.settings.empty()) {
      try_messages();
      try_network();
      try_waiting();
      for (const CollectiveUse& use : use_.collectives) try_algorithms(use);
    }
    std::stable_sort(list_.candidates.begin(), list_.candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.share > b.share; });
    return std::move(list_);
  }

private:
  /// A candidate of one setting, unless the library does not have it.
  void offer(const std::string& group, const std::string& name, const std::string& reason,
             double share, const std::vector<std::pair<std::string_view, std::string>>& values) {
    Candidate candidate{group, name, reason, share, {}, {}};
    for (const auto& [purpose, value] : values) {
      const Setting* const setting = registry_.find(purpose);
      if (setting == nullptr) return;
      candidate.settings[setting->variable] = value;
    }
    offer(std::move(candidate));
  }

  void offer(Candidate candidate) {
    if (!matters(candidate.share, candidate.name)) return;
    Settings all = candidate.settings;
    if (!candidate.rules.empty()) {
      all = plan_of(registry_, {&candidate}).environment;
    }
    const std::string problem = problem_of(registry_, all);
    if (problem.empty()) {
      list_.candidates.push_back(std::move(candidate));
    } else {
      list_.left_out.push_back(candidate.name + ": " + problem);
    }
  }

  /// True if so much of the time can be changed. Otherwise says so.
  bool matters(double share, const std::string& what) {
    if (share >= least_gain_) return true;
    list_.left_out.push_back(fmt::format("{}: {} of the time", what, format_percent(share)));
    return false;
  }

  // --- messages within a node --------------------------------------------------------------------

  void try_messages() {
    if (!matters(use_.message_share, "settings of point-to-point messages")) return;
    try_eager_limits();
    try_single_copy();
    try_cells();
  }

  /// Limits that send more of the program's messages eagerly.
  void try_eager_limits() {
    const auto limit = registry_.number("eager_limit");
    if (!limit) return;
    for (const double value : sizes_above(*limit)) {
      // The header of a message counts too.
      const double more = use_.share_of_sizes(value / 2, value - 1);
      if (more <= 0) continue;
      const double all = use_.share_of_sizes(*limit - 1, value - 1);
      std::vector<std::pair<std::string_view, std::string>> values{
          {"eager_limit", fmt::format("{:.0f}", value)}};
      const auto fragment = registry_.number("fragment");
      if (fragment && *fragment < value) {
        values.emplace_back("fragment", fmt::format("{:.0f}", value));
      }
      offer("eager limit", "eager limit " + format_bytes(value),
            fmt::format("{} of the point-to-point messages are from {} to {}; the limit is {}",
                        format_percent(all), format_bytes(*limit), format_bytes(value),
                        format_bytes(*limit)),
            use_.message_share * all, values);
    }
  }

  void try_single_copy() {
    const auto limit = registry_.number("eager_limit");
    const Setting* const copy = registry_.find("single_copy");
    if (!limit || copy == nullptr) return;
    const double large = use_.share_of_sizes(*limit - 1, 1e18);
    if (large <= 0) return;
    const std::string reason = fmt::format("{} of the point-to-point messages exceed {}",
                                           format_percent(large), format_bytes(*limit));
    for (const auto& [number, name] : copy->choices) {
      if (name == copy->value) continue;
      offer("single copy", "single copy: " + name, reason, use_.message_share * large,
            {{"single_copy", name}});
    }
  }

  /// The cells and the copy between processes of MPICH.
  void try_cells() {
    const auto cell = registry_.number("cell");
    if (cell) {
      for (const double value : sizes_above(*cell)) {
        if (use_.share_of_sizes(value / 2, value - 1) <= 0) continue;
        const double all = use_.share_of_sizes(*cell - 1, value - 1);
        std::vector<std::pair<std::string_view, std::string>> values{
            {"cell", fmt::format("{:.0f}", value)}};
        const auto pack = registry_.number("pack_buffer");
        if (pack && *pack < value) {
          values.emplace_back("pack_buffer", fmt::format("{:.0f}", 2 * value));
        }
        offer("shared-memory cell", "shared-memory cell " + format_bytes(value),
              fmt::format("{} of the point-to-point messages are from {} to {}; a cell has {}",
                          format_percent(all), format_bytes(*cell), format_bytes(value),
                          format_bytes(*cell)),
              use_.message_share * all, values);
      }
    }
    const auto limit = registry_.number("single_copy_limit");
    if (!limit) return;
    double before = *limit;
    for (const double value : {64.0 * 1024, 1024.0 * 1024, 64.0 * 1024 * 1024}) {
      if (value <= *limit || use_.share_of_sizes(before, value) <= 0) continue;
      const double all = use_.share_of_sizes(*limit, value);
      before = value;
      offer("single-copy limit", "single copy from " + format_bytes(value),
            fmt::format("{} of the point-to-point messages are from {} to {}", format_percent(all),
                        format_bytes(*limit), format_bytes(value)),
            use_.message_share * all, {{"single_copy_limit", fmt::format("{:.0f}", value)}});
    }
  }

  // --- between nodes, waiting -------------------------------------------------------------------

  void try_network() {
    if (use_.remote_share <= 0 || registry_.find("network_eager_limit") == nullptr) return;
    const double share = use_.message_share * use_.remote_share;
    if (!matters(share, "settings of messages between nodes")) return;
    const std::string reason = fmt::format("{} of the point-to-point messages go to other nodes",
                                           format_percent(use_.remote_share));
    const auto limit = registry_.number("network_eager_limit");
    for (const double value : {16.0 * 1024, 128.0 * 1024, 512.0 * 1024}) {
      if (limit && use_.share_of_sizes(std::min(value, *limit), std::max(value, *limit)) <= 0) {
        continue;
      }
      std::vector<std::pair<std::string_view, std::string>> values{
          {"network_eager_limit", fmt::format("{:.0f}", value)}};
      const auto fragment = registry_.number("network_fragment");
      if (fragment && *fragment < value) {
        values.emplace_back("network_fragment", fmt::format("{:.0f}", value));
      }
      offer("network eager limit", "eager limit between nodes " + format_bytes(value), reason,
            share, values);
    }
    offer("network links", "2 TCP connections per pair", reason, share, {{"network_links", "2"}});
  }

  void try_waiting() {
    if (use_.threads_per_cpu <= 1.01 && use_.ranks_per_node <= cpus_) {
      list_.left_out.emplace_back("waiting: each thread has a CPU");
      return;
    }
    const std::string reason = fmt::format(
        "{} per node share {}", counted(use_.ranks_per_node, "rank"), counted(cpus_, "CPU"));
    const double share = std::max(use_.mpi_share, use_.cpu_wait_share);
    if (!matters(share, "settings of waiting")) return;
    const Setting* const yield = registry_.find("yield");
    if (yield != nullptr && yield->value != "true" && yield->value != "1") {
      offer("waiting", "yield when idle", reason, share, {{"yield", "1"}});
    }
    offer("waiting", "yield after 10 polls", reason, share, {{"polls", "10"}});
    offer("throttle", "throttled progress", reason, share, {{"throttle", "1"}});
    offer("waiting", "wait mode", reason, share, {{"wait_mode", "1"}});
  }

  // --- collective operations --------------------------------------------------------------------

  void try_algorithms(const CollectiveUse& use) {
    const Setting* const setting = registry_.find(use.operation);
    const std::string what = fmt::format("{} on {}", use.operation, counted(use.ranks, "rank"));
    if (setting == nullptr) {
      if (use.share >= least_gain_ && use.ranks > 1) {
        list_.left_out.push_back(what + ": no algorithm of this library is known to be legal");
      }
      return;
    }
    if (!matters(use.share, what)) return;
    if (use.ranks < 2) return;
    const bool by_size = has_size_rules(registry_.launcher.kind, use.operation);
    const std::string sizes = use.to_bytes == kAllSizes && use.from_bytes == 0
                                  ? ""
                                  : fmt::format(", about {}", format_bytes(use.mean_bytes));
    for (const auto& [number, name] : setting->choices) {
      if (name == setting->value) continue;
      CollectiveRule rule{use.operation, setting->variable, use.ranks, 0, kAllSizes, number};
      if (by_size) {
        rule.from_bytes = use.from_bytes;
        rule.to_bytes = use.to_bytes;
      } else if (!use.is_largest_size) {
        return;  // sizes cannot be distinguished: one candidate for all
      }
      Candidate candidate;
      candidate.group = what + sizes;
      const bool is_number = name.find_first_not_of("0123456789") == name.npos;
      candidate.name =
          fmt::format("{}: {}{}", candidate.group, is_number ? "algorithm " : "", name);
      candidate.reason =
          fmt::format("{} of the time in {} of {} on average", format_percent(use.share),
                      counted(use.calls, "call"), format_bytes(use.mean_bytes));
      candidate.share = use.share;
      candidate.rules = {rule};
      offer(std::move(candidate));
    }
  }

  const Registry& registry_;
  MessageUse use_;
  int cpus_;
  double least_gain_;
  CandidateList list_;
};

}  // namespace

CandidateList candidates_of(const report::Profile& profile, const Registry& registry, int cpus,
                            double least_gain) {
  return Finder(profile, registry, cpus, least_gain).find();
}

launcher::Plan plan_of(const Registry& registry, const std::vector<const Candidate*>& together) {
  launcher::Plan plan;
  plan.only_for = registry.launcher.kind;
  std::vector<CollectiveRule> rules;
  for (const Candidate* candidate : together) {
    plan.name += (plan.name.empty() ? "" : "; ") + candidate->name;
    plan.environment.insert(candidate->settings.begin(), candidate->settings.end());
    rules.insert(rules.end(), candidate->rules.begin(), candidate->rules.end());
  }
  WrittenRules written = written_rules(registry.launcher.kind, rules);
  plan.environment.merge(written.environment);
  plan.files = std::move(written.files);
  return plan;
}

}  // namespace plait::tune
