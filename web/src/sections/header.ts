// SPDX-License-Identifier: BSD-3-Clause
// The bar at the top and the header: what ran, where, when, for how long, with which outcome.
import type { Comparison } from "../data/compare";
import type { Profile } from "../data/profile";
import type { Report } from "../data/report";
import { facts, h } from "../dom";
import type { Child } from "../dom";
import { count, duration, plural } from "../format";
import { make_theme_button } from "../theme";
import { make_code } from "./code";

/** Quotes a command line for a shell. */
export function quote_command(command: readonly string[]): string {
  return command
    .map((part) => (/^[\w@%+=:,./-]+$/.test(part) ? part : `'${part.replace(/'/g, "'\\''")}'`))
    .join(" ");
}

export function show_date(iso: string): string {
  const date = new Date(iso);
  if (iso === "" || Number.isNaN(date.getTime())) return iso;
  return `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function hosts_of(profile: Profile): string {
  const names = profile.hosts.map((host) => host.name);
  if (names.length === 0) return "unknown";
  if (names.length <= 3) {
    return profile.hosts
      .map((host) =>
        host.ranks === null ? host.name : `${host.name} (${plural(host.ranks, "rank")})`,
      )
      .join(", ");
  }
  const last = names[names.length - 1];
  return `${count(names.length)} hosts: ${names.slice(0, 2).join(", ")} \u2026 ${last}`;
}

function outcome(profile: Profile): Child {
  if (profile.signal !== null) {
    return h("span", { class: "bad" }, `killed by ${profile.signal}`);
  }
  if (profile.exit_code === null) return h("span", { class: "bad" }, "unknown");
  return h("span", { class: profile.exit_code === 0 ? "good" : "bad" }, String(profile.exit_code));
}

/** In the navigation, for titles that are long; other sections have their title there. */
const short_names: Readonly<Record<string, string>> = {
  compare: "What changed",
  efficiencies: "Efficiencies",
  waiting: "Waiting",
  imbalance: "Imbalance",
  patterns: "Patterns",
  ranks: "Ranks",
  calls: "Calls",
  sites: "Call sites",
  matrix: "Matrix",
  sizes: "Sizes",
  transfers: "Messages",
  openmp: "OpenMP",
  regions: "Regions",
  placement: "Placement",
  machine: "Machine",
  limits: "Limits",
  prediction: "Predicted",
  applied: "Runs",
};

/** The bar at the top: name, navigation, theme. */
export function make_top_bar(sections: readonly HTMLElement[]): HTMLElement {
  const links = sections
    .filter((section) => section.id !== "")
    .map((section) => {
      const title = section.querySelector("h2")?.textContent ?? section.id;
      return h("a", { href: `#${section.id}` }, short_names[section.id] ?? title);
    });
  return h(
    "div",
    { class: "top-bar" },
    h("a", { class: "brand", href: "#top" }, "Plait"),
    h("nav", { "aria-label": "Sections" }, links),
    make_theme_button(),
  );
}

function kind_of_page(compare: Comparison | null, is_traced: boolean): string {
  if (compare === null) return is_traced ? "Profile and trace of a run" : "Profile of a run";
  return `Comparison of A and B, with the profile of B${compare.b.runs > 1 ? "'s first run" : ""}`;
}

export function make_header({ profile, compare, analysis, timeline }: Report): HTMLElement {
  const is_traced = analysis !== null || timeline !== null;
  const rows: [string, Child][] = [
    ["Wall time", h("strong", {}, duration(profile.wall_s))],
    [profile.signal === null ? "Exit code" : "Outcome", outcome(profile)],
    [
      "Ranks",
      profile.world_size === 0
        ? "none"
        : profile.ranks_recorded < profile.world_size
          ? h(
              "span",
              { class: "bad" },
              `${count(profile.ranks_recorded)} of ${count(profile.world_size)} recorded`,
            )
          : count(profile.world_size),
    ],
    [profile.hosts.length === 1 ? "Host" : "Hosts", hosts_of(profile)],
    ["MPI", profile.mpi_library || "none found"],
    ["Date", show_date(profile.created)],
  ];
  return h(
    "header",
    { id: "top" },
    h("p", { class: "eyebrow" }, kind_of_page(compare, is_traced)),
    h("h1", { class: "unseen" }, compare === null ? "Plait report" : "Plait comparison"),
    make_code(quote_command(profile.command) || "(no command recorded)", "command", "command-line"),
    facts(rows),
    profile.complete
      ? null
      : h(
          "div",
          { class: "warning", role: "note" },
          h("strong", {}, "This profile is incomplete. "),
          profile.missing.length > 0
            ? h(
                "ul",
                {},
                profile.missing.slice(0, 6).map((line) => h("li", {}, line)),
                profile.missing.length > 6
                  ? h("li", {}, `and ${count(profile.missing.length - 6)} more, listed below`)
                  : null,
              )
            : "The program ended before all records were closed; the data until then are shown.",
        ),
  );
}

/** The first few of a list, and how many more there are. */
export function summarise(items: readonly string[], most = 6): string {
  const shown = items.slice(0, most).join(", ");
  return items.length > most ? `${shown} and ${count(items.length - most)} more` : shown;
}
