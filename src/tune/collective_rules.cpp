// SPDX-License-Identifier: BSD-3-Clause
// Algorithms of collective operations by communicator and message size, as each library reads them.
#include "tune/collective_rules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <iterator>
#include <tuple>

#include "doctor/hazards.hpp"
#include "launcher/plan.hpp"
#include "tune/mpich_selection.hpp"

namespace plait::tune {
namespace {

using launcher::LauncherKind;

/// Of a file of rules, without its suffix. File systems have a limit of 255 bytes.
constexpr std::size_t kLongestName = 120;

/// Numbers of operations in Open MPI's files of rules (ompi/mca/coll/base/coll_base_functions.h,
/// COLLTYPE).
constexpr std::array<const char*, 17> kOpenMpiOperations{
    "MPI_Allgather",      "MPI_Allgatherv",
    "MPI_Allreduce",      "MPI_Alltoall",
    "MPI_Alltoallv",      "MPI_Alltoallw",
    "MPI_Barrier",        "MPI_Bcast",
    "MPI_Exscan",         "MPI_Gather",
    "MPI_Gatherv",        "MPI_Reduce",
    "MPI_Reduce_scatter", "MPI_Reduce_scatter_block",
    "MPI_Scan",           "MPI_Scatter",
    "MPI_Scatterv"};

int openmpi_number(const std::string& operation) {
  const auto* const found =
      std::find(kOpenMpiOperations.begin(), kOpenMpiOperations.end(), operation);
  return static_cast<int>(found - kOpenMpiOperations.begin());
}

/// "allreduce4-3": names the file by what is in it, so that quarantine distinguishes them.
std::string short_name(const CollectiveRule& rule) {
  std::string name = rule.operation.substr(rule.operation.find('_') + 1);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  name += fmt::format("{}-{}", rule.ranks, rule.algorithm);
  if (rule.from_bytes > 0) name += fmt::format("-from{}", rule.from_bytes);
  if (rule.to_bytes != kAllSizes) name += fmt::format("-to{}", rule.to_bytes);
  if (rule.requests > 0) name += fmt::format("-by{}", rule.requests);
  if (rule.segment_bytes > 0) name += fmt::format("-segments{}", rule.segment_bytes);
  return name;
}

/// Calls consume(first, last) for each run of rules that are equal by a key.
template <class Key, class Consume>
void for_each_group(const std::vector<CollectiveRule>& rules, Key key, Consume consume) {
  for (auto first = rules.begin(); first != rules.end();) {
    const auto last = std::find_if(
        first, rules.end(), [&](const CollectiveRule& rule) { return key(rule) != key(*first); });
    consume(first, last);
    first = last;
  }
}

using RuleIterator = std::vector<CollectiveRule>::const_iterator;

/// Lines "BYTES ALGORITHM TOPOLOGY SEGMENT" of one communicator size, and how many there are. In
/// version 2, "REQUESTS" comes last.
std::string size_lines(RuleIterator first, RuleIterator last, int version) {
  std::vector<std::string> lines;
  std::uint64_t next = 0;
  for (; first != last; ++first) {
    // Algorithm 0 is the library's own choice.
    if (first->from_bytes > next || (lines.empty() && first->from_bytes > 0)) {
      lines.push_back(fmt::format("{} 0 0 0\n", next));
    }
    lines.push_back(fmt::format("{} {} 0 {}{}\n", first->from_bytes, first->algorithm,
                                first->segment_bytes,
                                version > 1 ? fmt::format(" {}", first->requests) : ""));
    next = first->to_bytes;
  }
  if (next != kAllSizes) lines.push_back(fmt::format("{} 0 0 0\n", next));
  std::string text = fmt::format("{} # message sizes\n", lines.size());
  for (const std::string& line : lines) text += line;
  return text;
}

std::string communicator_lines(RuleIterator first, RuleIterator last, int version) {
  std::string text;
  int sizes = 0, next = 0;
  for_each_group(
      {first, last}, [](const CollectiveRule& rule) { return rule.ranks; },
      [&](RuleIterator begin, RuleIterator end) {
        // A rule is for communicators of this size and larger ones up to the next rule.
        if (begin->ranks > next) {
          text += fmt::format("{} # ranks\n1 # message sizes\n0 0 0 0\n", next);
          ++sizes;
        }
        text += fmt::format("{} # ranks\n{}", begin->ranks, size_lines(begin, end, version));
        next = begin->ranks + 1;
        ++sizes;
      });
  text += fmt::format("{} # ranks\n1 # message sizes\n0 0 0 0\n", next);
  return fmt::format("{} # communicator sizes\n{}", sizes + 1, text);
}

constexpr std::uint64_t kIntelLargest = 2147483647;

/// "3:0-4095": a preset of Intel MPI, and the sizes that it is for.
std::string intel_preset(const std::string& preset, std::uint64_t from, std::uint64_t to) {
  return fmt::format("{}:{}-{}", preset, from, std::min(kIntelLargest, to - 1));
}

/// The rules of one operation: "3:0-2147483647@4-4;0:0-2147483647", or for one communicator size
/// "3:0-4095;0:4096-2147483647". Preset 0 is the library's own choice without its tuning file:
/// calls that no range covers get another preset of the list. With "@", Intel MPI 2021.18 ignores
/// the sizes of all ranges.
std::string intel_value(RuleIterator first, RuleIterator last) {
  const bool by_size = std::any_of(first, last, [](const CollectiveRule& rule) {
    return rule.from_bytes > 0 || rule.to_bytes != kAllSizes;
  });
  std::vector<std::string> presets;
  std::uint64_t next = 0;
  for (; first != last; ++first) {
    if (!by_size) {
      presets.push_back(intel_preset(first->algorithm, 0, kAllSizes) +
                        fmt::format("@{0}-{0}", first->ranks));
    } else if (first->ranks == std::prev(last)->ranks) {
      if (first->from_bytes > next) presets.push_back(intel_preset("0", next, first->from_bytes));
      presets.push_back(intel_preset(first->algorithm, first->from_bytes, first->to_bytes));
      next = first->to_bytes;
    }
  }
  if (next <= kIntelLargest) presets.push_back(intel_preset("0", next, kAllSizes));
  return fmt::format("{}", fmt::join(presets, ";"));
}

void sort_rules(std::vector<CollectiveRule>& rules) {
  std::sort(rules.begin(), rules.end(), [](const CollectiveRule& a, const CollectiveRule& b) {
    return std::tuple(openmpi_number(a.operation), a.ranks, a.from_bytes) <
           std::tuple(openmpi_number(b.operation), b.ranks, b.from_bytes);
  });
}

/// True for operations whose bytes all libraries count as the profile does. Of the others, they
/// count those of one block or of all blocks.
bool counts_bytes(const std::string& operation) {
  return operation == "MPI_Allreduce" || operation == "MPI_Reduce" || operation == "MPI_Bcast";
}

/// Names a file by what is in it.
std::string file_name(const std::vector<CollectiveRule>& sorted, const std::string& content) {
  std::string name = "coll";
  for (const CollectiveRule& rule : sorted) name += "-" + short_name(rule);
  if (name.size() <= kLongestName) return name;
  return fmt::format("coll-{}-rules-{:016x}", sorted.size(), std::hash<std::string>{}(content));
}

/// A file that a variable names.
void add_file(const char* variable, const std::string& name, const std::string& content,
              WrittenRules& written) {
  written.files[name] = content;
  written.environment[variable] = std::string(launcher::kFilesFolder) + "/" + name;
}

}  // namespace

std::string openmpi_rules(std::vector<CollectiveRule> rules, int version) {
  sort_rules(rules);
  std::string text;
  int operations = 0;
  for_each_group(
      rules, [](const CollectiveRule& rule) { return rule.operation; },
      [&](RuleIterator first, RuleIterator last) {
        text += fmt::format("{} # {}\n{}", openmpi_number(first->operation), first->operation,
                            communicator_lines(first, last, version));
        ++operations;
      });
  return fmt::format("{}{} # operations\n{}", version > 1 ? "rule-file-version-2\n" : "",
                     operations, text);
}

WrittenRules written_rules(const launcher::Launcher& launcher,
                           const std::vector<CollectiveRule>& rules,
                           const MpichTrees& mpich_trees) {
  const LauncherKind kind = launcher.kind;
  WrittenRules written;
  if (rules.empty()) return written;
  std::vector<CollectiveRule> sorted = rules;
  sort_rules(sorted);
  if (kind == LauncherKind::openmpi4 || kind == LauncherKind::openmpi5) {
    const std::string content = openmpi_rules(sorted, has_most_requests(launcher) ? 2 : 1);
    written.environment["OMPI_MCA_coll_tuned_use_dynamic_rules"] = "1";
    add_file(kRulesFileVariable, file_name(sorted, content) + ".conf", content, written);
    return written;
  }
  if (kind == LauncherKind::mpich && !mpich_trees.compositions.empty()) {
    const std::string content = undivided(mpich_trees.compositions, sorted);
    if (!content.empty()) {
      add_file(kMpichCompositionVariable, "parts-" + file_name(sorted, content) + ".json", content,
               written);
    }
  }
  if (kind == LauncherKind::mpich && !mpich_trees.algorithms.empty()) {
    // Of the other operations, MPICH's variables check where an algorithm can run.
    std::vector<CollectiveRule> in_tree;
    std::copy_if(sorted.begin(), sorted.end(), std::back_inserter(in_tree),
                 [](const CollectiveRule& rule) { return counts_bytes(rule.operation); });
    std::erase_if(sorted, [](const CollectiveRule& rule) { return counts_bytes(rule.operation); });
    if (!in_tree.empty()) {
      const std::string content = with_rules(mpich_trees.algorithms, in_tree);
      add_file(kMpichTreeVariable, file_name(in_tree, content) + ".json", content, written);
    }
  }
  for_each_group(
      sorted, [](const CollectiveRule& rule) { return rule.operation; },
      [&](RuleIterator first, RuleIterator last) {
        written.environment[first->variable] =
            kind == LauncherKind::intel ? intel_value(first, last) : first->algorithm;
      });
  return written;
}

bool has_most_requests(const launcher::Launcher& launcher) {
  return launcher.kind == LauncherKind::openmpi5 &&
         doctor::version_matches(launcher.version, ">=5.0.7");
}

bool has_size_rules(LauncherKind kind, const std::string& operation, bool one_communicator_size,
                    const MpichTrees& mpich_trees) {
  if (kind == LauncherKind::intel && !one_communicator_size) return false;
  // MPICH's variables apply to all calls; its JSON distinguishes sizes.
  return (kind != LauncherKind::mpich || !mpich_trees.algorithms.empty()) &&
         counts_bytes(operation);
}

}  // namespace plait::tune
