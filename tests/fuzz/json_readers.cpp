// SPDX-License-Identifier: BSD-3-Clause
// JSON files: read, and used as the commands use them.
#include <algorithm>
#include <map>
#include <string>

#include "advise/tuned_settings.hpp"
#include "cluster/state.hpp"
#include "doctor/hazards.hpp"
#include "launcher/plan.hpp"
#include "launcher/plan_placement.hpp"
#include "launcher/slurm_allocation.hpp"
#include "machine/discover.hpp"
#include "machine/machine_file.hpp"
#include "machine/show.hpp"
#include "model/jacobi_inputs.hpp"
#include "placement/placement.hpp"
#include "plait/error.hpp"
#include "readers.hpp"
#include "remap/remap_file.hpp"
#include "replay/network.hpp"
#include "replay/network_text.hpp"
#include "replay/program.hpp"
#include "replay/replay.hpp"
#include "report/analysis_lines.hpp"
#include "report/compare.hpp"
#include "report/compare_output.hpp"
#include "report/map_lines.hpp"
#include "report/measured_scaling.hpp"
#include "report/page.hpp"
#include "report/run_file.hpp"
#include "report/terminal.hpp"
#include "run/quarantine.hpp"
#include "sweep/compare_sweeps.hpp"
#include "sweep/plan_lines.hpp"
#include "sweep/result_lines.hpp"
#include "sweep/sweep_csv.hpp"
#include "sweep/sweep_file.hpp"
#include "tune/tune_file.hpp"
#include "tune/tune_lines.hpp"

namespace plait::fuzz {
namespace {

using launcher::Launcher;
using launcher::LauncherKind;

/// Calls `work`, whose errors are about values that the file may have.
template <class Work>
void allow_errors(Work work) {
  try {
    work();
  } catch (const Error& error) {
    use(error.what());
  }
}

void replay_small(const replay::Network& network) {
  replay::HaloProgram halo;
  halo.parts[0] = halo.parts[1] = 2;
  halo.ranks_per_node = 2;
  halo.compute_s = 1e-3;
  halo.face_bytes[0] = halo.face_bytes[1] = 100'000;
  halo.iterations = 2;
  const auto program = replay::halo_program(halo);
  replay::replay_with_interval(*program, network);
}

}  // namespace

void read_machine(Bytes bytes) {
  const machine::MachineFile file = machine::load(write("machine.json", bytes));
  use(machine::show(file));
  use(nlohmann::json(file).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  allow_errors([&] {
    placement::Intent intent;
    intent.ranks = 4;
    placement::place_ranks(intent, file.topology, "4 ranks");
  });
  if (!file.measured) return;
  allow_errors([&] { replay_small(replay::machine_network(*file.measured, "fuzz")); });
  allow_errors([&] { model::jacobi_speed(*file.measured, "fuzz"); });
}

void read_plan(Bytes bytes) {
  const launcher::Plan plan = launcher::load_plan(write("plan.json", bytes));
  use(launcher::plan_text(plan));
  for (const LauncherKind kind : {LauncherKind::openmpi4, LauncherKind::openmpi5,
                                  LauncherKind::mpich, LauncherKind::intel, LauncherKind::slurm}) {
    const Launcher of{kind, "", "mpiexec", ""};
    allow_errors([&] { launcher::start_script(plan, of, {"./app"}); });
    allow_errors([&] {
      const auto command = launcher::parse_command(of, {"mpiexec", "-n", "4", "./app"});
      launcher::command_of(plan, command, folder());
    });
  }
  allow_errors([&] { launcher::slurm_script(plan, {"./app"}); });
  allow_errors([&] { launcher::on_allocation(plan, {"1", {{"n0", 4, 2}, {"n1", 4, 2}}}); });
}

void read_network(Bytes bytes) {
  const replay::Network network = replay::network_file(write("network.json", bytes));
  allow_errors([&] { replay_small(network); });
}

void read_profile(Bytes bytes) {
  const report::Profile profile = report::read_profile(write("profile.json", bytes));
  use(report::terminal_lines(profile, {}));
  use(report::script_json(report::profile_to_json(profile)));
  const report::Comparison compared =
      report::compare_runs({"a", {profile}, {}}, {"b", {profile, profile}, {}});
  use(report::comparison_lines(compared, {}));
}

void read_remap(Bytes bytes) {
  const auto remapping = remap::read_remap_file(write("remap/remap.json", bytes).parent_path());
  if (remapping) use(remap::remap_lines(*remapping));
}

void read_run_file(Bytes bytes) {
  write("run/run.json", bytes);
  use(report::read_run_file(folder() / "run").command);
  write("run/records/1.map", bytes);
  use(report::map_lines(report::read_map_decisions(folder() / "run")));
}

void read_analysis(Bytes bytes) {
  const std::filesystem::path file = write("analysis.json", bytes);
  convert_json(file, "", [&] {
    const nlohmann::json value = parse_json(text_of(bytes));
    use(report::analysis_lines(value, {}));
    return 0;
  });
}

void read_scaling(Bytes bytes) {
  const auto runs = report::read_jacobi_runs(write("jacobi.json", bytes));
  static const machine::MachineFile machine = machine::discover_synthetic("pack:2 core:4 pu:2");
  allow_errors([&] {
    const auto measured = report::measured_scaling(runs, machine, std::nullopt);
    use(report::measured_lines(measured));
    use(report::measured_to_json(measured).dump());
  });
}

void read_sweep(Bytes bytes) {
  const std::filesystem::path file = write("sweep/sweep.json", bytes);
  const sweep::Sweep one = sweep::load_sweep(file.parent_path());
  const sweep::SweepResult result = sweep::result_of(one);
  for (const std::string& line : sweep::plan_lines(one)) use(line);
  for (const std::string& line : sweep::result_lines(one, result, "sweep")) use(line);
  use(sweep::sweep_to_csv(one, result));
  use(sweep::sweep_to_json(one).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  allow_errors([&] { sweep::compare_sweeps("a", one, "b", one); });
}

void read_tune(Bytes bytes) {
  const std::filesystem::path file = write("tune/tune.json", bytes);
  tune::Tuning one = tune::load_tuning(file.parent_path());
  for (const std::string& line : tune::candidate_lines(one)) use(line);
  for (const std::string& line : tune::result_lines(one, "tune", {})) use(line);
  tune::Registry registry;
  registry.launcher = one.launcher;
  use(launcher::plan_text(tune::chosen_plan(one, registry)));
  use(tune::tune_to_json(one).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  tune::next_pair(one.search);
}

void read_tuned(Bytes bytes) {
  const std::filesystem::path file = write("tuned/tuned.json", bytes);
  const advise::TunedSettings one = advise::load_settings(file.parent_path());
  use(advise::job_text(one.made_for));
  advise::settings_for(one.made_for, {one});
}

void read_quarantine(Bytes bytes) {
  write("quarantine/0123abcd.json", bytes);
  const auto all = run::quarantined(folder() / "quarantine");
  for (const run::Quarantined& entry : all) use(run::quarantine_sentence(entry));
  run::quarantined_in(all, {LauncherKind::openmpi4, "4.1.4", "mpiexec", ""}, {"--mca btl self"});
}

void read_cluster(Bytes bytes) {
  write("cluster/cluster.json", bytes);
  const cluster::Cluster one = cluster::load(folder() / "cluster");
  use(cluster::to_document({one}).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void read_hazards(Bytes bytes) {
  const auto all = doctor::load_hazards(write("hazards.json", bytes));
  allow_errors([&] { doctor::hazards_of(all, {LauncherKind::openmpi4, "4.1.4", "mpiexec", ""}); });
}

}  // namespace plait::fuzz
