// SPDX-License-Identifier: BSD-3-Clause
// A table for people with all that a stepper knows of its costs.
#include "solve/automatic/explain.hpp"

#include <fmt/format.h>

#include <string>

#include "text/counted.hpp"
#include "text/extents.hpp"
#include "text/interval.hpp"
#include "text/table.hpp"
#include "text/units.hpp"
#include "text/wrap.hpp"

namespace plait::solve {
namespace {

/// Says if a thread spins or sleeps while it waits, and why.
std::string waiting_text(const NodeCores& node) {
  const std::string there =
      fmt::format("{} of {} on {}", counted(node.threads, "thread"), counted(node.ranks, "rank"),
                  counted(node.cores, "hardware thread"));
  std::string quota;
  if (node.quota_cores > 0) {
    quota = ", CPU time for " + format_number(node.quota_cores, Zeros::dropped);
  }
  return (node.team_fits ? "spins: " : "sleeps: ") + there + quota;
}

std::string costs_text(const Halo& halo, const NodeCores& node, const Calibrated& known) {
  const Int3& cells = halo.grid().cells();
  const StepCosts& costs = known.costs;
  Table table({text_column(""), number_column(""), text_column("")}, {2});
  table.add({"computation", format_seconds(costs.compute_s), "all cells, all threads"});
  if (costs.compute_less_one_s > 0) {
    table.add({"", format_seconds(costs.compute_less_one_s), "all cells, one thread less"});
  }
  table.add(
      {"boundary", format_seconds(costs.boundary_s),
       fmt::format("{:.0f} of {:.0f} cells, one thread", known.boundary_cells, known.own_cells)});
  table.add({"communication", format_seconds(costs.communicate_s),
             fmt::format("{} sent, {} transport", format_bytes(known.bytes),
                         to_string(halo.transport()))});
  table.add({"CPU time", format_seconds(costs.communication_cpu_s),
             "of communication, without spinning"});
  table.add({"overlap by MPI alone", format_percent(costs.progress),
             "of communication, during computation"});
  return fmt::format("Step of {} cells on {} with {}; times of the slowest rank\n{}{}",
                     format_extents(cells), counted(halo.grid().size(), "rank"),
                     counted(known.threads, "thread"), table.text(),
                     joined_lines(wrap_beside("  waiting for messages  ", waiting_text(node))));
}

void add_schedule(const ScheduleCost& cost, bool used, Table& table) {
  const bool predicted = cost.predicted_s > 0;
  table.add({used ? "*" : "", short_name(cost.schedule),
             predicted ? format_seconds(cost.predicted_s) : "-",
             predicted ? format_range(cost.low_s, cost.high_s, format_seconds, Ends::close) : "-",
             cost.measured_s > 0 ? format_seconds(cost.measured_s) : "-"});
}

}  // namespace

std::string short_name(const Schedule& schedule) {
  std::string name = to_string(schedule.kind);
  if (schedule.communicator == Communicator::team_thread) name += ", team";
  if (schedule.communicator == Communicator::extra_thread) name += ", extra";
  return name;
}

std::string explain_text(const Halo& halo, const Agreed& agreed, const Automatic& known,
                         const Schedule& asked, const Schedule& in_use) {
  std::string text;
  if (known.calibrated()) text += costs_text(halo, agreed.node, *known.calibrated());
  std::string refused;
  Table table({text_column(""), text_column("schedule"), number_column("predicted"),
               number_column("interval"), number_column("measured")});
  for (const ScheduleCost& cost : known.schedules()) {
    const bool used = cost.schedule.kind == in_use.kind &&
                      communicates_beside_team(cost.schedule, agreed.threads) ==
                          communicates_beside_team(in_use, agreed.threads);
    if (cost.refused.empty()) {
      add_schedule(cost, used, table);
    } else {
      refused += joined_lines(
          wrap_beside("   " + short_name(cost.schedule) + " cannot run: ", cost.refused));
    }
  }
  text += table.text() + refused;
  if (asked.kind != ScheduleKind::automatic) {
    return text + fmt::format("In use: {}, as requested\n", to_string(asked));
  }
  if (known.deciding()) {
    return text + fmt::format("In use: automatic\n  {}\n", known.doing());
  }
  return text + fmt::format("In use: {}\n  {}\n", to_string(in_use), known.reason());
}

}  // namespace plait::solve
