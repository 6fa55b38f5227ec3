// SPDX-License-Identifier: BSD-3-Clause
// Measurements on a machine as text: figures with intervals, sentences.
#include "machine/measured_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/mpi_library.hpp"
#include "text/interval.hpp"
#include "text/units.hpp"

namespace plait::machine {
namespace {

using Verdicts = std::vector<const OverlapVerdict*>;

/// "a", "a or b", "a, b or c".
std::string alternatives(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

/// The verdicts on this protocol between nodes; where there are none, those inside a node.
Verdicts verdicts_on(const Measured& measured, const std::string& protocol) {
  Verdicts between;
  Verdicts inside;
  for (const OverlapVerdict& verdict : measured.overlap_verdicts) {
    if (verdict.protocol != protocol) continue;
    (verdict.path == "network" ? between : inside).push_back(&verdict);
  }
  return between.empty() ? inside : between;
}

/// The settings with which messages progress (or do not), without duplicates.
std::vector<std::string> settings_of(const Verdicts& verdicts, bool progressing) {
  std::vector<std::string> settings;
  for (const OverlapVerdict* verdict : verdicts) {
    const bool known = std::ranges::find(settings, verdict->setting) != settings.end();
    if (verdict->progresses == progressing && !verdict->setting.empty() && !known) {
      settings.push_back(verdict->setting);
    }
  }
  return settings;
}

}  // namespace

std::string statistic_text(const Statistic& value, double unit, std::string (*format)(double)) {
  if (value.n < 2) return format(value.median * unit) + " (one sample)";
  return format_interval(value.median * unit, value.ci_low * unit, value.ci_high * unit, format,
                         Ends::close);
}

std::string mpi_name(const Measured& measured) {
  return measured.mpi ? short_library(measured.mpi->library) : "this MPI";
}

std::string overlap_sentence(const OverlapVerdict& verdict, const std::string& mpi) {
  return fmt::format("{}{}{} {} {} messages {} while the program computes: {} hidden", mpi,
                     verdict.setting.empty() ? "" : " with ", verdict.setting,
                     verdict.progresses ? "moves" : "does not move",
                     verdict.protocol == "eager" ? "short" : "long",
                     verdict.path == "network" ? "between nodes" : "inside a node",
                     format_percent(verdict.overlapped, Zeros::dropped));
}

std::string overlap_headline(const Measured& measured) {
  Verdicts verdicts = verdicts_on(measured, "rendezvous");
  const bool all_eager = verdicts.empty();
  if (all_eager) verdicts = verdicts_on(measured, "eager");
  const auto is_default = [](const OverlapVerdict* verdict) { return verdict->setting.empty(); };
  if (std::ranges::none_of(verdicts, is_default)) return "";
  const bool moves = std::ranges::all_of(verdicts, [&](const OverlapVerdict* verdict) {
    return !is_default(verdict) || verdict->progresses;
  });
  const std::string text =
      fmt::format("{} {} {}messages while the program computes", mpi_name(measured),
                  moves ? "moves" : "does not move", all_eager ? "" : "long ");
  if (moves) return text;
  const std::vector<std::string> helping = settings_of(verdicts, true);
  if (!helping.empty()) return text + "; with " + alternatives(helping) + " it does";
  const std::vector<std::string> tried = settings_of(verdicts, false);
  return tried.empty() ? text : text + ", not even with " + alternatives(tried);
}

}  // namespace plait::machine
