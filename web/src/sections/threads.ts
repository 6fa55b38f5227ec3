// SPDX-License-Identifier: BSD-3-Clause
// Time by rank, OpenMP regions and threads, and the regions that the program marked.
import { make_ranks_chart } from "../charts/ranks";
import { bar_column, code_column, count_column, time_column } from "../columns";
import type { OpenmpRegion, OpenmpThread } from "../data/openmp";
import type { Part, Profile, RankGroup, Region, Spread } from "../data/profile";
import { absent, h, section } from "../dom";
import type { Child } from "../dom";
import { percent, plural, time } from "../format";
import { make_table } from "../table";
import type { Column } from "../table";
import { file_and_line, without_parameters } from "./calls";

const most_listed = 48;

/** "rank 17", "0-16,18-63"; long lists are cut, and whole in the tooltip. */
function ranks_cell({ ranks, count: members }: RankGroup | Part): Child {
  if (members === 1) return `rank ${ranks}`;
  const listed = ranks.length > most_listed ? `${ranks.slice(0, most_listed)}\u2026` : ranks;
  return h("span", { title: ranks }, listed);
}

/** The least and the largest value. */
function spread_column(title: string, of: (group: RankGroup) => Spread): Column<RankGroup> {
  return {
    ...time_column<RankGroup>(title, (group) => of(group).median, "Median of the group"),
    cell: (group) => {
      const { min, median, max } = of(group);
      const range = `${time(min)} to ${time(max)}`;
      return h("span", { title: range }, time(median), max > min ? ` (${range})` : "");
    },
  };
}

/** Groups of ranks that spend their time alike; nothing if all do, or there are few ranks. */
function make_groups(groups: readonly RankGroup[]): Child {
  if (groups.length < 2) return null;
  return [
    h("h3", {}, "Groups of ranks that behave alike"),
    make_table<RankGroup>({
      caption: "Groups of ranks",
      row_noun: "group",
      rows: groups,
      columns: [
        { title: "Ranks", key: (group) => Number.parseInt(group.ranks, 10), cell: ranks_cell },
        count_column("Members", (group) => group.count),
        {
          title: "Typical rank",
          help: "With the median computation",
          key: (group) => group.typical_rank,
          cell: (group) => group.typical_rank.toFixed(0),
          numeric: true,
        },
        spread_column("Computation", (group) => group.compute),
        spread_column("MPI", (group) => group.mpi),
        ...(groups.some((group) => group.omp_idle.max > 0)
          ? [spread_column("OpenMP idle", (group) => group.omp_idle)]
          : []),
        ...(groups.some((group) => group.cpu_wait.max > 0)
          ? [spread_column("Waiting for a CPU", (group) => group.cpu_wait)]
          : []),
      ],
    }),
  ];
}

/** The parts of a heterogeneous job; nothing if all ranks run one program with as many threads. */
function make_parts(parts: readonly Part[]): Child {
  if (parts.length === 0) return null;
  const share = (title: string, of: (part: Part) => number): Column<Part> => ({
    title,
    help: "Of the time of the part's ranks",
    key: (part) => (part.wall_s > 0 ? of(part) / part.wall_s : 0),
    cell: (part) => (part.wall_s > 0 ? percent(of(part) / part.wall_s) : "-"),
    numeric: true,
  });
  return [
    h("h3", {}, "Parts of the job"),
    make_table<Part>({
      caption: "Parts of the job",
      row_noun: "part",
      rows: parts,
      columns: [
        code_column("Program", (part) => part.program),
        { title: "Ranks", key: (part) => Number.parseInt(part.ranks, 10), cell: ranks_cell },
        count_column("Number of ranks", (part) => part.count),
        {
          title: "Threads per rank",
          key: (part) => part.most_threads,
          cell: ({ least_threads: least, most_threads: most }) =>
            least < most ? `${least} to ${most}` : most.toFixed(0),
          numeric: true,
        },
        share("Computation", (part) => part.compute_s),
        share("Waiting for a CPU", (part) => part.cpu_wait_s),
        share("MPI", (part) => part.mpi_s),
        share("OpenMP idle", (part) => part.omp_idle_s),
      ],
    }),
  ];
}

export function make_ranks(profile: Profile): HTMLElement {
  const cpu_wait = profile.cpu_wait_fraction;
  return section(
    "ranks",
    "Time by rank",
    cpu_wait === null || profile.ranks.length === 0
      ? null
      : h(
          "p",
          { class: "lead" },
          `The program's threads waited ${percent(cpu_wait)} of their time for a CPU.`,
        ),
    profile.ranks.length > 0 ? make_ranks_chart(profile.ranks) : absent("No rank left a record."),
    make_parts(profile.parts),
    make_groups(profile.rank_groups),
  );
}

const ways: Readonly<Record<string, string>> = {
  gomp: "through GCC's libgomp entry points",
  ompt: "through the OpenMP tools interface (OMPT)",
};

function busy_share({ busy_s, idle_s }: OpenmpRegion | OpenmpThread): number | null {
  return busy_s === null || idle_s === null || busy_s + idle_s <= 0
    ? null
    : busy_s / (busy_s + idle_s);
}

function make_region_table(regions: readonly OpenmpRegion[]): Child {
  const place = (region: OpenmpRegion): string => file_and_line(region.file, region.line);
  return make_table<OpenmpRegion>({
    caption: "OpenMP parallel regions",
    row_noun: "region",
    rows: regions,
    sorted_by: 4,
    descending: true,
    filter: (region) => `${region.func} ${place(region)}`,
    columns: [
      {
        title: "Function",
        key: (region) => region.func,
        cell: (region) =>
          h(
            "code",
            { title: region.func },
            without_parameters(region.func) || "(unknown function)",
          ),
      },
      code_column("File:line", place, "place"),
      count_column("Count", (region) => region.count),
      count_column("Threads", (region) => region.threads),
      time_column("Time", (region) => region.time_s),
      time_column("Busy", (region) => region.busy_s, "Summed over threads"),
      time_column("Idle", (region) => region.idle_s, "Summed over threads"),
      bar_column("Busy share", busy_share),
    ],
  });
}

function make_thread_table(threads: readonly OpenmpThread[]): Child {
  if (threads.length === 0) return null;
  return h(
    "details",
    { class: "data" },
    h("summary", {}, `Data: ${plural(threads.length, "thread")}`),
    make_table<OpenmpThread>({
      caption: "OpenMP threads",
      row_noun: "thread",
      rows: threads,
      columns: [
        count_column("Rank", (thread) => thread.rank),
        count_column("Thread", (thread) => thread.thread),
        time_column("Busy", (thread) => thread.busy_s),
        time_column("Idle", (thread) => thread.idle_s),
        bar_column("Busy share", busy_share),
      ],
    }),
  );
}

export function make_openmp({ openmp, omp_runtime }: Profile): HTMLElement {
  const runtime = openmp.runtime || omp_runtime || "the OpenMP runtime";
  if (openmp.measured === null) {
    return section(
      "openmp",
      "OpenMP",
      absent(
        !openmp.used
          ? "The program did not use OpenMP."
          : `Not measured: Plait cannot observe ${runtime}. Its threads may have been idle.`,
      ),
    );
  }
  const way = ways[openmp.measured] ?? openmp.measured;
  if (openmp.regions.length === 0) {
    return section("openmp", "OpenMP", absent(`No parallel region ran (measured ${way}).`));
  }
  return section(
    "openmp",
    "OpenMP",
    h(
      "p",
      { class: "lead" },
      `Parallel regions of ${runtime}, measured ${way}. ` +
        "Time is that of the threads that start regions; busy and idle are summed " +
        "over all threads.",
    ),
    make_region_table(openmp.regions),
    make_thread_table(openmp.threads),
  );
}

function mpi_share(region: Region): number | null {
  return region.mpi_s === null || region.time_s <= 0 ? null : region.mpi_s / region.time_s;
}

export function make_regions(profile: Profile): HTMLElement {
  if (profile.regions.length === 0) {
    return section(
      "regions",
      "Regions of the program",
      absent(
        "The program marked no regions. To mark some, use plait/region.h, the Fortran module, " +
          "or MPI_Pcontrol.",
      ),
    );
  }
  return section(
    "regions",
    "Regions of the program",
    make_table<Region>({
      caption: "Regions that the program marked",
      row_noun: "region",
      rows: profile.regions,
      filter: (region) => region.name,
      sorted_by: 2,
      descending: true,
      columns: [
        code_column("Region", (region) => region.name),
        count_column("Count", (region) => region.count),
        time_column("Time", (region) => region.time_s),
        time_column("In MPI", (region) => region.mpi_s),
        bar_column("MPI share", mpi_share),
        count_column("Ranks", (region) => region.ranks),
      ],
    }),
  );
}
