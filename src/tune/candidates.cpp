// SPDX-License-Identifier: BSD-3-Clause
// The settings that can matter to a program, by what its profile shows.
#include "tune/candidates.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "text/counted.hpp"
#include "text/units.hpp"
#include "tune/file_candidates.hpp"

namespace plait::tune {
namespace {

constexpr unsigned kLargestEager = 256 * 1024;
/// Messages at a time of an all-to-all that floods no receiver.
constexpr int kFewRequests = 4;
/// HAN's number of the module `tuned` (ompi/mca/coll/han/coll_han_dynamic.h, COMPONENTS_T).
constexpr const char* kTuned = "3";
/// Algorithms of Open MPI that send large messages in parts.
constexpr std::array<std::string_view, 6> kDividing{
    "chain", "pipeline", "binary_tree", "split_binary_tree", "binary", "segmented_ring"};
/// Sizes of point-to-point messages in a probe.
constexpr std::size_t kMostProbed = 5;

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
  Finder(const MessageUse& use, const Registry& registry, int cpus, double least_gain,
         const std::vector<Violation>& violations)
      : registry_(registry),
        use_(use),
        cpus_(cpus),
        least_gain_(least_gain),
        violations_(violations) {}

  CandidateList find() {
    list_.left_out = registry_.left_out;
    if (!registry_.settings.empty()) {
      try_messages();
      try_network();
      try_waiting();
      try_progress();
      try_transport();
      try_files();
      for (const CollectiveUse& use : use_.collectives) try_algorithms(use);
    }
    std::stable_sort(list_.candidates.begin(), list_.candidates.end(),
                     [](const Candidate& a, const Candidate& b) {
                       if ((a.promise > 0) != (b.promise > 0)) return a.promise > 0;
                       return a.share > b.share;
                     });
    return std::move(list_);
  }

private:
  /// A candidate of one setting, unless the library does not have it.
  void offer(const std::string& group, const std::string& name, const std::string& reason,
             double share, const std::vector<std::pair<std::string_view, std::string>>& values) {
    Candidate candidate{group, name, reason, share};
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
    candidate.probe = probe_;
    candidate.probe_share = probe_share_;
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
    const double share = use_.message_share * (1 - use_.remote_share);
    if (!matters(share, "settings of point-to-point messages within a node")) return;
    probe_ = exchanges(kExchange);
    probe_share_ = use_.message_share;
    try_eager_limits();
    try_single_copy();
    try_cells();
  }

  /// The sizes of messages that take most time, as messages between neighbours.
  [[nodiscard]] std::vector<ProbeMessage> exchanges(const char* operation) const {
    std::vector<report::SizeRow> rows = use_.sizes;
    std::erase_if(rows, [](const report::SizeRow& row) { return row.count == 0; });
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.time_s > b.time_s; });
    if (rows.size() > kMostProbed) rows.resize(kMostProbed);
    std::vector<ProbeMessage> messages;
    for (const report::SizeRow& row : rows) {
      messages.push_back({operation, 2, row.bytes / row.count, static_cast<double>(row.count)});
    }
    return messages;
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
    const bool has_any = registry_.find("network_eager_limit") != nullptr ||
                         registry_.find("network_module") != nullptr ||
                         registry_.find("provider") != nullptr;
    if (use_.remote_share <= 0 || !has_any) return;
    const double share = use_.message_share * use_.remote_share;
    if (!matters(share, "settings of messages between nodes")) return;
    probe_ = exchanges(kRemoteExchange);
    probe_share_ = share;
    const std::string reason = fmt::format("{} of the point-to-point messages go to other nodes",
                                           format_percent(use_.remote_share));
    try_remote_eager_limits(reason, share);
    for (const char* links : {"2", "4"}) {
      offer("network links", fmt::format("{} TCP connections per pair", links), reason, share,
            {{"network_links", links}});
    }
    try_large_remote_messages(reason, share);
    try_fabric(reason, share);
    probe_.clear();
    offer("connections", "connections at the start",
          "connections are made when they are first used; " + reason, share,
          {{"connect_at_start", "1"}});
  }

  void try_remote_eager_limits(const std::string& reason, double share) {
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
  }

  /// Messages that are sent in parts: the size of these, how many are on their way, and TCP's
  /// windows.
  void try_large_remote_messages(const std::string& reason, double share) {
    const double large =
        use_.share_of_sizes(registry_.number("network_eager_limit").value_or(1e18), 1e18);
    if (large <= 0) return;
    const std::string why = fmt::format("{}; {} are sent in parts", reason, format_percent(large));
    const auto part = registry_.number("network_fragment");
    for (const double value : {256.0 * 1024, 1024.0 * 1024}) {
      const std::string bytes = fmt::format("{:.0f}", value);
      if (part && *part < value) {
        offer("network fragment", "parts of messages between nodes " + format_bytes(value), why,
              share * large, {{"network_fragment", bytes}});
      }
    }
    offer("pipeline depth", "8 parts of a message at a time", why, share * large,
          {{"pipeline_depth", "8"}});
    for (const double value : {1024.0 * 1024, 4096.0 * 1024}) {
      const std::string bytes = fmt::format("{:.0f}", value);
      offer("TCP windows", "TCP windows " + format_bytes(value), why, share * large,
            {{"send_window", bytes}, {"receive_window", bytes}});
    }
  }

  /// The network module of MPICH, and providers of libfabric, with their fallbacks.
  void try_fabric(const std::string& reason, double share) {
    const Setting* const module = registry_.find("network_module");
    std::string default_module;
    if (module != nullptr) {
      default_module = module->value;
      for (const auto& [number, name] : module->choices) {
        if (name == module->value) continue;
        offer("fabric", "network module " + name, reason, share, {{"network_module", name}});
      }
      const bool has_ofi = std::ranges::any_of(
          module->choices, [](const auto& choice) { return choice.first == "ofi"; });
      if (!has_ofi) return;
    }
    const Setting* const provider = registry_.find("provider");
    if (provider == nullptr) return;
    if (!registry_.no_providers.empty()) {
      list_.left_out.push_back("fabric: " + registry_.no_providers);
      return;
    }
    if (provider->choices.size() == 1 && !is_open_mpi()) {
      list_.left_out.push_back(
          fmt::format("fabric: {} is the only provider that reaches other nodes",
                      provider->choices.front().first));
      return;
    }
    const std::string why =
        fmt::format("{}; fi_info lists {}", reason, fmt::join(names_of(*provider), ", "));
    for (const std::string& name : names_of(*provider)) {
      const std::string list = with_fallback(names_of(*provider), name);
      std::vector<std::pair<std::string_view, std::string>> values{{"provider", list}};
      if (is_open_mpi()) values.emplace_back("messaging", "cm");
      if (module != nullptr && default_module != "ofi") {
        values.emplace_back("network_module", "ofi");
      }
      const char* const fallback = list == name ? "" : ", else tcp";
      offer("fabric", "libfabric's provider " + name + fallback, why, share, values);
    }
  }

  static std::vector<std::string> names_of(const Setting& setting) {
    std::vector<std::string> names;
    for (const auto& [number, name] : setting.choices) names.push_back(name);
    return names;
  }

  /// A thread of each rank that drives messages while the program computes.
  void try_progress() {
    probe_.clear();
    // Open MPI has such threads for TCP only.
    const double share = use_.message_share * (is_open_mpi() ? use_.remote_share : 1);
    if (registry_.find("async_progress") == nullptr || share < least_gain_) return;
    const double busy = use_.threads_per_cpu * cpus_;
    if (busy + use_.ranks_per_node > cpus_) {
      list_.left_out.emplace_back("asynchronous progress: there is no free CPU for each rank");
      return;
    }
    offer("progress", "asynchronous progress",
          fmt::format("{} of the time is in messages, and {} CPUs are free", format_percent(share),
                      cpus_ - static_cast<int>(busy)),
          share, {{"async_progress", "1"}});
  }

  void try_waiting() {
    probe_.clear();
    const double share = std::max(use_.mpi_share, use_.cpu_wait_share);
    if (use_.threads_per_cpu <= 1.01 && use_.ranks_per_node <= cpus_) {
      if (use_.message_share >= least_gain_) {
        offer("spins", "10000 spins before giving up the CPU",
              fmt::format("{} of the time is in messages", format_percent(use_.message_share)),
              use_.message_share, {{"spins", "10000"}});
      }
      if (use_.cpu_wait_share < least_gain_) {
        list_.left_out.emplace_back("waiting: each thread has a CPU");
        return;
      }
      // Other programs use the CPUs. To yield to them takes a whole time slice.
      offer_waiting("automatic",
                    fmt::format("threads waited for a CPU for {} of the time",
                                format_percent(use_.cpu_wait_share)),
                    share);
      return;
    }
    const std::string reason = fmt::format(
        "{} per node share {}", counted(use_.ranks_per_node, "rank"), counted(cpus_, "CPU"));
    if (!matters(share, "settings of waiting")) return;
    for (const char* policy : {"automatic", "yield", "sleep"}) {
      offer_waiting(policy, reason, share);
    }
    const Setting* const yield = registry_.find("yield");
    if (yield != nullptr && yield->value != "true" && yield->value != "1") {
      offer("waiting", "yield when idle", reason, share, {{"yield", "1"}});
    }
    offer("waiting", "yield after 10 polls", reason, share, {{"polls", "10"}});
    offer("throttle", "throttled progress", reason, share, {{"throttle", "1"}});
    offer("waiting", "wait mode", reason, share, {{"wait_mode", "1"}});
    offer("spins", "one spin before giving up the CPU", reason, share, {{"spins", "1"}});
  }

  /// A policy of plait run --wait.
  void offer_waiting(const std::string& policy, const std::string& reason, double share) {
    if (!registry_.own.waiting) {
      leave_out_own("Plait's waiting");
      return;
    }
    Candidate candidate{"waiting", "Plait's waiting: " + policy, reason, share};
    candidate.wait = policy;
    offer(std::move(candidate));
  }

  /// plait run --transport, for messages inside a node.
  void try_transport() {
    if (use_.nodes > 1) {
      list_.left_out.emplace_back("Plait's transport: it is for ranks on one node");
    } else if (!registry_.own.transport) {
      leave_out_own("Plait's transport");
    } else {
      Candidate candidate{"transport", "Plait's transport",
                          fmt::format("{} of the time is in MPI, all ranks are on one node",
                                      format_percent(use_.mpi_share)),
                          use_.mpi_share};
      candidate.transport = "auto";
      offer(std::move(candidate));
    }
  }

  // --- files of MPI-IO ---------------------------------------------------------------------------

  void try_files() {
    probe_.clear();
    if (use_.file_share <= 0 || !matters(use_.file_share, "settings of MPI-IO")) return;
    for (Candidate& candidate : file_candidates(use_, registry_)) offer(std::move(candidate));
  }

  /// Says why a way of Plait is not tried; once.
  void leave_out_own(const std::string& what) {
    if (registry_.own.problem.empty()) return;
    const std::string sentence = what + ": " + registry_.own.problem;
    if (std::find(list_.left_out.begin(), list_.left_out.end(), sentence) == list_.left_out.end()) {
      list_.left_out.push_back(sentence);
    }
  }

  // --- collective operations --------------------------------------------------------------------

  void try_algorithms(const CollectiveUse& use) {
    const Setting* const setting = registry_.find(use.operation);
    const std::string what = fmt::format("{} on {}", use.operation, counted(use.ranks, "rank"));
    try_parts(use, what);
    if (setting == nullptr) {
      if (use.share >= least_gain_ && use.ranks > 1) {
        list_.left_out.push_back(what + ": no algorithm of this library is known to be legal");
      }
      return;
    }
    const std::string sizes = use.to_bytes == kAllSizes && use.from_bytes == 0
                                  ? ""
                                  : fmt::format(", about {}", format_bytes(use.mean_bytes));
    if (use.ranks < 2 || !matters(use.share, what + sizes)) return;
    probe_.clear();
    if (can_probe(use.operation)) {
      probe_ = {{use.operation, use.ranks, static_cast<std::uint64_t>(use.mean_bytes), 1}};
      probe_share_ = use.share;
    }
    const bool one_communicator_size =
        std::ranges::none_of(use_.collectives, [&](const CollectiveUse& other) {
          return other.operation == use.operation && other.ranks != use.ranks && other.ranks > 1;
        });
    const bool by_size = has_size_rules(registry_.launcher.kind, use.operation,
                                        one_communicator_size, registry_.mpich_trees);
    const std::string group = what + sizes;
    try_without_han(use, group);
    for (const auto& [number, name] : setting->choices) {
      if (name == setting->value) continue;
      CollectiveRule rule{use.operation, setting->variable, use.ranks, 0, kAllSizes, number};
      if (by_size) {
        rule.from_bytes = use.from_bytes;
        rule.to_bytes = use.to_bytes;
      } else if (!use.is_largest_size) {
        return;  // sizes cannot be distinguished: one candidate for all
      }
      const bool is_number = name.find_first_not_of("0123456789") == name.npos;
      Candidate candidate = collective_candidate(
          use, group, fmt::format("{}: {}{}", group, is_number ? "algorithm " : "", name));
      candidate.rules = {rule};
      if (const Setting* const han = han_of(use)) candidate.settings[han->variable] = kTuned;
      offer(candidate);
      if (name == "linear_sync" && has_most_requests(registry_.launcher)) {
        candidate.name += fmt::format(", {} at a time", kFewRequests);
        candidate.rules.front().requests = kFewRequests;
        offer(std::move(candidate));
      } else if (is_open_mpi() && std::ranges::find(kDividing, name) != kDividing.end()) {
        try_segments(use, candidate);
      }
    }
  }

  /// The algorithm of a candidate with messages in parts.
  void try_segments(const CollectiveUse& use, const Candidate& whole) {
    for (const std::uint64_t bytes : {16 * 1024, 128 * 1024}) {
      if (use.mean_bytes < 2.0 * static_cast<double>(bytes)) continue;
      Candidate candidate = whole;
      candidate.name += fmt::format(", parts of {}", format_bytes(static_cast<double>(bytes)));
      candidate.rules.front().segment_bytes = bytes;
      offer(std::move(candidate));
    }
  }

  /// MPICH's parts of an operation's messages.
  void try_parts(const CollectiveUse& use, const std::string& what) {
    const auto now = registry_.number("part " + use.operation);
    if (!now || use.share < least_gain_ || !use.is_largest_size) return;
    probe_.clear();
    for (const double bytes : {8.0 * 1024, 128.0 * 1024}) {
      if (bytes == *now || use.mean_bytes * use.ranks < bytes) continue;
      const std::string group = what + ", parts";
      offer(group, fmt::format("{} of {}", group, format_bytes(bytes)),
            fmt::format("{} of the time is in it", format_percent(use.share)), use.share,
            {{"part " + use.operation, fmt::format("{:.0f}", bytes)}});
    }
  }

  [[nodiscard]] bool is_open_mpi() const {
    return registry_.launcher.kind == launcher::LauncherKind::openmpi4 ||
           registry_.launcher.kind == launcher::LauncherKind::openmpi5;
  }

  [[nodiscard]] Candidate collective_candidate(const CollectiveUse& use, const std::string& group,
                                               const std::string& name) const {
    Candidate candidate{
        group, name,
        fmt::format("{} of the time in {} of {} on average", format_percent(use.share),
                    counted(use.calls, "call"), format_bytes(use.mean_bytes)),
        use.share};
    const Violation* const violation =
        violation_near(violations_, use.operation, use.ranks, use.mean_bytes);
    if (violation != nullptr) {
      candidate.reason += "; " + violation->sentence() + " (plait measure)";
      candidate.promise = violation->promise();
    }
    return candidate;
  }

  /// Open MPI 5.0 divides operations on several nodes into those inside and between nodes (HAN).
  /// Rules for a communicator hold only where HAN leaves the operation to its module `tuned`.
  [[nodiscard]] const Setting* han_of(const CollectiveUse& use) const {
    return use_.nodes > 1 ? registry_.find("han " + use.operation) : nullptr;
  }

  void try_without_han(const CollectiveUse& use, const std::string& group) {
    const Setting* const han = han_of(use);
    if (han == nullptr || !use.is_largest_size) return;
    Candidate without = collective_candidate(use, group, group + ": without HAN");
    without.settings[han->variable] = kTuned;
    offer(std::move(without));
    const Setting* const segment = registry_.find("han_segment " + use.operation);
    if (segment == nullptr) return;
    for (const double bytes : {16.0 * 1024, 256.0 * 1024, 1024.0 * 1024}) {
      if (use.mean_bytes < bytes) continue;
      Candidate candidate = collective_candidate(
          use, group, fmt::format("{}: HAN's segments of {}", group, format_bytes(bytes)));
      candidate.settings[segment->variable] = fmt::format("{:.0f}", bytes);
      offer(std::move(candidate));
    }
  }

  const Registry& registry_;
  const MessageUse& use_;
  int cpus_;
  double least_gain_;
  const std::vector<Violation>& violations_;
  CandidateList list_;
  std::vector<ProbeMessage> probe_;  ///< of the candidates that are offered
  double probe_share_ = 0;
};

}  // namespace

CandidateList candidates_of(const report::Profile& profile, const Registry& registry, int cpus,
                            double least_gain, const std::vector<Violation>& violations) {
  return candidates_of(message_use(profile), registry, cpus, least_gain, violations);
}

CandidateList candidates_of(const MessageUse& use, const Registry& registry, int cpus,
                            double least_gain, const std::vector<Violation>& violations) {
  return Finder(use, registry, cpus, least_gain, violations).find();
}

launcher::Plan plan_of(const Registry& registry, const std::vector<const Candidate*>& together) {
  launcher::Plan plan;
  plan.only_for = registry.launcher.kind;
  std::vector<CollectiveRule> rules;
  for (const Candidate* candidate : together) {
    plan.name += (plan.name.empty() ? "" : "; ") + candidate->name;
    plan.environment.insert(candidate->settings.begin(), candidate->settings.end());
    rules.insert(rules.end(), candidate->rules.begin(), candidate->rules.end());
    plan.files.insert(candidate->files.begin(), candidate->files.end());
    if (!candidate->wait.empty()) plan.wait = candidate->wait;
    if (!candidate->transport.empty()) plan.transport = candidate->transport;
  }
  WrittenRules written = written_rules(registry.launcher, rules, registry.mpich_trees);
  plan.environment.merge(written.environment);
  plan.files.merge(written.files);
  return plan;
}

}  // namespace plait::tune
