// SPDX-License-Identifier: BSD-3-Clause
// Counted events by region with what follows from them, memory over time, and files.
import { make_lines_chart } from "../charts/lines";
import type { Line } from "../charts/lines";
import { make_roofline_chart } from "../charts/roofline";
import { bytes_column, code_column, count_column, text_column, time_column } from "../columns";
import type { Profile } from "../data/profile";
import type {
  CountedRegion,
  DerivedFigure,
  FileUse,
  Io,
  IoSeries,
  Memory,
  RankMemory,
} from "../data/resources";
import type { Report } from "../data/report";
import { h, lines, section } from "../dom";
import type { Child } from "../dom";
import { bytes, count, percent, significant, time } from "../format";
import { make_table } from "../table";
import type { Column } from "../table";
import { event_columns, figure_columns } from "./counts";
import { has_timeline, make_show_button } from "./timeline";

const most_curves = 8;

const region_name = (region: string): string => region || "(whole run)";

function make_event_table({ counters }: Profile): HTMLElement {
  return make_table<CountedRegion>({
    caption: "Events by region",
    row_noun: "region",
    rows: counters.regions,
    filter: (row) => row.region,
    columns: [
      code_column("Region", (row) => region_name(row.region)),
      ...event_columns<CountedRegion>(counters.events.map(({ name }) => name)),
    ],
  });
}

function make_figure_table(figures: readonly DerivedFigure[]): Child {
  if (figures.length === 0) return null;
  return make_table<DerivedFigure>({
    caption: "Figures that follow, beside their bounds",
    row_noun: "figure",
    rows: figures,
    filter: (row) => `${row.region} ${row.name}`,
    columns: [
      code_column("Region", (row) => region_name(row.region)),
      ...figure_columns<DerivedFigure>(),
    ],
  });
}

/** Null without counters. */
export function make_counters(profile: Profile): HTMLElement | null {
  const { counters } = profile;
  if (counters.events.length === 0) return null;
  const notes = [
    ...counters.events
      .filter(({ problem }) => problem !== "")
      .map(({ name, problem }) => `${name}: ${problem}.`),
    ...counters.events
      .filter(({ counted, threads }) => threads > 0 && counted < 0.995)
      .map(
        ({ name, counted }) =>
          `${name} counted ${percent(counted)} of the time; the rest is estimated.`,
      ),
    ...counters.energy.map(
      ({ host, name, joules, watts }) =>
        `Energy of ${name} on ${host}, of all programs: ${significant(joules)} J, ` +
        `${significant(watts)} W.`,
    ),
    ...(counters.roofline.missing === "" ? [] : [counters.roofline.missing]),
    `${count(counters.readings)} readings at ${time(counters.reading_ns * 1e-9)} each, ` +
      `${percent(counters.overhead)} of the threads' time.`,
  ];
  return section(
    "counters",
    "Counted events",
    h("p", { class: "lead" }, "Sums over ranks and threads, between and inside MPI calls."),
    make_event_table(profile),
    make_figure_table(counters.derived),
    make_roofline_chart(counters.roofline),
    h("div", { class: "note" }, lines(notes)),
  );
}

/** The ranks with most memory. */
function memory_lines(memory: Memory): Line[] {
  const peaks = new Map(memory.ranks.map(({ rank, peak }) => [rank, peak]));
  const peak = (rank: number): number => peaks.get(rank) ?? 0;
  return memory.series
    .filter(({ points }) => points.length > 1)
    .sort((a, b) => peak(b.rank) - peak(a.rank))
    .slice(0, most_curves)
    .sort((a, b) => a.rank - b.rank)
    .map(({ rank, points }, colour) => ({
      name: `rank ${rank}`,
      points: points.map(([seconds, y]) => ({ x: seconds * 1e6, y, statistic: null })),
      colour,
      dashed: false,
      value_name: "Resident",
    }));
}

function make_memory_chart(memory: Memory): Child {
  const curves = memory_lines(memory);
  if (curves.length === 0) return null;
  return make_lines_chart({
    id: "memory",
    title: "Memory over time",
    caption:
      "Resident memory since MPI_Init" +
      (memory.series.length > curves.length ? ", of the ranks with most." : "."),
    x: { quantity: "us", name: "time since MPI_Init", log: false },
    y: { quantity: "bytes", name: "resident", log: false },
    lines: () => curves,
  });
}

const moved = (points: IoSeries["points"], column: 1 | 2): number =>
  points.reduce((sum, point) => sum + point[column], 0);

/** The ranks that read or wrote most. */
function moved_lines(io: Io, column: 1 | 2): Line[] {
  return io.series
    .map(({ rank, points }) => ({ rank, points, sum: moved(points, column) }))
    .filter(({ sum }) => sum > 0)
    .sort((a, b) => b.sum - a.sum)
    .slice(0, most_curves)
    .sort((a, b) => a.rank - b.rank)
    .map(({ rank, points }, colour) => ({
      name: `rank ${rank}`,
      points: points.map((point) => ({ x: point[0] * 1e6, y: point[column], statistic: null })),
      colour,
      dashed: false,
      value_name: column === 1 ? "Read" : "Written",
    }));
}

/** Null without bytes over time. */
function make_moved_chart(io: Io): Child {
  const columns = ([2, 1] as const).filter((column) => moved_lines(io, column).length > 0);
  if (columns.length === 0) return null;
  return make_lines_chart({
    id: "moved",
    title: "Files over time",
    caption:
      "Bytes that calls of the program moved since the point before, of the ranks with most. " +
      "The first point has what was moved before it.",
    x: { quantity: "us", name: "time since MPI_Init", log: false },
    y: { quantity: "bytes", name: "bytes", log: false },
    toggles: [
      {
        name: "direction",
        label: "Bytes",
        items: columns.map((column) => ({
          value: String(column),
          label: column === 1 ? "Read" : "Written",
        })),
      },
    ],
    lines: (state) => moved_lines(io, state["direction"] === "1" ? 1 : 2),
  });
}

/** Memory and files over time: where the timeline shows them, a way to it. */
function make_over_time(report: Report): Child {
  const { memory, io } = report.profile;
  if (!has_timeline(report)) {
    return h("div", { class: "chart-pair" }, make_memory_chart(memory), make_moved_chart(io));
  }
  return h(
    "p",
    { class: "note" },
    "Memory and files over time are below the rows of the timeline. ",
    make_show_button(report, "Show memory and files over time", { ranks: [] }),
  );
}

/** Null without figures. */
export function make_memory(report: Report): HTMLElement | null {
  const { memory } = report.profile;
  if (memory.ranks.length === 0) return null;
  const hosts = memory.hosts.map(
    ({ host, peak, limit, limit_name }) =>
      `${host}: at most ${bytes(peak)}` +
      (limit > 0 ? `, ${percent(peak / limit)} of ${bytes(limit)} of ${limit_name}.` : "."),
  );
  const heap: Column<RankMemory>[] = memory.heap
    ? [
        count_column("Allocations", (row) => row.allocations),
        bytes_column("Heap peak", (row) => row.heap_peak),
        bytes_column("Not freed", (row) => row.heap_live),
      ]
    : [];
  return section(
    "memory",
    "Memory",
    h("div", { class: "lead" }, lines(hosts)),
    make_over_time(report),
    make_table<RankMemory>({
      caption: "Memory and CPU time by rank",
      row_noun: "rank",
      rows: memory.ranks,
      filter: (row) => `${row.rank} ${row.host}`,
      columns: [
        count_column("Rank", (row) => row.rank),
        text_column("Host", (row) => row.host),
        bytes_column("Peak", (row) => row.peak),
        bytes_column("At the end", (row) => row.resident),
        time_column("User time", (row) => row.user_s, "CPU time in the program, of all threads"),
        time_column("System time", (row) => row.system_s, "CPU time in the kernel"),
        count_column("Page faults", (row) => row.minor_faults + row.major_faults),
        count_column("With disk access", (row) => row.major_faults),
        ...heap,
      ],
    }),
  );
}

const callers: Readonly<Record<string, string>> = {
  posix: "POSIX",
  stdio: "stdio",
  mpi: "MPI-IO",
  in_mpi: "in MPI",
};

/** Null unless calls for files were recorded. */
export function make_files({ io }: Profile): HTMLElement | null {
  if (!io.measured) return null;
  return section(
    "files",
    "Files",
    h("p", { class: "lead" }, "Calls of the program and of the MPI library, summed over ranks."),
    make_table<FileUse>({
      caption: "Files",
      row_noun: "file",
      rows: io.files,
      filter: (row) => row.path,
      sorted_by: 8,
      descending: true,
      columns: [
        code_column("File", (row) => row.path || "(other files)", "place"),
        text_column("By", (row) => callers[row.kind] ?? row.kind),
        count_column("Ranks", (row) => row.ranks),
        count_column("Reads", (row) => row.read.calls),
        bytes_column("Read", (row) => row.read.bytes),
        count_column("Writes", (row) => row.write.calls),
        bytes_column("Written", (row) => row.write.bytes),
        count_column("Open, stat ...", (row) => row.metadata.calls),
        time_column("Time", (row) => row.time_s),
      ],
    }),
  );
}
