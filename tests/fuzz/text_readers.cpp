// SPDX-License-Identifier: BSD-3-Clause
// Text that a person or another program writes: graphs, command lines, placements, allocations, and
// what a program prints.
#include <algorithm>
#include <array>

#include "base/mpi_library.hpp"
#include "base/quantity.hpp"
#include "hpl_dat.hpp"
#include "launcher/command_options.hpp"
#include "launcher/fix.hpp"
#include "launcher/launcher.hpp"
#include "launcher/plan_placement.hpp"
#include "launcher/slurm_allocation.hpp"
#include "machine/discover.hpp"
#include "mapping/communication_input.hpp"
#include "mapping/search/map_processes.hpp"
#include "matrix_market.hpp"
#include "matrix_rows.hpp"
#include "placement/intent.hpp"
#include "placement/placement.hpp"
#include "plait/error.hpp"
#include "readers.hpp"
#include "replay/layout_text.hpp"
#include "replay/network_text.hpp"
#include "report/missing.hpp"
#include "run/outcome.hpp"
#include "tune/registry.hpp"

namespace plait::fuzz {
namespace {

using launcher::LauncherKind;

constexpr std::array kKinds{LauncherKind::openmpi4, LauncherKind::openmpi5, LauncherKind::mpich,
                            LauncherKind::intel, LauncherKind::slurm};

/// Calls `work` on a text; it may refuse it.
template <class Work>
void try_text(Work work) {
  try {
    work();
  } catch (const Error& error) {
    use(error.what());
  }
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

/// The first byte chooses the library.
void read_parameters(Bytes bytes) {
  const std::size_t which = bytes.empty() ? 0 : static_cast<unsigned char>(bytes.front()) % 4;
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  constexpr std::array<const char*, 4> kVersions{"4.1.4", "5.0.11", "5.0.2", "2021.18"};
  const tune::LibraryParameters listed = which < 2    ? tune::parse_ompi_info(text)
                                         : which == 2 ? tune::parse_mpivars(text)
                                                      : tune::parse_impi_info(text);
  const tune::Registry registry = tune::make_registry(
      {kKinds.at(which), kVersions.at(which), "mpiexec", ""}, listed, "tool", {});
  for (const tune::Setting& setting : registry.settings) {
    use(tune::problem_of(registry, {{setting.variable, setting.value}}));
  }
}

/// The first byte chooses the format.
void read_graph(Bytes bytes) {
  if (bytes.empty()) return;
  constexpr std::array kNames{"a.graph", "a.mtx", "a.csv"};
  const auto file = write(kNames[bytes.front() % kNames.size()], bytes.subspan(1));
  mapping::GraphFile read = mapping::read_graph(file);
  const std::size_t processes = read.graph.first.size() - 1;
  constexpr std::size_t kFew = 16;  // the search has no input of its own
  if (processes > kFew) return;
  mapping::MappingRequest request;
  request.graph = std::move(read.graph);
  std::vector<int> nodes(processes);
  for (std::size_t i = 0; i < processes; ++i) nodes[i] = static_cast<int>(i / 4);
  request.slots = mapping::slots_on_nodes(nodes);
  mapping::map_processes(request);
}

void read_hpl_dat(Bytes bytes) {
  lu::read_hpl_dat(write("HPL.dat", bytes));
}

/// As ranks do, with one after the other.
void read_matrix_in_parts(const std::string& file) {
  constexpr int kParts = 3;
  const cg::MatrixHead head = cg::read_matrix_head(file);
  std::vector<cg::MatrixEntry> entries, transposed;
  for (int part = 0; part < kParts; ++part) {
    try {
      for (const auto& entry : cg::read_entries(file, head, part, kParts).entries) {
        entries.push_back(entry);
        transposed.push_back({entry.column, entry.row, entry.value});
      }
    } catch (const cg::LineError& error) {
      throw error.in(file);
    }
  }
  cg::check_number_of_entries(file, head, static_cast<std::int64_t>(entries.size()));
  const cg::MatrixRows rows = cg::rows_of(entries, 0, head.size);
  cg::check_rows(file, rows);
  if (!head.symmetric) cg::check_symmetry(file, rows, cg::rows_of(transposed, 0, head.size));
}

/// The first byte chooses a matrix or a vector of as many numbers as its value.
void read_matrix_market(Bytes bytes) {
  if (bytes.empty()) return;
  const auto file = write("a.mtx", bytes.subspan(1));
  if (bytes.front() == 'm') {
    read_matrix_in_parts(file);
  } else {
    cg::read_vector(file, bytes.front());
  }
}

/// Arguments in lines.
void read_command_line(Bytes bytes) {
  const std::vector<std::string> argv = lines_of(text_of(bytes));
  for (const LauncherKind kind : kKinds) {
    try_text([&] {
      const auto command = launcher::parse_command({kind, "", "mpiexec", ""}, argv);
      use(launcher::options_without(command, {"n", "np", "mca btl", "genv A"}));
      use(launcher::exporting_command(command, {{"A", "1"}, {"LD_PRELOAD", "/x.so"}}));
      launcher::Fix fix;
      fix.options = {"--bind-to", "core"};
      fix.environment = {"OMP_NUM_THREADS=2"};
      fix.drop = {"bind-to"};
      use(launcher::fixed_command(command, fix));
      launcher::Plan plan;
      plan.name = "plan";
      plan.threads = 2;
      plan.environment = {{"A", "1"}};
      use(launcher::command_of(plan, command, folder()).argv);
    });
    for (const std::string& argument : argv) {
      if (argument.starts_with('-')) launcher::option_length(kind, argument);
    }
  }
  use(launcher::identify_version_text("mpiexec", std::string(text_of(bytes))).version);
}

void read_placement(Bytes bytes) {
  const std::string text(text_of(bytes));
  static const machine::MachineFile machine =
      machine::discover_synthetic("pack:2 [numa] l3:2 core:4 pu:2");
  try_text([&] {
    const placement::Intent intent = placement::parse_intent(text);
    const placement::Placement placed = placement::place_ranks(intent, machine.topology, text);
    const std::vector<std::string> hosts(static_cast<std::size_t>(placed.nodes), "");
    launcher::plan_of(placed, intent, machine.topology, hosts);
  });
  try_text([&] { machine::CpuSet::parse(text); });
  try_text([&] { replay::parse_placement(text, 64); });
  try_text([&] { replay::parse_mapping(text, std::vector<std::uint32_t>(8, 0)); });
  try_text([&] { replay::parse_halo(text); });
  try_text([&] { replay::network_by_hand(text); });
  try_text([&] { parse_seconds(text); });
  try_text([&] { parse_bytes(text); });
  try_text([&] { parse_bytes_per_second(text); });
}

/// Slurm's variables in lines.
void read_allocation(Bytes bytes) {
  std::vector<std::string> lines = lines_of(text_of(bytes));
  lines.resize(4);
  try_text([&] {
    const auto allocation = launcher::slurm_allocation([&](const std::string& name) {
      return name == "SLURM_JOB_NODELIST"        ? lines[0]
             : name == "SLURM_JOB_CPUS_PER_NODE" ? lines[1]
             : name == "SLURM_TASKS_PER_NODE"    ? lines[2]
             : name == "SLURM_CPUS_PER_TASK"     ? lines[3]
                                                 : std::string("12");
    });
    if (allocation) use(launcher::allocation_text(*allocation));
  });
}

void read_output(Bytes bytes) {
  const std::string text(text_of(bytes));
  run::ProcessEnd end;
  end.exit_code = 139;
  use(run::outcome_sentence(run::judge_outcome(end, text, std::nullopt)));
  for (const report::RankSignal& one : report::signals_in(text)) use(std::to_string(one.signal));
  use(short_library(text));
}

}  // namespace plait::fuzz
