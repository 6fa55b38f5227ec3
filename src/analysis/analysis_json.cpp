// SPDX-License-Identifier: BSD-3-Clause
// Converts an analysis to JSON, with names instead of indices.
#include "analysis/analysis_json.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"

namespace plait::analysis {
namespace {

using nlohmann::json;
using trace::kNone;

class Writer {
public:
  Writer(const trace::Trace& trace, const std::vector<std::string>& sites)
      : trace_(trace), sites_(sites) {}

  json operator()(const Analysis& analysis) const {
    json value{{"schema", kAnalysisSchema},
               {"schema_version", kAnalysisVersion},
               {"verdict", ""},
               {"time_s", analysis.time_s},
               {"cut_s", analysis.cut_s},
               {"ideal_s", analysis.ideal_s > 0 ? json(analysis.ideal_s) : json()},
               {"events", analysis.events},
               {"traced_ranks", analysis.traced_ranks},
               {"without_partner", analysis.without_partner},
               {"clock_error_s", trace_.clock_error_s},
               {"cpu_taken_fraction", 0.0},
               {"waiting_s", analysis.waiting_s},
               {"critical_path", path(analysis.critical_path)},
               {"imbalance", imbalance(analysis.imbalance)},
               {"messages", messages(analysis.messages)},
               {"notes", analysis.notes}};
    const auto list = [&](const char* name, const auto& entries, auto write) {
      json& to = value[name] = json::array();
      for (const auto& entry : entries) to.push_back((this->*write)(entry));
    };
    list("efficiencies", analysis.efficiencies, &Writer::efficiencies);
    list("waits", analysis.waits, &Writer::wait);
    unite(value["waits"], {"kind", "function", "site"}, {"seconds", "count"});
    list("causes", analysis.causes, &Writer::cause);
    list("phases", analysis.phases, &Writer::phase);
    list("patterns", analysis.patterns, &Writer::pattern);
    return value;
  }

private:
  /// Merges entries with equal values of `alike` (call paths that end on the same line): adds up
  /// the fields in `sums`, takes the others from the longest entry, and sorts by length.
  static void unite(json& entries, const std::vector<std::string>& alike,
                    const std::vector<std::string>& sums) {
    std::map<json, json> by_text;
    for (const json& entry : entries) {
      json key = json::array();
      for (const std::string& name : alike) key.push_back(entry.at(name));
      const auto [at, is_new] = by_text.try_emplace(key, entry);
      for (const std::string& name : is_new ? std::vector<std::string>{} : sums) {
        at->second[name] =
            at->second[name].is_number_float()
                ? json(at->second[name].get<double>() + entry[name].get<double>())
                : json(at->second[name].get<std::uint64_t>() + entry[name].get<std::uint64_t>());
      }
    }
    entries = json::array();
    for (auto& [key, entry] : by_text) entries.push_back(std::move(entry));
    std::stable_sort(entries.begin(), entries.end(), [](const json& a, const json& b) {
      return a.at("seconds").get<double>() > b.at("seconds").get<double>();
    });
  }

  [[nodiscard]] json site(std::uint32_t number) const {
    if (number >= trace_.sites.size()) return nullptr;
    return number < sites_.size() ? sites_[number] : "unknown location";
  }
  [[nodiscard]] json function(std::uint32_t number) const {
    return number < trace_.functions.size() ? json(trace_.functions[number]) : json();
  }
  /// The name with those of the enclosing regions: "solve/assembly".
  [[nodiscard]] json region(std::uint32_t number) const {
    if (number >= trace_.regions.size()) return nullptr;
    std::string name = trace_.regions[number].name;
    std::size_t depth = 0;
    for (std::uint32_t at = trace_.regions[number].parent;
         at < trace_.regions.size() && ++depth < trace_.regions.size();
         at = trace_.regions[at].parent) {
      name.insert(0, trace_.regions[at].name + "/");
    }
    return name;
  }

  [[nodiscard]] json efficiencies(const PopSet& of) const {
    const auto value = [](const std::optional<double>& one) { return one ? json(*one) : json(); };
    return {{"definition", of.definition},
            {"recommended", of.recommended},
            {"time_s", of.time_s},
            {"ideal_s", value(of.ideal_s)},
            {"parallel", value(of.parallel)},
            {"cpu", value(of.cpu)},
            {"mpi_parallel", value(of.mpi_parallel)},
            {"load_balance", value(of.load_balance)},
            {"communication", value(of.communication)},
            {"serialization", value(of.serialization)},
            {"transfer", value(of.transfer)},
            {"openmp_parallel", value(of.openmp_parallel)},
            {"openmp_load_balance", value(of.openmp_load_balance)},
            {"openmp_communication", value(of.openmp_communication)},
            {"openmp_serial", value(of.openmp_serial)},
            {"openmp_region", value(of.openmp_region)}};
  }

  [[nodiscard]] json wait(const WaitState& of) const {
    const char* outside = of.kind == WaitKind::before_first ? "MPI_Init" : "MPI_Finalize";
    return {{"kind", to_string(of.kind)},
            {"function", of.function == kNone ? json(outside) : function(of.function)},
            {"site", site(of.site)},
            {"seconds", of.seconds},
            {"count", of.count},
            {"worst_rank", of.worst_rank},
            {"worst_s", of.worst_s}};
  }

  [[nodiscard]] json cause(const RootCause& of) const {
    return {{"kind", of.kind},
            {"sentence", ""},
            {"rank", of.rank >= 0 ? json(of.rank) : json()},
            {"region", region(of.region)},
            {"site", site(of.before_site)},
            {"seconds", of.seconds},
            {"own_excess_s", of.own_excess_s},
            {"delayed", of.delayed},
            {"chain", of.chain}};
  }

  [[nodiscard]] json path(const CriticalPath& of) const {
    json owners = json::array();
    for (const PathOwner& owner : of.owners) {
      owners.push_back({{"rank", owner.rank},
                        {"kind", owner.kind},
                        {"region", region(owner.region)},
                        {"site", site(owner.site)},
                        {"seconds", owner.seconds},
                        {"share", owner.share}});
    }
    unite(owners, {"rank", "kind", "region", "site"}, {"seconds", "share"});
    json parts = json::array();
    for (const PathPart& part : of.parts) {
      parts.push_back({{"rank", part.rank},
                       {"kind", part.kind},
                       {"region", region(part.region)},
                       {"site", site(part.site)},
                       {"begin_s", part.begin_s},
                       {"end_s", part.end_s}});
    }
    return {{"seconds", of.seconds}, {"owners", owners}, {"parts", parts}};
  }

  [[nodiscard]] json imbalance(const Imbalance& of) const {
    json ranks = json::array();
    for (const ImbalanceRow& row : of.ranks) {
      ranks.push_back({{"rank", row.rank},
                       {"calculation_s", row.calculation_s},
                       {"imbalance_s", row.imbalance_s},
                       {"interconnect_s", row.interconnect_s},
                       {"cpu_wait_s", row.cpu_wait_s}});
    }
    return {{"network", of.network},           {"ranks", ranks},
            {"class_limits", of.class_limits}, {"class_source", of.class_source},
            {"cells", breakdown(of.cells)},    {"itac_cells", breakdown(of.itac_cells)}};
  }

  [[nodiscard]] json breakdown(const std::vector<BreakdownCell>& of) const {
    json cells = json::array();
    for (const BreakdownCell& cell : of) {
      cells.push_back({{"function", function(cell.function)},
                       {"from_bytes", cell.from_bytes},
                       {"to_bytes", upper(cell.to_bytes)},
                       {"count", cell.count},
                       {"imbalance_s", cell.imbalance_s},
                       {"interconnect_s", cell.interconnect_s}});
    }
    return cells;
  }

  /// Null for the size class without an upper limit.
  [[nodiscard]] static json upper(std::uint64_t bytes) {
    return bytes == ~std::uint64_t{0} ? json() : json(bytes);
  }

  [[nodiscard]] json phase(const Phase& of) const {
    json pattern = json::array();
    for (const std::uint32_t one : of.pattern) pattern.push_back(function(one));
    json calls = json::array();
    for (const PhaseCall& call : of.calls) {
      calls.push_back({{"function", function(call.function)},
                       {"count", call.count},
                       {"seconds", call.seconds}});
    }
    return {{"name", of.name},         {"begin_s", of.begin_s},
            {"end_s", of.end_s},       {"repetitions", of.repetitions},
            {"mean_s", of.mean_s},     {"cv", of.cv},
            {"median_s", of.median_s}, {"low_s", of.low_s},
            {"high_s", of.high_s},     {"ranks", of.ranks},
            {"calls", calls},          {"signature", std::to_string(of.signature)},
            {"pattern", pattern},      {"efficiencies", efficiencies(of.efficiencies)}};
  }

  [[nodiscard]] json messages(const MessageProfile& of) const {
    json classes = json::array();
    for (const MessageClass& one : of.classes) {
      classes.push_back({{"from_bytes", one.from_bytes},
                         {"to_bytes", upper(one.to_bytes)},
                         {"count", one.count},
                         {"bytes", one.bytes},
                         {"seconds", one.seconds},
                         {"between_nodes", one.between_nodes},
                         {"rate", one.rate},
                         {"path_rate", one.path_rate}});
    }
    json pairs = json::array();
    for (const PairTraffic& pair : of.pairs) {
      pairs.push_back({{"from", pair.from},
                       {"to", pair.to},
                       {"count", pair.count},
                       {"bytes", pair.bytes},
                       {"seconds", pair.seconds}});
    }
    json slow = json::array();
    for (const SlowTransfer& one : of.slow) {
      slow.push_back({{"from", one.from},
                      {"to", one.to},
                      {"bytes", one.bytes},
                      {"count", one.count},
                      {"rate", one.rate},
                      {"path_rate", one.path_rate},
                      {"site", site(one.site)}});
    }
    return {{"messages", of.messages},
            {"bytes", of.bytes},
            {"classes", classes},
            {"pairs", pairs},
            {"slow", slow}};
  }

  [[nodiscard]] json pattern(const PatternFinding& of) const {
    json places = json::array();
    for (const std::uint32_t number : of.sites) places.push_back(site(number));
    return {{"id", of.id},         {"what", of.what},     {"evidence", of.evidence},
            {"cost_s", of.cost_s}, {"remedy", of.remedy}, {"ranks", of.ranks},
            {"sites", places}};
  }

  const trace::Trace& trace_;
  const std::vector<std::string>& sites_;
};

}  // namespace

nlohmann::json to_json(const Analysis& analysis, const trace::Trace& trace,
                       const std::vector<std::string>& sites) {
  return Writer(trace, sites)(analysis);
}

}  // namespace plait::analysis
