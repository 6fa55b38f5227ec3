// SPDX-License-Identifier: BSD-3-Clause
// MPI calls, call sites, communicators and classes of peers, as sortable tables.
import type { Call, Communicator, Frame, PeerClass, Profile, Site } from "../data/profile";
import { absent, h, section } from "../dom";
import type { Child } from "../dom";
import { bytes, count, no_value, percent, time } from "../format";
import { make_table } from "../table";
import type { Column } from "../table";

const no_calls = "The program made no MPI call that Plait saw.";

interface Traffic {
  count: number;
  bytes: number;
  time_s: number;
}

function count_column<Row>(value: (row: Row) => number, title = "Count"): Column<Row> {
  return { title, key: value, cell: (row) => count(value(row)), numeric: true };
}

function bytes_column<Row extends { bytes: number }>(): Column<Row> {
  return {
    title: "Bytes",
    key: (row) => row.bytes,
    numeric: true,
    cell: (row) => h("span", { title: `${count(row.bytes)} B` }, bytes(row.bytes)),
  };
}

function time_column<Row>(
  title: string,
  value: (row: Row) => number | null,
  help?: string,
): Column<Row> {
  return {
    title,
    key: value,
    cell: (row) => time(value(row)),
    numeric: true,
    ...(help === undefined ? {} : { help }),
  };
}

/** Calls that start or end MPI: a rank's time runs between them, so they have no share of it. */
function is_outside(call: string): boolean {
  return /^MPI_(Init|Init_thread|Finalize|Session_init|Session_finalize)$/.test(call);
}

function inside_time<Row extends { time_s: number }>(
  rows: readonly Row[],
  call: (row: Row) => string,
): number {
  return rows.reduce((sum, row) => sum + (is_outside(call(row)) ? 0 : row.time_s), 0);
}

/** The share of `whole`, with a bar when asked; none for calls that start or end MPI. */
function share_column<Row extends { time_s: number }>(
  title: string,
  whole: number,
  call: (row: Row) => string,
  help: string,
  with_bar: boolean,
): Column<Row> {
  const share = (row: Row): number | null =>
    whole > 0 && !is_outside(call(row)) ? row.time_s / whole : null;
  return {
    title,
    key: share,
    cell: (row) => percent(share(row)),
    numeric: true,
    help,
    ...(with_bar ? { bar: (row: Row) => share(row) ?? 0 } : {}),
  };
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

/** file:line, else module and offset, as far as known. */
export function where_of(frame: Frame): string {
  const file = frame.file ?? "";
  if (file !== "")
    return `${file}${frame.line === null || frame.line === 0 ? "" : `:${frame.line}`}`;
  if (frame.module === null) return "";
  if (frame.module === "") return "";
  return `${frame.module.replace(/^.*\//, "")}${frame.offset === null ? "" : `+${frame.offset}`}`;
}

function name_of(frame: Frame | undefined): string {
  return frame === undefined || frame.func === "" ? "(unknown function)" : frame.func;
}

function make_site_cell(site: Site, communicator: string | undefined): Child {
  const [first, ...callers] = site.frames;
  const place = first === undefined ? "" : where_of(first);
  return h(
    "div",
    { class: "site" },
    h("code", { class: "function", title: name_of(first) }, without_parameters(name_of(first))),
    place === "" ? null : h("code", { class: "place" }, place),
    communicator === undefined || communicator === "MPI_COMM_WORLD"
      ? null
      : h("span", { class: "place" }, " on ", h("code", {}, communicator)),
    callers.length === 0
      ? null
      : h(
          "details",
          {},
          h("summary", {}, `called from ${without_parameters(name_of(callers[0]))}`),
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
  return profile.ranks.reduce((sum, rank) => sum + rank.wall_s, 0);
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
      "Times are summed over ranks. MPI_Init and MPI_Finalize lie before " +
        "and after the time of a rank, so they have no share of it.",
    ),
    make_table<Call>({
      caption: "MPI calls",
      row_noun: "call",
      rows: profile.calls,
      filter: (call) => call.name,
      sorted_by: 4,
      descending: true,
      columns: [
        { title: "Call", key: (call) => call.name, cell: (call) => h("code", {}, call.name) },
        count_column((call) => call.count),
        bytes_column(),
        time_column("Time", (call) => call.time_s),
        share_column("Of MPI", mpi, (call) => call.name, "Share of the time in MPI", true),
        share_column("Of all", wall, (call) => call.name, "Share of the time of all ranks", false),
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
          : "No call site was recorded, so calls cannot be told apart by where they were made.",
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
      "Where in the program MPI was called. Time is summed over ranks; " +
        "least and most are of one rank: a wide gap is waiting. Before is the time outside MPI " +
        "that led up to the call.",
    ),
    make_table<Site>({
      caption: "Call sites",
      row_noun: "call site",
      rows: profile.sites,
      filter: (site) => `${site_text(site)} ${names.get(site.communicator) ?? ""}`,
      sorted_by: 5,
      descending: true,
      columns: [
        { title: "Call", key: (site) => site.call, cell: (site) => h("code", {}, site.call) },
        {
          title: "Function, file:line",
          key: (site) => `${name_of(site.frames[0])} ${where_of(site.frames[0] ?? no_frame)}`,
          cell: (site) => make_site_cell(site, names.get(site.communicator)),
        },
        count_column((site) => site.count),
        bytes_column(),
        time_column("Time", (site) => site.time_s),
        share_column("Of MPI", mpi, (site) => site.call, "Share of the time in MPI", true),
        extreme_column(
          "Least",
          "Least time of a rank at this site",
          (site) => site.time_min_s,
          (site) => site.time_min_rank,
        ),
        extreme_column(
          "Most",
          "Most time of a rank at this site",
          (site) => site.time_max_s,
          (site) => site.time_max_rank,
        ),
        time_column(
          "Before",
          (site) => site.before_s,
          "Time outside MPI before these calls, summed over ranks",
        ),
        {
          title: "Ranks",
          key: (site) => site.ranks,
          cell: (site) => count(site.ranks),
          numeric: true,
        },
      ],
    }),
  );
}

const no_frame: Frame = { func: "", file: null, line: null, module: null, offset: null };

const class_names: Readonly<Record<string, string>> = {
  none: "No peer",
  self: "The rank itself",
  same_node: "Same node",
  remote: "Other node",
  any: "Any source",
  null: "MPI_PROC_NULL",
  collective: "All of a communicator",
};

export function make_peers(profile: Profile): Child {
  if (profile.peer_classes.length === 0) return null;
  const columns: Column<PeerClass & Traffic>[] = [
    {
      title: "Peer",
      key: (peers) => peers.name,
      cell: (peers) => class_names[peers.name] ?? peers.name.replace(/_/g, " "),
    },
    count_column((peers) => peers.count, "Calls"),
    bytes_column(),
    time_column("Time", (peers) => peers.time_s),
  ];
  return [
    h("h3", {}, "By distance of the peer"),
    make_table({
      caption: "Calls by distance of the peer",
      row_noun: "class",
      columns,
      rows: profile.peer_classes.map((peers) => ({ ...peers, time_s: peers.time_s ?? 0 })),
    }),
  ];
}

export function make_communicators(profile: Profile): Child {
  if (profile.communicators.length === 0) return null;
  const columns: Column<Communicator>[] = [
    { title: "Communicator", key: (item) => item.name, cell: (item) => h("code", {}, item.name) },
    {
      title: "Size",
      key: (item) => item.size,
      numeric: true,
      cell: (item) => (item.size === null ? no_value : count(item.size)),
    },
    count_column((item) => item.calls, "Calls"),
    bytes_column(),
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
