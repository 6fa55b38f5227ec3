// SPDX-License-Identifier: BSD-3-Clause
// The analysis of a trace on the terminal, below the report.
#include "report/analysis_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "report/site_text.hpp"
#include "text/style.hpp"
#include "text/terminal.hpp"

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
                   static_cast<double>(std::max<std::size_t>(1, analysis.at("waiting_s").size()));
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
    for (std::string& line : lines_) line.erase(line.find_last_not_of(' ') + 1);
    return std::move(lines_);
  }

private:
  std::string safe(const std::string& of) const { return printable(of, options_.utf8); }
  void head(const std::string& line) {
    lines_.emplace_back();
    lines_.push_back(paint(line, Paint::dim, options_.color));
  }
  [[nodiscard]] bool is_negligible(double seconds) const {
    return seconds < kNegligible * all_ranks_s_;
  }
  std::string share(double seconds) const {
    return all_ranks_s_ > 0 ? format_percent(seconds / all_ranks_s_) : "-";
  }

  void verdict() {
    for (const std::string& line : wrap(safe(text(analysis_, "verdict")), kWidth, 4)) {
      lines_.push_back(paint(line, Paint::bold, options_.color));
    }
  }

  void efficiencies() {
    constexpr std::size_t kName = 28;
    const json& sets = analysis_.at("efficiencies");
    if (sets.empty()) return;
    const bool threads = std::ranges::any_of(
        sets, [](const json& set) { return !set.at("openmp_parallel").is_null(); });
    const auto row = [&](const std::string& name, const std::vector<std::string>& cells) {
      std::string line = pad(name, kName);
      for (const std::string& cell : cells) line += pad(cell, 9, true);
      return line;
    };
    std::vector<std::string> titles{"parallel", "balance", "serial.", "transfer"};
    if (threads) titles = {"hybrid", "balance", "serial.", "transfer", "OpenMP"};
    head(row("efficiencies (POP)", titles));
    for (const json& set : sets) {
      const auto cell = [&](const char* name) {
        return set.at(name).is_null() ? std::string("-") : format_percent(number(set, name));
      };
      std::vector<std::string> cells{cell("parallel"), cell("load_balance"), cell("serialization"),
                                     cell("transfer")};
      if (threads) cells.push_back(cell("openmp_parallel"));
      lines_.push_back(row(text(set, "definition"), cells));
    }
  }

  void waits() {
    const json& waits = analysis_.at("waits");
    if (waits.empty()) return;
    const auto row = [](const std::string& kind, const std::string& where, const std::string& time,
                        const std::string& share, const std::string& worst) {
      return pad(kind, 22) + pad(where, 34) + pad(time, 8, true) + pad(share, 8, true) +
             pad(worst, 8, true);
    };
    head(row("waits", "where", "time", "share", "worst"));
    for (std::size_t i = 0; i < std::min(kRows, waits.size()); ++i) {
      const json& wait = waits[i];
      const double seconds = number(wait, "seconds");
      if (i > 0 && is_negligible(seconds)) break;
      std::string where = text(wait, "function");
      if (!text(wait, "site").empty()) where = text(wait, "site");
      lines_.push_back(row(text(wait, "kind"), fitting_place(safe(where), 33),
                           format_seconds(seconds), share(seconds),
                           fmt::format("r{}", wait.at("worst_rank").get<int>())));
    }
  }

  void causes() {
    const json& causes = analysis_.at("causes");
    if (causes.size() < 2) return;  // the verdict names the first
    bool first = true;
    for (std::size_t i = 1; i < std::min(kRows, causes.size()); ++i) {
      if (is_negligible(number(causes[i], "seconds"))) break;
      if (first) head("other causes");
      first = false;
      const std::string label = pad(share(number(causes[i], "seconds")), 7, true) + "  ";
      add_labelled(label, text(causes[i], "sentence"), 3);
    }
  }

  void add_labelled(const std::string& label, const std::string& of, std::size_t most) {
    const std::size_t indent = display_width(label);
    const Lines wrapped = wrap(safe(of), kWidth - indent, most);
    for (std::size_t i = 0; i < wrapped.size(); ++i) {
      lines_.push_back((i == 0 ? label : std::string(indent, ' ')) + wrapped[i]);
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
      const bool computes = kind == "computation";
      if (!text(owner, "region").empty()) what += fmt::format(" in '{}'", text(owner, "region"));
      what = truncate(safe(what), kWidth - 20);
      if (!text(owner, "site").empty()) {
        what += computes ? " before " : " in ";
        what += fitting_place(safe(text(owner, "site")), kWidth - display_width(what));
      } else if (computes) {
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
    for (const json& rank : of.at("ranks")) {
      calculation += number(rank, "calculation_s");
      left += number(rank, "imbalance_s");
      interconnect += number(rank, "interconnect_s");
    }
    head(fmt::format("imbalance: calculation {}, imbalance {}, interconnect {}", share(calculation),
                     share(left), share(interconnect)));
    const std::string label = "  replayed network: ";
    lines_.push_back(label + truncate(text(of, "network"), kWidth - label.size()));
    const auto row = [](const std::string& function, const std::string& bytes,
                        const std::string& count, const std::string& imbalance_s,
                        const std::string& interconnect_s) {
      return "  " + pad(function, 26) + pad(bytes, 20) + pad(count, 8, true) +
             pad(imbalance_s, 11, true) + pad(interconnect_s, 13, true);
    };
    if (of.at("cells").empty()) return;
    lines_.push_back(paint(row(text(of, "class_source"), "", "calls", "imbalance", "interconnect"),
                           Paint::dim, options_.color));
    for (const json& cell : of.at("cells")) {
      const double both = number(cell, "imbalance_s") + number(cell, "interconnect_s");
      if (is_negligible(both)) continue;
      const double from = number(cell, "from_bytes");
      const std::string bytes =
          cell.at("to_bytes").is_null()
              ? fmt::format("from {}", format_bytes(from))
              : fmt::format("{} to {}", format_bytes(from), format_bytes(number(cell, "to_bytes")));
      lines_.push_back(row(truncate(safe(text(cell, "function")), 21), bytes,
                           format_count(cell.at("count").get<std::uint64_t>()),
                           format_seconds(number(cell, "imbalance_s")),
                           format_seconds(number(cell, "interconnect_s"))));
    }
  }

  void phases() {
    const json& phases = analysis_.at("phases");
    if (phases.size() < 2) return;
    const auto row = [](const std::string& name, const std::string& from,
                        const std::string& repetitions, const std::string& mean,
                        const std::string& parallel) {
      return pad(name, 30) + pad(from, 12, true) + pad(repetitions, 13, true) +
             pad(mean, 12, true) + pad(parallel, 11, true);
    };
    head(row("phases", "begin", "repetitions", "mean", "parallel"));
    for (std::size_t i = 0; i < std::min(kPhaseRows, phases.size()); ++i) {
      const json& phase = phases[i];
      const json& parallel = phase.at("efficiencies").at("parallel");
      lines_.push_back(row(truncate(safe(text(phase, "name")), 29),
                           format_seconds(number(phase, "begin_s")),
                           format_count(phase.at("repetitions").get<std::uint64_t>()),
                           format_seconds(number(phase, "mean_s")),
                           parallel.is_null() ? "-" : format_percent(parallel.get<double>())));
    }
    if (phases.size() > kPhaseRows) {
      lines_.push_back(fmt::format("  and {} more", phases.size() - kPhaseRows));
    }
  }

  void patterns() {
    const json& patterns = analysis_.at("patterns");
    if (patterns.empty()) return;
    head("communication patterns");
    for (std::size_t i = 0; i < std::min(kPatternRows, patterns.size()); ++i) {
      add_labelled("  ",
                   fmt::format("{} ({})", text(patterns[i], "what"), text(patterns[i], "evidence")),
                   kPatternLines);
      add_labelled("  fix: ", text(patterns[i], "remedy"), kPatternLines);
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
      add_labelled("note: ", notes[i].get<std::string>(), 2);
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
