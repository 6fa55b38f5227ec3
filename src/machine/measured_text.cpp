// SPDX-License-Identifier: BSD-3-Clause
// Measurements on a machine as text: figures with intervals, sentences.
#include "machine/measured_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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
    const bool counts = verdict->progresses == progressing && !verdict->undecided;
    if (counts && !verdict->setting.empty() && !known) {
      settings.push_back(verdict->setting);
    }
  }
  return settings;
}

/// "3 % hidden (1 to 5 %)"; without measured points only the value.
template <class Verdict>
std::string hidden_text(const Verdict& verdict) {
  const std::string value = format_percent(verdict.overlapped, Zeros::dropped) + " hidden";
  const auto percent = [](double share) { return format_percent(share, Zeros::dropped); };
  if (verdict.points == 0 || percent(verdict.low) == percent(verdict.high)) return value;
  return fmt::format("{} ({})", value, format_range(percent(verdict.low), percent(verdict.high)));
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
  return fmt::format("{}{}{}{} {} {} messages {} while the program computes: {}",
                     verdict.undecided ? "it is undecided whether " : "", mpi,
                     verdict.setting.empty() ? "" : " with ", verdict.setting,
                     verdict.progresses || verdict.undecided ? "moves" : "does not move",
                     verdict.protocol == "eager" ? "short" : "long",
                     verdict.path == "network" ? "between nodes" : "inside a node",
                     verdict.undecided ? verdict.reason : hidden_text(verdict));
}

std::string mixed_sentence(const MixedVerdict& verdict) {
  const std::string who =
      verdict.senders == 1 ? "if one process sends both" : "with a sender for each";
  const std::string rank0 = verdict.rank0 == "both"      ? ", which is rank 0"
                            : verdict.rank0 == "inside"  ? ", rank 0 inside the node"
                            : verdict.rank0 == "between" ? ", rank 0 between nodes"
                            : verdict.rank0 == "none"    ? ", neither of them rank 0"
                                                         : "";
  return fmt::format("{}messages inside a node and {} messages between nodes {} {}{}: {}",
                     verdict.undecided ? "it is undecided whether " : "",
                     verdict.protocol == "eager" ? "short" : "long",
                     verdict.overlaps || verdict.undecided ? "overlap" : "do not overlap", who,
                     rank0, verdict.undecided ? verdict.reason : hidden_text(verdict));
}

std::string hardware_threads_sentence(const Measured& measured) {
  std::string text;
  int per_core = 0;
  for (const HardwareThreads& result : measured.hardware_threads) {
    const Statistic& one = result.one_per_core;
    const Statistic& all = result.all;
    if (!one.usable() || !all.usable() || one.median <= 0 || result.cores < 1) continue;
    const double gain = all.median / one.median - 1;
    const bool apart = all.ci_low > one.ci_high || all.ci_high < one.ci_low;
    text += fmt::format("{}{}-bound work is {}", text.empty() ? "" : ", and ", result.work,
                        !apart ? "as fast"
                               : fmt::format("{} {}", format_percent(std::abs(gain)),
                                             gain > 0 ? "faster" : "slower"));
    per_core = result.threads / result.cores;
  }
  if (text.empty()) return text;
  return fmt::format("With {} threads per core instead of one, {}", per_core, text);
}

std::string overlap_headline(const Measured& measured) {
  Verdicts verdicts = verdicts_on(measured, "rendezvous");
  const bool all_eager = verdicts.empty();
  if (all_eager) verdicts = verdicts_on(measured, "eager");
  const auto is_default = [](const OverlapVerdict* verdict) { return verdict->setting.empty(); };
  if (std::ranges::none_of(verdicts, is_default)) return "";
  const auto all_default = [&](auto&& holds) {
    return std::ranges::all_of(verdicts, [&](const OverlapVerdict* verdict) {
      return !is_default(verdict) || holds(*verdict);
    });
  };
  const bool moves = all_default([](const OverlapVerdict& verdict) { return verdict.progresses; });
  // One path on which messages certainly do not move decides.
  const bool undecided = !moves && all_default([](const OverlapVerdict& verdict) {
    return verdict.progresses || verdict.undecided;
  });
  const std::string text = fmt::format(
      "{}{} {} {}messages while the program computes", undecided ? "it is undecided whether " : "",
      mpi_name(measured), moves || undecided ? "moves" : "does not move", all_eager ? "" : "long ");
  if (moves) return text;
  if (undecided) {
    const auto first = std::ranges::find_if(verdicts, [&](const OverlapVerdict* verdict) {
      return is_default(verdict) && verdict->undecided;
    });
    return text + " (" + (*first)->reason + ")";
  }
  const std::vector<std::string> helping = settings_of(verdicts, true);
  if (!helping.empty()) return text + "; with " + alternatives(helping) + " it does";
  const std::vector<std::string> tried = settings_of(verdicts, false);
  return tried.empty() ? text : text + ", not even with " + alternatives(tried);
}

}  // namespace plait::machine
