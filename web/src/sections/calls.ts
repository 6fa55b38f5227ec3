// SPDX-License-Identifier: BSD-3-Clause
// MPI calls, call sites, communicators and classes of peers, as sortable tables.
import {
  bar_column,
  bytes_column,
  code_column,
  count_column,
  share_column,
  text_column,
  time_column,
} from "../columns";
import type { Call, Communicator, Frame, PeerClass, Site } from "../data/calls";
import type { Profile, Rank } from "../data/profile";
import { absent, h, section } from "../dom";
import type { Child } from "../dom";
import { time } from "../format";
import { make_table } from "../table";
import type { Column } from "../table";

const no_calls = "Plait recorded no MPI calls.";

/** True for calls that start or end MPI: they are outside a rank's time and have no share. */
function is_outside(call: string): boolean {
  return /^MPI_(Init|Init_thread|Finalize|Session_init|Session_finalize)$/.test(call);
}

function inside_time<Row extends { time_s: number }>(
  rows: readonly Row[],
  call: (row: Row) => string,
): number {
  return rows.reduce((sum, row) => sum + (is_outside(call(row)) ? 0 : row.time_s), 0);
}

/** The share of `whole`; none for calls that start or end MPI. */
function share_of<Row extends { time_s: number }>(
  whole: number,
  call: (row: Row) => string,
): (row: Row) => number | null {
  return (row) => (whole > 0 && !is_outside(call(row)) ? row.time_s / whole : null);
}

/** A C++ name without its parameters: solve(int, Grid const&) is shown as solve. */
export function without_parameters(name: string): string {
  const end = name.replace(/( \[clone [^\]]*\])+$/, "").replace(/ const$/, "");
  if (!end.endsWith(")")) return name;
  let depth = 0;
  for (let at = end.length - 1; at > 0; at -= 1) {
    if (end[at] === ")") depth += 1;
    else if (end[at] === "(") depth -= 1;
    if (depth === 0) return end.slice(0, at);
  }
  return name;
}

/** "cg.c:120", "cg.c", or nothing. */
export function file_and_line(file: string | null, line: number | null): string {
  if (file === null || file === "") return "";
  return line === null || line === 0 ? file : `${file}:${line}`;
}

/** File and line, or else module and offset. */
function where_of({ file, line, module, offset }: Frame): string {
  if (file !== null && file !== "") return file_and_line(file, line);
  if (module === null || module === "") return "";
  return `${module.replace(/^.*\//, "")}${offset === null ? "" : `+${offset}`}`;
}

function name_of(frame: Frame | undefined): string {
  return frame === undefined || frame.func === "" ? "(unknown function)" : frame.func;
}

function short_name_of(frame: Frame | undefined): string {
  return frame === undefined || frame.name === "" ? name_of(frame) : frame.name;
}

function make_site_cell(site: Site, communicator: string | undefined): Child {
  const [first, ...callers] = site.frames;
  const place = first === undefined ? "" : where_of(first);
  const caller = site.caller === null ? undefined : site.frames[site.caller];
  return h(
    "div",
    { class: "site" },
    caller === undefined
      ? null
      : h(
          "code",
          { class: "caller", title: name_of(caller) },
          `${short_name_of(caller)} \u203a${site.caller === 1 ? "" : " \u2026 \u203a"}`,
        ),
    h("code", { class: "function", title: name_of(first) }, short_name_of(first)),
    place === "" ? null : h("code", { class: "place" }, place),
    communicator === undefined || communicator === "MPI_COMM_WORLD"
      ? null
      : h("span", { class: "place" }, " on ", h("code", {}, communicator)),
    callers.length === 0
      ? null
      : h(
          "details",
          {},
          h("summary", {}, `called from ${short_name_of(callers[0])}`),
          h(
            "ol",
            {},
            callers.map((frame) =>
              h(
                "li",
                {},
                h("code", {}, name_of(frame)),
                " ",
                h("code", { class: "place" }, where_of(frame)),
              ),
            ),
          ),
        ),
  );
}

/** The time of one rank at a site, and which rank that was. */
function extreme_column(
  title: string,
  help: string,
  value: (site: Site) => number | null,
  rank: (site: Site) => number | null,
): Column<Site> {
  return {
    title,
    help,
    key: value,
    numeric: true,
    cell: (site) => {
      const who = rank(site);
      return [
        time(value(site)),
        who === null || who < 0 ? null : h("div", { class: "place" }, `rank ${who}`),
      ];
    },
  };
}

function site_text(site: Site): string {
  return [site.call, ...site.frames.flatMap((frame) => [name_of(frame), where_of(frame)])].join(
    " ",
  );
}

function total_wall(profile: Profile): number {
  const wall = ({ wall_s, rank, last_rank }: Rank): number => wall_s * (last_rank - rank + 1);
  return profile.ranks.reduce((sum, row) => sum + wall(row), 0);
}

export function make_calls(profile: Profile): HTMLElement {
  if (profile.calls.length === 0) return section("calls", "MPI calls", absent(no_calls));
  const mpi = inside_time(profile.calls, (call) => call.name);
  const wall = total_wall(profile);
  return section(
    "calls",
    "MPI calls",
    h(
      "p",
      { class: "lead" },
      "Times are summed over ranks. MPI_Init and MPI_Finalize have no share, because a rank's " +
        "time starts after MPI_Init and ends before MPI_Finalize.",
    ),
    make_table<Call>({
      caption: "MPI calls",
      row_noun: "call",
      rows: profile.calls,
      filter: (call) => call.name,
      sorted_by: 4,
      descending: true,
      columns: [
        code_column("Call", (call) => call.name),
        count_column("Count", (call) => call.count),
        bytes_column("Bytes", (call) => call.bytes),
        time_column("Time", (call) => call.time_s),
        bar_column("Share of MPI", share_of(mpi, (call) => call.name), "Share of the time in MPI"),
        share_column("Share of all", share_of(wall, (call) => call.name),
          "Share of the ranks' time"),
        time_column("Mean", (call) => (call.count > 0 ? call.time_s / call.count : null)),
        time_column("Longest", (call) => call.max_s),
      ],
    }),
  );
}

export function make_sites(profile: Profile): HTMLElement {
  if (profile.sites.length === 0) {
    return section(
      "sites",
      "Call sites",
      absent(
        profile.calls.length === 0
          ? no_calls
          : "No call sites were recorded.",
      ),
    );
  }
  const names = new Map(profile.communicators.map((item) => [item.id, item.name]));
  const mpi = inside_time(profile.sites, (site) => site.call);
  return section(
    "sites",
    "Call sites",
    h(
      "p",
      { class: "lead" },
      "Where the program called MPI. Time is summed over ranks. Min and max are the times of " +
        "single ranks; a large difference means that ranks waited. Before is the time outside " +
        "MPI that precedes the call.",
    ),
    make_table<Site>({
      caption: "Call sites",
      row_noun: "call site",
      rows: profile.sites,
      filter: (site) => `${site_text(site)} ${names.get(site.communicator) ?? ""}`,
      sorted_by: 5,
      descending: true,
      columns: [
        code_column("Call", (site) => site.call),
        {
          title: "Function, file:line",
          key: (site) => `${name_of(site.frames[0])} ${where_of(site.frames[0] ?? no_frame)}`,
          cell: (site) => make_site_cell(site, names.get(site.communicator)),
        },
        count_column("Count", (site) => site.count),
        bytes_column("Bytes", (site) => site.bytes),
        time_column("Time", (site) => site.time_s),
        bar_column("Share of MPI", share_of(mpi, (site) => site.call), "Share of the time in MPI"),
        extreme_column(
          "Min",
          "The rank with the least time at this site",
          (site) => site.time_min_s,
          (site) => site.time_min_rank,
        ),
        extreme_column(
          "Max",
          "The rank with the most time at this site",
          (site) => site.time_max_s,
          (site) => site.time_max_rank,
        ),
        time_column(
          "Before",
          (site) => site.before_s,
          "Time outside MPI before these calls, summed over ranks",
        ),
        count_column("Ranks", (site) => site.ranks),
      ],
    }),
  );
}

const no_frame: Frame = { func: "", name: "", file: null, line: null, module: null, offset: null };

const class_names: Readonly<Record<string, string>> = {
  none: "No peer",
  self: "The rank itself",
  same_node: "Same node",
  remote: "Other node",
  any: "Any source",
  null: "MPI_PROC_NULL",
  collective: "Whole communicator",
};

export function make_peers(profile: Profile): Child {
  if (profile.peer_classes.length === 0) return null;
  const columns: Column<PeerClass>[] = [
    text_column("Peer", (peers) => class_names[peers.name] ?? peers.name.replace(/_/g, " ")),
    count_column("Calls", (peers) => peers.count),
    bytes_column("Bytes", (peers) => peers.bytes),
    time_column("Time", (peers) => peers.time_s),
  ];
  return [
    h("h3", {}, "By distance to the peer"),
    make_table({
      caption: "Calls by distance to the peer",
      row_noun: "class",
      columns,
      rows: profile.peer_classes,
    }),
  ];
}

export function make_communicators(profile: Profile): Child {
  if (profile.communicators.length === 0) return null;
  const columns: Column<Communicator>[] = [
    code_column("Communicator", (item) => item.name),
    count_column("Size", (item) => item.size),
    count_column("Calls", (item) => item.calls),
    bytes_column("Bytes", (item) => item.bytes),
    time_column("Time", (item) => item.time_s),
  ];
  return [
    h("h3", {}, "By communicator"),
    make_table({
      caption: "Communicators",
      row_noun: "communicator",
      columns,
      rows: profile.communicators,
      sorted_by: 4,
      descending: true,
      filter: (item) => item.name,
      first_rows: 8,
    }),
  ];
}
