// SPDX-License-Identifier: BSD-3-Clause
// Placement of ranks and threads: the judgement, the drawing on the machine, the table.
import type { Topology } from "../data/machine";
import type { PlacedThread } from "../data/profile";
import type { Report } from "../data/report";
import { absent, choices, h, section } from "../dom";
import { plural, ranges } from "../format";
import { draw_placement, make_placement_key } from "../placement/drawing";
import { make_data_details } from "../table";
import { is_paper, on_theme_change, paper_width_px } from "../theme";

const phase_names: Readonly<Record<string, string>> = {
  init: "At MPI_Init",
  after_parallel: "After the first parallel region",
};
const most_button_text = 60;

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}

function make_host_choice(
  hosts: readonly string[],
  choose: (host: string) => void,
): HTMLElement | null {
  if (hosts.length < 2) return null;
  if (hosts.join("").length <= most_button_text) {
    return choices(
      "Host",
      hosts.map((host) => ({ value: host, label: host || "(host)" })),
      hosts[0] ?? "",
      choose,
    );
  }
  const select = h(
    "select",
    { "aria-label": "Host" },
    hosts.map((host) => h("option", { value: host }, host)),
  );
  select.addEventListener("change", () => choose(select.value));
  return select;
}

function make_drawing(topology: Topology, threads: readonly PlacedThread[]): HTMLElement {
  const hosts = unique(threads.map((thread) => thread.host));
  const phases = unique(threads.map((thread) => thread.phase));
  let host = hosts[0] ?? "";
  let phase = phases[phases.length - 1] ?? "";
  const frame = h("div", { class: "placement-frame" });
  const note = h("p", { class: "note" });

  function draw(): void {
    const width = is_paper() ? paper_width_px : frame.clientWidth;
    if (width === 0) return;
    const shown = threads.filter((thread) => thread.host === host && thread.phase === phase);
    const { drawing, unknown } = draw_placement(topology, shown, Math.max(width, 280));
    frame.replaceChildren(drawing);
    note.textContent =
      unknown === 0
        ? ""
        : `${plural(unknown, "thread")} on cores that are not in the machine file; see the table.`;
    note.hidden = unknown === 0;
  }

  let last_width = 0;
  new ResizeObserver(() => {
    if (frame.clientWidth === last_width || is_paper()) return;
    last_width = frame.clientWidth;
    draw();
  }).observe(frame);
  on_theme_change(draw);
  return h(
    "figure",
    { class: "chart-box", id: "chart-placement" },
    h(
      "div",
      { class: "chart-head" },
      h("h3", {}, "Ranks and threads on cores"),
      h(
        "div",
        { class: "chart-tools" },
        make_host_choice(hosts, (value) => {
          host = value;
          draw();
        }),
        phases.length < 2
          ? null
          : choices(
              "When",
              phases.map((value) => ({ value, label: phase_names[value] ?? value })),
              phase,
              (value) => {
                phase = value;
                draw();
              },
            ),
      ),
    ),
    make_placement_key(),
    frame,
    note,
    make_details(threads),
  );
}

function make_details(threads: readonly PlacedThread[]): HTMLElement {
  return make_data_details("placement", () => ({
    columns: ["Host", "Rank", "Thread", "Thread id", "CPUs", "Cores", "NUMA", "When"],
    rows: threads.map((thread) => [
      thread.host,
      String(thread.rank),
      String(thread.thread),
      thread.tid === null ? "" : String(thread.tid),
      thread.cpus,
      ranges(thread.cores),
      ranges(thread.numa),
      phase_names[thread.phase] ?? thread.phase,
    ]),
  }));
}

export function make_placement({ profile, machine, machine_problem }: Report): HTMLElement {
  const threads = profile.placed_threads;
  const judgement =
    profile.placement_judgement === ""
      ? null
      : h("p", { class: "judgement" }, profile.placement_judgement);
  if (threads.length === 0) {
    return section(
      "placement",
      "Placement",
      judgement,
      absent("The placement of ranks and threads was not recorded."),
    );
  }
  if (machine === null || machine.topology.cores.length === 0) {
    const reason = machine_problem ?? "the run has no machine file with a topology";
    return section(
      "placement",
      "Placement",
      judgement,
      absent(`No drawing: ${reason}. The table shows where threads were allowed to run.`),
      make_details(threads),
    );
  }
  return section("placement", "Placement", judgement, make_drawing(machine.topology, threads));
}
