// SPDX-License-Identifier: BSD-3-Clause
// The trees by which MPICH selects algorithms of collective operations, as JSON that it reads.
#include "tune/mpich_selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "plait/error.hpp"

namespace plait::tune {
namespace {

using nlohmann::ordered_json;

/// The beginning of all of MPICH's trees, and what only one of them has.
constexpr std::string_view kBegin = R"({"collective=)";
constexpr std::string_view kAlgorithm = R"("algorithm=MPIR_Bcast_intra_)";
constexpr std::string_view kComposition = R"("composition=MPIDI_Bcast_intra_)";

/// Compositions of operations that may have algorithms inside a node (src/mpid/ch4/src/ch4_coll.h).
constexpr std::array<std::pair<const char*, const char*>, 4> kUndivided{
    {{"MPI_Bcast", "composition=MPIDI_Bcast_intra_composition_gamma"},
     {"MPI_Allreduce", "composition=MPIDI_Allreduce_intra_composition_beta"},
     {"MPI_Reduce", "composition=MPIDI_Reduce_intra_composition_gamma"},
     {"MPI_Barrier", "composition=MPIDI_Barrier_intra_composition_beta"}}};

/// "bcast" of "MPI_Bcast".
std::string key_of(const std::string& operation) {
  std::string name = operation.substr(operation.find('_') + 1);
  for (char& letter : name) {
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return "collective=" + name;
}

ordered_json one(const std::string& key, const ordered_json& value) {
  ordered_json object = ordered_json::object();
  object[key] = value;
  return object;
}

/// The algorithm of a rule where MPICH can run it, as MPICH checks for its variables
/// (src/mpi/coll/mpir_coll.c). It checks nothing that a tree selects.
ordered_json guarded(const CollectiveRule& rule, const ordered_json& otherwise) {
  const std::string name = rule.operation.substr(rule.operation.find('_') + 1);
  ordered_json value =
      one(fmt::format("algorithm=MPIR_{}_intra_{}", name, rule.algorithm), ordered_json::object());
  const auto guard = [&](const char* condition, const char* else_condition) {
    value = one(condition, value);
    value[else_condition] = otherwise;
  };
  if (rule.algorithm == "smp") guard("comm_hierarchy=parent", "comm_hierarchy=any");
  if (rule.algorithm.find("recursive_doubling_allgather") != std::string::npos) {
    guard("comm_size=pow2", "comm_size=any");
  }
  if (rule.operation == "MPI_Reduce" || rule.operation == "MPI_Allreduce") {
    guard("is_commutative=yes", "is_commutative=no");
  }
  return value;
}

/// The composition that leaves all ranks of a communicator to the algorithm, or null.
const char* composition_of(const std::string& operation) {
  for (const auto& [name, composition] : kUndivided) {
    if (operation == name) return composition;
  }
  return nullptr;
}

using RuleIterator = std::vector<CollectiveRule>::const_iterator;

/// What a tree has in place of the built-in choice.
using Choice = std::function<ordered_json(const CollectiveRule&, const ordered_json& otherwise)>;

/// The choice by message size for communicators of one size.
ordered_json by_size(RuleIterator first, RuleIterator last, const ordered_json& otherwise,
                     const Choice& choice) {
  if (std::next(first) == last && first->from_bytes == 0 && first->to_bytes == kAllSizes) {
    return choice(*first, otherwise);  // a barrier has no size
  }
  ordered_json value = ordered_json::object();
  std::uint64_t next = 0;
  for (; first != last; ++first) {
    if (first->from_bytes > next) {
      value[fmt::format("avg_msg_size<{}", first->from_bytes)] = otherwise;
    }
    next = first->to_bytes;
    value[next == kAllSizes ? "avg_msg_size=any" : fmt::format("avg_msg_size<{}", next)] =
        choice(*first, otherwise);
  }
  if (next != kAllSizes) value["avg_msg_size=any"] = otherwise;
  return value;
}

/// The choice by communicator size.
ordered_json by_ranks(RuleIterator first, RuleIterator last, const ordered_json& otherwise,
                      const Choice& choice) {
  ordered_json value = ordered_json::object();
  int next = 0;
  while (first != last) {
    const int ranks = first->ranks;
    RuleIterator end = first;
    while (end != last && end->ranks == ranks) ++end;
    if (ranks > next) value[fmt::format("comm_size<{}", ranks)] = otherwise;
    value[fmt::format("comm_size<={}", ranks)] = by_size(first, end, otherwise, choice);
    next = ranks + 1;
    first = end;
  }
  value["comm_size=any"] = otherwise;
  return value;
}

/// A tree with a choice for calls with a rule.
std::string with_choices(const std::string& tree, const std::vector<CollectiveRule>& rules,
                         const Choice& choice) {
  const char* const kIntra = "comm_type=intra";
  ordered_json value = ordered_json::parse(tree, nullptr, false);
  for (auto first = rules.begin(); first != rules.end();) {
    auto last = first;
    while (last != rules.end() && last->operation == first->operation) ++last;
    const std::string key = key_of(first->operation);
    if (!value.is_object() || !value.contains(key) || !value[key].contains(kIntra)) {
      throw Error("MPICH's choice of algorithms", "has no " + first->operation, "");
    }
    ordered_json& intra = value[key][kIntra];
    intra = by_ranks(first, last, ordered_json(intra), choice);
    first = last;
  }
  return value.dump(1) + "\n";
}

}  // namespace

MpichTrees built_in_trees(const std::filesystem::path& library) {
  std::ifstream in(library, std::ios::binary);
  const std::string content(std::istreambuf_iterator<char>(in), {});
  MpichTrees trees;
  for (std::size_t at = content.find(kBegin); at != std::string::npos;
       at = content.find(kBegin, at + 1)) {
    // A string of C ends with a zero.
    const std::string tree = content.substr(at, content.find('\0', at) - at);
    if (!ordered_json::accept(tree)) continue;
    if (tree.find(kAlgorithm) != tree.npos) trees.algorithms = tree;
    if (tree.find(kComposition) != tree.npos) trees.compositions = tree;
  }
  return trees;
}

std::string with_rules(const std::string& tree, const std::vector<CollectiveRule>& rules) {
  return with_choices(tree, rules, guarded);
}

std::string undivided(const std::string& tree, const std::vector<CollectiveRule>& rules) {
  std::vector<CollectiveRule> divided;
  std::copy_if(rules.begin(), rules.end(), std::back_inserter(divided),
               [&](const CollectiveRule& rule) {
                 const char* const composition = composition_of(rule.operation);
                 return composition != nullptr && tree.find(composition) != tree.npos;
               });
  if (divided.empty()) return "";
  return with_choices(tree, divided, [](const CollectiveRule& rule, const ordered_json&) {
    return one(composition_of(rule.operation), ordered_json::object());
  });
}

}  // namespace plait::tune
