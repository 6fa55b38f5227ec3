// SPDX-License-Identifier: BSD-3-Clause
// A table for people with all that a stepper knows of its costs.
#include "solve/automatic/explain.hpp"

#include <fmt/format.h>

#include <string>

#include "text/counted.hpp"

namespace plait::solve {
namespace {

/// "8.73 ms", "20.1 us", "1.20 s": three digits and a unit.
std::string time_text(double s) {
  const auto digits = [](double value, const char* unit) {
    const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    return fmt::format("{:.{}f} {}", value, decimals, unit);
  };
  if (s >= 0.9995) return digits(s, "s");
  if (s >= 0.9995e-3) return digits(s * 1e3, "ms");
  return digits(s * 1e6, "us");
}

std::string bytes_text(double bytes) {
  if (bytes >= 1e6) return fmt::format("{:.2f} MB", bytes / 1e6);
  if (bytes >= 1e3) return fmt::format("{:.1f} kB", bytes / 1e3);
  return fmt::format("{:.0f} B", bytes);
}

/// Says if a thread spins or sleeps while it waits, and why.
std::string waiting_text(const NodeCores& node) {
  const std::string there =
      fmt::format("{} of {} on {}", counted(node.threads, "thread"), counted(node.ranks, "rank"),
                  counted(node.cores, "hardware thread"));
  const std::string quota =
      node.quota_cores > 0 ? fmt::format(", CPU time for {:.1f}", node.quota_cores) : "";
  return (node.team_fits ? "spins: " : "sleeps: ") + there + quota;
}

std::string costs_text(const Halo& halo, const NodeCores& node, const Calibrated& known) {
  const Int3& cells = halo.grid().cells();
  const StepCosts& costs = known.costs;
  const auto line = [](const std::string& what, double s, const std::string& remark) {
    return fmt::format("  {:<22}{:>9}   {}\n", what, time_text(s), remark);
  };
  std::string text = fmt::format(
      "Step of {}x{}x{} cells on {} with {}; times of the slowest rank\n", cells[0], cells[1],
      cells[2], counted(halo.grid().size(), "rank"), counted(known.threads, "thread"));
  text += line("computation", costs.compute_s, "all cells, all threads");
  if (costs.compute_less_one_s > 0) {
    text += line("", costs.compute_less_one_s, "all cells, one thread less");
  }
  text += line(
      "boundary", costs.boundary_s,
      fmt::format("{:.0f} of {:.0f} cells, one thread", known.boundary_cells, known.own_cells));
  text += line(
      "communication", costs.communicate_s,
      fmt::format("{} sent, {} transport", bytes_text(known.bytes), to_string(halo.transport())));
  text += line("CPU time", costs.communication_cpu_s, "of communication, without spinning");
  text += fmt::format("  {:<22}{:>7.0f} %   {}\n", "overlap by MPI alone", 100 * costs.progress,
                      "of communication, during computation");
  text += fmt::format("  {:<22}{}\n", "waiting for messages", waiting_text(node));
  return text;
}

std::string schedule_line(const ScheduleCost& cost, bool used) {
  std::string name = to_string(cost.schedule.kind);
  if (cost.schedule.communicator == Communicator::team_thread) name += ", team";
  if (cost.schedule.communicator == Communicator::extra_thread) name += ", extra";
  std::string line = fmt::format("{} {:<20}", used ? '*' : ' ', name);
  if (!cost.refused.empty()) return line + fmt::format("  cannot run: {}\n", cost.refused);
  line += cost.predicted_s > 0 ? fmt::format("{:>10}  {:>9} to {:>9}", time_text(cost.predicted_s),
                                             time_text(cost.low_s), time_text(cost.high_s))
                               : fmt::format("{:>10}  {:>23}", "-", "-");
  return line + fmt::format("  {:>10}\n", cost.measured_s > 0 ? time_text(cost.measured_s) : "-");
}

}  // namespace

std::string explain_text(const Halo& halo, const Agreed& agreed, const Automatic& known,
                         const Schedule& asked, const Schedule& in_use) {
  std::string text;
  if (known.calibrated()) text += costs_text(halo, agreed.node, *known.calibrated());
  text += fmt::format("  {:<20}{:>10}  {:>23}  {:>10}\n", "schedule", "predicted", "interval",
                      "measured");
  for (const ScheduleCost& cost : known.schedules()) {
    const bool used = cost.schedule.kind == in_use.kind &&
                      communicates_beside_team(cost.schedule, agreed.threads) ==
                          communicates_beside_team(in_use, agreed.threads);
    text += schedule_line(cost, used);
  }
  if (asked.kind != ScheduleKind::automatic) {
    return text + fmt::format("In use: {}, as requested\n", to_string(asked));
  }
  if (known.deciding()) {
    return text + fmt::format("In use: automatic\n  {}\n", known.doing());
  }
  return text + fmt::format("In use: {}\n  {}\n", to_string(in_use), known.reason());
}

}  // namespace plait::solve
