// SPDX-License-Identifier: BSD-3-Clause
// The limits of the report: what is missing or uncertain. Its provenance.
import { efficiency_names } from "../data/profile";
import type { Profile } from "../data/profile";
import type { Report } from "../data/report";
import { definitions, h, section } from "../dom";
import type { Child } from "../dom";
import { count, duration, percent, plural, significant, time } from "../format";
import { show_date, summarise } from "./header";
import { known_efficiency } from "./overview";

function list_efficiencies(report: Report, kind: string): string {
  return efficiency_names
    .filter((name) => known_efficiency(report, name).kind === kind)
    .map((name) => name.replace("_", " "))
    .join(", ");
}

/** Each gap as a title and a sentence. */
function gaps(report: Report): [string, Child][] {
  const { profile, machine, machine_problem, analysis, timeline } = report;
  const found: [string, Child][] = [];
  const add = (title: string, text: Child): void => void found.push([title, text]);
  const absent_ranks = profile.world_size - profile.ranks_recorded;
  if (profile.missing.length > 0 || absent_ranks > 0) {
    add(
      "Missing",
      profile.missing.length > 0
        ? profile.missing.map((line) => h("div", {}, line))
        : `${plural(absent_ranks, "rank")} of ${count(profile.world_size)} left no record.`,
    );
  }
  for (const note of profile.notes) add("Note", note);
  const unseen = profile.overhead.unseen_entry_points;
  if (unseen.length > 0) {
    add("Functions not recorded", [
      "The program uses MPI functions that Plait does not record: ",
      h("code", {}, summarise(unseen, 40)),
      ". Their time counts as computation.",
    ]);
  }
  if (profile.overhead.lost_records > 0) {
    add(
      "Lost records",
      `${plural(profile.overhead.lost_records, "record")} did not fit, ` +
        "so sums by call site, peer or size are too low.",
    );
  }
  const bounds = list_efficiencies(report, "lower bound");
  if (bounds !== "") add("Lower bounds", `${bounds}: without a trace only a bound is known.`);
  const unmeasured = list_efficiencies(report, "not measured");
  if (unmeasured !== "") add("Not measured", `efficiency of ${unmeasured}.`);
  if (profile.openmp.measured === null && profile.openmp.used) {
    add(
      "OpenMP",
      `${profile.openmp.runtime || profile.omp_runtime || "The OpenMP runtime"} could not be ` +
        "observed, so the idle time of its threads counts as computation.",
    );
  }
  if (profile.ranks.length > 0 && profile.ranks.every((rank) => rank.cpu_wait_s === null)) {
    add("Waiting for a CPU", "not measured on this system.");
  }
  if (profile.matrix.left_out > 0) {
    add(
      "Matrix",
      `${count(profile.matrix.left_out)} pairs of ranks with the fewest bytes were left out.`,
    );
  }
  if (machine_problem !== null) add("Machine", `${machine_problem}.`);
  else if (machine === null)
    add("Machine", "no machine file, so neither topology nor measured paths are known.");
  else if (machine.measured === null)
    add("Machine", "its topology is known, but its speed was not measured.");
  else if (machine.measured.sentinel_changed)
    add("Machine", "its speed changed during the measurement.");
  for (const note of analysis?.notes ?? []) add("Trace", note);
  if (timeline !== null && !timeline.knows_waiting) {
    add("Waiting", "the timeline does not distinguish waiting from communication.");
  }
  if (timeline === null && analysis === null) {
    add(
      "Order of events",
      "A profile contains sums, not events. plait run --trace also records when each call " +
        "happened and who waited for whom.",
    );
  }
  return found;
}

function overhead_sentence(profile: Profile): string {
  const { ns_per_call, calls, total_s, fraction, lost_records } = profile.overhead;
  if (ns_per_call === null) return "Plait's overhead was not measured in this run.";
  const sum =
    total_s === null
      ? ""
      : `, ${time(total_s)} in total${calls === null ? "" : ` for ${plural(calls, "call")}`}`;
  const share = fraction === null ? "" : `, ${percent(fraction)} of the time of all ranks`;
  const lost = lost_records === 0 ? " No record was lost." : "";
  return `Plait's overhead: ${significant(ns_per_call)} ns per call${sum}${share}.${lost}`;
}

export function make_limits(report: Report): HTMLElement {
  return section(
    "limits",
    "Limits of this report",
    definitions({ class: "gaps" }, gaps(report)),
    h("p", { class: "lead", id: "overhead" }, overhead_sentence(report.profile)),
  );
}

export function make_provenance({ profile, machine }: Report): HTMLElement {
  const launcher = [profile.launcher_kind, profile.launcher_version]
    .filter((x) => x !== "")
    .join(" ");
  const rows: [string, string][] = [
    ["Plait", profile.plait_version],
    ["Profile", `plait-profile, version 1, ${show_date(profile.created)}`],
    [
      "MPI",
      [profile.mpi_library, profile.mpi_abi === "" ? "" : `${profile.mpi_abi} ABI`]
        .filter((x) => x !== "")
        .join(", "),
    ],
    ["Launcher", [launcher, profile.launcher_path].filter((x) => x !== "").join(", ")],
    ["Thread level", profile.thread_level],
    ["OpenMP runtime", profile.omp_runtime],
    ["Processor", profile.cpu_model || machine?.cpu_model || ""],
    ["System", machine?.os ?? ""],
    [
      "Machine file",
      machine === null
        ? "none"
        : [
            profile.machine_file,
            machine.origin,
            machine.host,
            show_date(machine.created),
            machine.plait_version === "" ? "" : `plait ${machine.plait_version}`,
          ]
            .filter((x) => x !== "")
            .join(", "),
    ],
    ["Allowed CPUs", machine === null ? "" : allowed(machine.topology)],
    ["Source of figures", machine?.measured?.source ?? ""],
    [
      "Measurement",
      machine?.measured === null || machine === null || machine.measured.source !== ""
        ? ""
        : `${machine.measured.quick ? "quick" : "full"}, ${duration(machine.measured.duration_s)}` +
          (machine.measured.sentinel_spread === null
            ? ""
            : `, sentinel spread ${percent(machine.measured.sentinel_spread)}`),
    ],
    ["Notes", machine?.notes.join(" ") ?? ""],
    ["Charts", "Apache ECharts, Apache License 2.0; its notice is at the end of this file"],
  ];
  return section(
    "provenance",
    "Provenance",
    definitions({ class: "gaps" }, rows),
  );
}

function allowed(topology: {
  allowed_pus: string;
  allowed_cores: number | null;
  cgroup_quota_cores: number | null;
}): string {
  const quota = topology.cgroup_quota_cores;
  return [
    topology.allowed_pus === "" ? "" : `cpus ${topology.allowed_pus}`,
    topology.allowed_cores === null ? "" : plural(topology.allowed_cores, "core"),
    quota === null ? "" : `cgroup quota of ${significant(quota)} cores`,
  ]
    .filter((x) => x !== "")
    .join(", ");
}
