// SPDX-License-Identifier: BSD-3-Clause
// The analysis of a trace on the terminal, below the report.
#include "report/analysis_lines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/analysis_sentences.hpp"
#include "report/computation.hpp"
#include "report/computation_json.hpp"
#include "report/phase_counter_lines.hpp"
#include "report/site_text.hpp"
#include "report/terminal_parts.hpp"
#include "text/counted.hpp"
#include "text/interval.hpp"
#include "text/table.hpp"
#include "text/units.hpp"

namespace plait::report {
namespace {

using nlohmann::json;
using Lines = std::vector<std::string>;

constexpr std::size_t kWidth = kTerminalColumns;
constexpr std::size_t kRows = 4;
constexpr std::size_t kPhaseRows = 6;
constexpr std::size_t kPatternRows = 3;
constexpr std::size_t kPatternLines = 5;
constexpr std::size_t kNoteRows = 3;
constexpr double kNegligible = 0.001;  // of all ranks' time

double number(const json& of, const char* name) {
  return of.at(name).get<double>();
}

std::string text(const json& of, const char* name) {
  return of.at(name).is_string() ? of.at(name).get<std::string>() : "";
}

class Writer {
public:
  Writer(const json& analysis, const TerminalOptions& options)
      : analysis_(analysis), options_(options) {
    all_ranks_s_ = number(analysis, "time_s") *
                   static_cast<double>(std::max<std::size_t>(1, traced_ranks(analysis)));
  }

  Lines lines() {
    verdict();
    efficiencies();
    waits();
    causes();
    critical_path();
    imbalance();
    phases();
    patterns();
    notes();
    return std::move(lines_);
  }

private:
  std::string safe(const std::string& of) const { return printable(of, options_.utf8); }
  void head(const std::string& line) {
    lines_.emplace_back();
    lines_.push_back(paint(line, Paint::dim, options_.color));
  }
  void add_table(const Table& table) { append(lines_, table.lines()); }
  [[nodiscard]] TableLook look() const { return {0, options_.color}; }
  [[nodiscard]] bool is_negligible(double seconds) const {
    return seconds < kNegligible * all_ranks_s_;
  }
  std::string share(double seconds) const {
    return all_ranks_s_ > 0 ? format_percent(seconds / all_ranks_s_) : "-";
  }

  void verdict() { append(lines_, bold_lines(text(analysis_, "verdict"), 4, options_)); }

  void efficiencies() {
    const json& sets = analysis_.at("efficiencies");
    if (sets.empty()) return;
    const bool threads = std::ranges::any_of(
        sets, [](const json& set) { return !set.at("openmp_parallel").is_null(); });
    const bool stalls = std::ranges::any_of(sets, [](const json& set) {
      return !set.at("cpu").is_null() && number(set, "cpu") < 0.995;
    });
    std::vector<Column> columns{text_column("efficiencies (POP)"),
                                number_column(threads ? "hybrid" : "parallel")};
    if (stalls) columns.push_back(number_column("CPU"));
    columns.insert(columns.end(),
                   {number_column("balance"), number_column("serial."), number_column("transfer")});
    if (threads) columns.push_back(number_column("OpenMP"));
    Table table(std::move(columns), look());
    for (const json& set : sets) {
      if (!options_.all_definitions && !set.at("recommended").get<bool>()) continue;
      const auto cell = [&](const char* name) {
        return set.at(name).is_null() ? std::string("-") : format_percent(number(set, name));
      };
      Lines cells{text(set, "definition"), cell("parallel")};
      if (stalls) cells.push_back(cell("cpu"));
      cells.insert(cells.end(), {cell("load_balance"), cell("serialization"), cell("transfer")});
      if (threads) cells.push_back(cell("openmp_parallel"));
      table.add(std::move(cells));
    }
    lines_.emplace_back();
    add_table(table);
  }

  void waits() {
    const json& waits = analysis_.at("waits");
    if (waits.empty()) return;
    Table table({text_column("waits"), text_column("where", fitting_place), number_column("time"),
                 number_column("share"), number_column("worst")},
                look());
    for (std::size_t i = 0; i < std::min(kRows, waits.size()); ++i) {
      const json& wait = waits[i];
      const double seconds = number(wait, "seconds");
      if (i > 0 && is_negligible(seconds)) break;
      const std::string site = text(wait, "site");
      table.add({text(wait, "kind"), safe(site.empty() ? text(wait, "function") : site),
                 format_seconds(seconds), share(seconds),
                 fmt::format("r{}", wait.at("worst_rank").get<int>())});
    }
    lines_.emplace_back();
    add_table(table);
  }

  void causes() {
    const json& causes = analysis_.at("causes");
    const std::string named = text(analysis_, "verdict");
    bool first = true;
    for (std::size_t i = 0; i < std::min(kRows, causes.size()); ++i) {
      if (is_negligible(number(causes[i], "seconds"))) continue;
      if (named.find(text(causes[i], "sentence")) != named.npos) continue;
      if (first) head("other causes");
      first = false;
      append(lines_, labelled(pad(share(number(causes[i], "seconds")), 7, true) + "  ",
                              text(causes[i], "sentence"), 3, options_));
    }
  }

  void critical_path() {
    const json& owners = analysis_.at("critical_path").at("owners");
    if (owners.empty()) return;
    head(fmt::format("critical path: {}, made up of",
                     format_seconds(number(analysis_.at("critical_path"), "seconds"))));
    for (std::size_t i = 0; i < std::min(kRows, owners.size()); ++i) {
      const json& owner = owners[i];
      if (i > 0 && number(owner, "share") < kNegligible) break;
      const std::string kind = text(owner, "kind");
      std::string what =
          pad(format_percent(number(owner, "share")), 7, true) +
          fmt::format("  rank {}: {}", owner.at("rank").get<int>(), kind == "mpi" ? "MPI" : kind);
      const bool between_calls = kind == "computation" || kind == "waiting for a CPU";
      if (!text(owner, "region").empty()) what += fmt::format(" in '{}'", text(owner, "region"));
      what = truncate(safe(what), kWidth - 20);
      if (!text(owner, "site").empty()) {
        what += between_calls ? " before " : " in ";
        what += fitting_place(safe(text(owner, "site")), kWidth - display_width(what));
      } else if (between_calls) {
        what += " before the end of the run";
      }
      lines_.push_back(truncate(what, kWidth));
    }
  }

  void imbalance() {
    const json& of = analysis_.at("imbalance");
    if (of.at("ranks").empty()) return;
    double calculation = 0;
    double left = 0;
    double interconnect = 0;
    double cpu_wait = 0;
    for (const json& rank : of.at("ranks")) {
      calculation += number(rank, "calculation_s");
      left += number(rank, "imbalance_s");
      interconnect += number(rank, "interconnect_s");
      cpu_wait += number(rank, "cpu_wait_s");
    }
    head(fmt::format("imbalance: calculation {}, imbalance {}, interconnect {}{}",
                     share(calculation), share(left), share(interconnect),
                     is_negligible(cpu_wait) ? "" : ", no CPU " + share(cpu_wait)));
    append(lines_, labelled("  replayed network: ", text(of, "network"), 2, options_));
    breakdown(text(of, "class_source"), of.at("cells"));
    if (options_.all_definitions) breakdown("ITAC's classes", of.at("itac_cells"));
  }

  void breakdown(const std::string& classes, const json& cells) {
    if (cells.empty()) return;
    Table table({text_column(classes, truncate), text_column(""), number_column("calls"),
                 number_column("imbalance"), number_column("interconnect")},
                {2, options_.color});
    for (const json& cell : cells) {
      const double both = number(cell, "imbalance_s") + number(cell, "interconnect_s");
      if (is_negligible(both)) continue;
      const std::string from = format_bytes(number(cell, "from_bytes"));
      table.add({safe(text(cell, "function")),
                 cell.at("to_bytes").is_null()
                     ? "from " + from
                     : format_range(from, format_bytes(number(cell, "to_bytes"))),
                 format_count(cell.at("count").get<std::uint64_t>()),
                 format_seconds(number(cell, "imbalance_s")),
                 format_seconds(number(cell, "interconnect_s"))});
    }
    add_table(table);
  }

  void phases() {
    const json& phases = analysis_.at("phases");
    if (phases.size() < 2) return;
    Table table({text_column("phases", truncate), number_column("begin"),
                 number_column("repetitions"), number_column("mean"), number_column("parallel")},
                look());
    for (std::size_t i = 0; i < std::min(kPhaseRows, phases.size()); ++i) {
      const json& phase = phases[i];
      const json& parallel = phase.at("efficiencies").at("parallel");
      table.add({safe(text(phase, "name")), format_seconds(number(phase, "begin_s")),
                 format_count(phase.at("repetitions").get<std::uint64_t>()),
                 format_seconds(number(phase, "mean_s")),
                 parallel.is_null() ? "-" : format_percent(parallel.get<double>())});
    }
    lines_.emplace_back();
    add_table(table);
    if (phases.size() > kPhaseRows) {
      lines_.push_back(fmt::format("  and {} more", phases.size() - kPhaseRows));
    }
    hottest_of_longest(phases);
    append(lines_, phase_counter_lines(phases, kPhaseRows, options_));
  }

  /// The function in which the longest phase with samples computes most.
  void hottest_of_longest(const json& phases) {
    const json* longest = nullptr;
    double most_s = 0;
    for (const json& phase : phases) {
      const double length_s = number(phase, "end_s") - number(phase, "begin_s");
      const bool has_hottest = phase.contains("hottest") && !phase.at("hottest").is_null();
      if (length_s <= most_s || !has_hottest) continue;
      longest = &phase;
      most_s = length_s;
    }
    if (longest == nullptr) return;
    const json& of = longest->at("hottest");
    const FunctionPlace place = of.get<FunctionPlace>();
    const std::string range = format_range(number(of, "low"), number(of, "high"),
                                           [](double value) { return format_percent(value); });
    append(lines_, labelled("  ",
                            fmt::format("hottest in {}: {}, {} ({}) of its samples in code",
                                        text(*longest, "name"), place_of(place),
                                        format_percent(number(of, "share")), range),
                            2, options_));
  }

  void patterns() {
    const json& patterns = analysis_.at("patterns");
    if (patterns.empty()) return;
    head("communication patterns");
    for (std::size_t i = 0; i < std::min(kPatternRows, patterns.size()); ++i) {
      append(lines_, labelled("  ",
                              fmt::format("{} ({})", text(patterns[i], "what"),
                                          text(patterns[i], "evidence")),
                              kPatternLines, options_));
      append(lines_, labelled("  fix: ", text(patterns[i], "remedy"), kPatternLines, options_));
    }
    if (patterns.size() > kPatternRows) {
      lines_.push_back(
          fmt::format("  and {} more in analysis.json", patterns.size() - kPatternRows));
    }
  }

  void notes() {
    const json& notes = analysis_.at("notes");
    for (std::size_t i = 0; i < std::min(kNoteRows, notes.size()); ++i) {
      if (i == 0) lines_.emplace_back();
      append(lines_, labelled("note: ", notes[i].get<std::string>(), 2, options_));
    }
  }

  const json& analysis_;
  const TerminalOptions& options_;
  double all_ranks_s_ = 0;
  Lines lines_;
};

}  // namespace

std::vector<std::string> analysis_lines(const json& analysis, const TerminalOptions& options) {
  return Writer(analysis, options).lines();
}

void print_analysis(const json& analysis, std::FILE* stream, const TerminalOptions& options) {
  std::string all = "\n";
  for (const std::string& line : analysis_lines(analysis, options)) all += line + "\n";
  std::fwrite(all.data(), 1, all.size(), stream);
  std::fflush(stream);
}

}  // namespace plait::report
