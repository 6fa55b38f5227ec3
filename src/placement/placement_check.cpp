// SPDX-License-Identifier: BSD-3-Clause
// Checks where ranks and threads may run, one host after the other.
#include "placement/placement_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "placement/check_text.hpp"
#include "placement/threads_at_once.hpp"
#include "text/counted.hpp"
#include "text/units.hpp"

namespace plait::placement {
namespace {

using machine::CpuSet;

/// A foreign process that uses less than this share of a core is not reported: clock-tick
/// accounting at 100 Hz is no more accurate over a short time.
constexpr double kForeignShare = 0.05;

struct RankMasks {
  const RankPlace* rank = nullptr;
  std::vector<CpuSet> masks;  ///< one per thread that computes
  CpuSet all;
  int at_once = 0;
  int threads() const { return static_cast<int>(masks.size()); }
};

/// "rank 3", "ranks 0 to 7", "ranks 0, 2, 5 and 9 more".
std::string rank_list(const std::vector<const RankMasks*>& ranks) {
  std::vector<int> ids;
  for (const RankMasks* rank : ranks) ids.push_back(rank->rank->rank);
  std::sort(ids.begin(), ids.end());
  if (ids.size() == 1) return fmt::format("rank {}", ids.front());
  if (ids.size() == 2) return fmt::format("ranks {} and {}", ids.front(), ids.back());
  if (ids.back() - ids.front() + 1 == static_cast<int>(ids.size())) {
    return fmt::format("ranks {} to {}", ids.front(), ids.back());
  }
  const std::vector<int> some(ids.begin(),
                              ids.begin() + std::min<std::ptrdiff_t>(3, std::ssize(ids)));
  const std::size_t more = ids.size() - some.size();
  return fmt::format("ranks {}{}", fmt::join(some, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

/// The findings of one host.
class HostJudge {
public:
  HostJudge(const PlacementInput& input, int host) : name_(input.hosts[at(host)].name) {
    topology_ = input.hosts[at(host)].topology;
    for (const RankPlace& rank : input.ranks) {
      if (rank.host == host) ranks_.push_back(masks_of(rank));
    }
    for (const RankMasks& rank : ranks_) topology_.allowed_pus |= rank.all;
    for (const ForeignPlace& foreign : input.foreign) {
      if (foreign.host == host) foreign_.push_back(foreign);
    }
    cores_ = static_cast<int>(topology_.allowed_cores().size());
    pus_ = topology_.allowed_pus.count();
    for (const RankMasks& rank : ranks_) {
      threads_ += rank.threads();
      most_threads_ = std::max(most_threads_, rank.threads());
    }
    whole_cores_ = threads_ <= cores_;
    capacity_ = whole_cores_ ? cores_ : pus_;
    for (RankMasks& rank : ranks_) {
      rank.at_once = threads_at_once(topology_, rank.masks, whole_cores_);
    }
  }

  std::vector<PlacementFinding> findings() {
    if (ranks_.empty() || cores_ == 0) return {};
    threads_on_one_core();
    ranks_overlap();
    oversubscribed();
    quota_below_cores();
    foreign_processes();
    if (findings_.empty()) unbound_threads_float();
    return std::move(findings_);
  }

private:
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }

  static RankMasks masks_of(const RankPlace& rank) {
    RankMasks result;
    result.rank = &rank;
    for (const ThreadPlace& thread : rank.threads) {
      result.masks.push_back(thread.allowed);
      result.all |= thread.allowed;
    }
    // A thread that does not exist yet will inherit the mask of the thread that starts it.
    while (!result.masks.empty() && result.threads() < rank.threads_wanted) {
      result.masks.push_back(result.masks.front());
    }
    return result;
  }

  void add(const std::string& id, const std::string& severity, const std::string& what,
           const std::string& evidence, const std::string& cost) {
    PlacementFinding finding;
    finding.id = id;
    finding.severity = severity;
    finding.what = what;
    finding.evidence = name_.empty() ? evidence : name_ + ": " + evidence;
    finding.cost = cost;
    finding.host = name_;
    finding.ranks_here = static_cast<int>(ranks_.size());
    finding.threads_per_rank = most_threads_;
    finding.cores = topology_.usable_cores();
    finding.free_cpus = topology_.allowed_pus;
    for (const ForeignPlace& foreign : foreign_) finding.free_cpus -= foreign.allowed;
    findings_.push_back(std::move(finding));
  }

  /// "; measured: ...", if the kernel reported the times.
  std::string measured(const std::vector<const RankMasks*>& ranks) const {
    double cpu_s = 0;
    double cpu_wait_s = 0;
    for (const RankMasks* rank : ranks) {
      cpu_s += rank->rank->cpu_s.value_or(0);
      cpu_wait_s += rank->rank->cpu_wait_s.value_or(0);
    }
    if (cpu_s + cpu_wait_s <= 0) return "";
    return fmt::format("; measured: {} of their runnable time was spent waiting for a CPU",
                       format_percent(cpu_wait_s / (cpu_s + cpu_wait_s)));
  }

  std::string too_many() const {
    return fmt::format("; {} on {}: no placement gives each its own core",
                       counted(threads_, "thread"), counted(cores_, "allowed core"));
  }

  void threads_on_one_core() {
    std::vector<const RankMasks*> bad;
    for (const RankMasks& rank : ranks_) {
      if (rank.at_once < std::min(rank.threads(), capacity_)) bad.push_back(&rank);
    }
    if (bad.empty()) return;
    const RankMasks& first = *bad.front();
    const std::size_t cores = topology_.cores_of(first.all).size();
    const std::string where = cores == 1 ? "one core" : counted(cores, "core");
    const std::string whose = bad.size() == 1 ? fmt::format("rank {}", first.rank->rank)
                              : bad.size() == ranks_.size() ? "each rank"
                                                            : fmt::format("{} ranks", bad.size());
    const std::string others =
        bad.size() == 1 || bad.size() == ranks_.size() ? "" : "; the same on " + rank_list(bad);
    add("threads_on_one_core", "high",
        fmt::format("all {} threads of {} run on {}", first.threads(), whose, where),
        fmt::format("rank {}: {}, allowed CPUs {}{}{}", first.rank->rank,
                    counted(first.threads(), "thread"), first.all.format(), others,
                    threads_ > capacity_ ? too_many() : ""),
        fmt::format("parallel parts run at {}/{} of their speed at best{}", first.at_once,
                    std::min(first.threads(), capacity_), measured(bad)));
  }

  void ranks_overlap() {
    std::vector<CpuSet> masks;
    int alone = 0;
    for (const RankMasks& rank : ranks_) {
      masks.insert(masks.end(), rank.masks.begin(), rank.masks.end());
      alone += rank.at_once;
    }
    const int wanted = std::min(alone, capacity_);
    const int together = threads_at_once(topology_, masks, whole_cores_);
    if (together >= wanted) return;
    const auto [a, b] = overlapping_pair();
    if (a == nullptr) return;
    const CpuSet shared = a->all & b->all;
    add("ranks_overlap", "high",
        fmt::format("ranks {} and {} share cores while other cores idle", a->rank->rank,
                    b->rank->rank),
        fmt::format("both may run on CPUs {}; only {} of {} can run at once on {}", shared.format(),
                    together, counted(threads_, "thread"), counted(cores_, "allowed core")),
        fmt::format("ranks run at {}/{} of their speed at best{}", together, wanted,
                    measured({a, b})));
  }

  /// The two overlapping ranks whose masks have the smallest union.
  std::pair<const RankMasks*, const RankMasks*> overlapping_pair() const {
    std::pair<const RankMasks*, const RankMasks*> best{nullptr, nullptr};
    int smallest = 0;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      for (std::size_t j = i + 1; j < ranks_.size(); ++j) {
        if (!ranks_[i].all.intersects(ranks_[j].all)) continue;
        const int size = (ranks_[i].all | ranks_[j].all).count();
        if (best.first == nullptr || size < smallest) {
          best = {&ranks_[i], &ranks_[j]};
          smallest = size;
        }
      }
    }
    return best;
  }

  void oversubscribed() {
    if (threads_ <= pus_) return;
    const bool yields = std::all_of(ranks_.begin(), ranks_.end(), [](const RankMasks& rank) {
      return rank.rank->waiting == Waiting::yields;
    });
    const bool spins = std::any_of(ranks_.begin(), ranks_.end(), [](const RankMasks& rank) {
      return rank.rank->waiting == Waiting::spins;
    });
    const bool too_many_ranks = static_cast<int>(ranks_.size()) > pus_;
    // Threads on one core were already reported, with the same fix.
    if (!too_many_ranks && !findings_.empty()) return;
    std::vector<const RankMasks*> all;
    for (const RankMasks& rank : ranks_) all.push_back(&rank);
    const std::string what =
        fmt::format("{} compete for {}", counted(threads_, "thread"), counted(cores_, "core"));
    const std::string evidence =
        fmt::format("{} with {}, allowed CPUs {}", counted(ranks_.size(), "rank"),
                    counted(threads_, "runnable thread"), topology_.allowed_pus.format());
    if (spins) {
      add("oversubscribed_spin", too_many_ranks ? "high" : "medium",
          what + "; MPI spins while waiting", evidence,
          (too_many_ranks ? "a waiting rank keeps the core that the sender needs: up to 1000 times "
                            "the latency"
                          : "threads that wait keep the cores that other threads need") +
              measured(all));
    } else {
      add("oversubscribed", "medium", what,
          evidence + (yields ? "; this MPI yields while it waits"
                             : "; it is unknown whether this MPI yields while it waits"),
          fmt::format("at best {}/{} of the threads' speed{}", pus_, threads_, measured(all)));
    }
  }

  void quota_below_cores() {
    if (!topology_.cgroup_quota_cores) return;
    const double quota = *topology_.cgroup_quota_cores;
    const int wanted = std::min(threads_, pus_);
    if (quota >= wanted) return;
    const std::string cores = format_number(quota, Zeros::dropped);
    add("quota_below_cores", "high",
        fmt::format("the cgroup quota is {} cores for {}", cores, counted(threads_, "thread")),
        fmt::format("cgroup quota {} cores, allowed CPUs {}", cores,
                    topology_.allowed_pus.format()),
        fmt::format("at best {} of the threads' speed: the kernel stops all of them when the quota "
                    "is used up",
                    format_percent(quota / wanted)));
  }

  void foreign_processes() {
    CpuSet ours;
    for (const RankMasks& rank : ranks_) ours |= rank.all;
    std::vector<const ForeignPlace*> busy;
    for (const ForeignPlace& foreign : foreign_) {
      if (!foreign.allowed.intersects(ours)) continue;
      if (foreign.cpu_share.value_or(1) >= kForeignShare) busy.push_back(&foreign);
    }
    if (busy.empty()) return;
    std::sort(busy.begin(), busy.end(), [](const auto* a, const auto* b) {
      return a->cpu_share.value_or(0) > b->cpu_share.value_or(0);
    });
    const ForeignPlace& worst = *busy.front();
    const bool seen = worst.cpu_share.has_value();
    add("foreign_processes", seen ? "high" : "medium",
        busy.size() == 1
            ? "a process of another job shares the ranks' cores"
            : fmt::format("{} processes of other jobs share the ranks' cores", busy.size()),
        fmt::format(
            "{} (pid {}) may run on CPUs {}, the ranks on {}{}", worst.name, worst.pid,
            worst.allowed.format(), ours.format(),
            seen ? fmt::format("; it used {} of a core", format_percent(*worst.cpu_share)) : ""),
        seen ? fmt::format("up to {} of the time of a shared core",
                           format_percent(std::min(0.5, *worst.cpu_share)))
             : "up to half of the time of a shared core");
  }

  /// Information, not a problem: the kernel may move ranks and threads that are not bound.
  void unbound_threads_float() {
    for (const RankMasks& rank : ranks_) {
      const std::vector<int> cores = topology_.cores_of(rank.all);
      const bool many_domains =
          std::any_of(rank.masks.begin(), rank.masks.end(), [&](const CpuSet& mask) {
            return topology_.numa_of(topology_.cores_of(mask)).size() > 1;
          });
      const bool among_ranks = std::any_of(ranks_.begin(), ranks_.end(), [&](const auto& other) {
        return &other != &rank && other.all.intersects(rank.all);
      });
      if (!many_domains && !(among_ranks && static_cast<int>(cores.size()) > rank.threads())) {
        continue;
      }
      add("unbound_threads_float", "low",
          many_domains ? "threads may move between NUMA domains, away from their memory"
                       : "ranks are not bound and may move between cores",
          fmt::format("rank {}: {}, allowed CPUs {}", rank.rank->rank,
                      counted(rank.threads(), "thread"), rank.all.format()),
          many_domains ? "remote memory after a move; not measured"
                       : "caches are refilled after a move; not measured");
      return;
    }
  }

  std::string name_;
  machine::Topology topology_;
  std::vector<RankMasks> ranks_;
  std::vector<ForeignPlace> foreign_;
  int cores_ = 0;
  int pus_ = 0;
  int threads_ = 0;
  int most_threads_ = 1;
  bool whole_cores_ = true;
  int capacity_ = 0;
  std::vector<PlacementFinding> findings_;
};

int order_of(const std::string& severity) {
  return severity == "high" ? 0 : severity == "medium" ? 1 : 2;
}

}  // namespace

PlacementJudgement judge_placement(const PlacementInput& input) {
  PlacementJudgement judgement;
  for (int host = 0; host < static_cast<int>(input.hosts.size()); ++host) {
    for (PlacementFinding& finding : HostJudge(input, host).findings()) {
      // Hosts of one job are mostly alike: report the first host only.
      const bool reported = std::any_of(
          judgement.findings.begin(), judgement.findings.end(), [&](const PlacementFinding& other) {
            return other.id == finding.id && other.id != "foreign_processes" &&
                   other.threads_per_rank == finding.threads_per_rank &&
                   other.ranks_here == finding.ranks_here;
          });
      if (!reported) judgement.findings.push_back(std::move(finding));
    }
  }
  std::stable_sort(
      judgement.findings.begin(), judgement.findings.end(),
      [](const auto& a, const auto& b) { return order_of(a.severity) < order_of(b.severity); });
  judgement.sentence = check_sentence(input, judgement.findings);
  return judgement;
}

}  // namespace plait::placement
