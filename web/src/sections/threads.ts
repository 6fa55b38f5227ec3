// SPDX-License-Identifier: BSD-3-Clause
// Time by rank, OpenMP regions and threads, and the user's own regions.
import { make_ranks_chart } from "../charts/ranks";
import type { OpenmpRegion, OpenmpThread, Profile, Region } from "../data/profile";
import { absent, h, section } from "../dom";
import type { Child } from "../dom";
import { count, percent, plural, time } from "../format";
import { make_table } from "../table";
import { without_parameters } from "./calls";

export function make_ranks(profile: Profile): HTMLElement {
  const taken = profile.cpu_taken_fraction;
  return section(
    "ranks",
    "Time by rank",
    taken === null || profile.ranks.length === 0
      ? null
      : h(
          "p",
          { class: "lead" },
          `Others took ${percent(taken)} of the threads' time from this program.`,
        ),
    profile.ranks.length > 0
      ? make_ranks_chart(profile.ranks)
      : absent("No rank left a record, so there is no time to divide."),
  );
}

const ways: Readonly<Record<string, string>> = {
  gomp: "through GCC's libgomp entry points",
  ompt: "through the OpenMP tools interface (OMPT)",
};

function place_of(region: OpenmpRegion): string {
  if (region.file === null || region.file === "") return "";
  return `${region.file}${region.line === null ? "" : `:${region.line}`}`;
}

function busy_share(busy: number | null, idle: number | null): number | null {
  return busy === null || idle === null || busy + idle <= 0 ? null : busy / (busy + idle);
}

function make_region_table(regions: readonly OpenmpRegion[]): Child {
  return make_table<OpenmpRegion>({
    caption: "OpenMP parallel regions",
    row_noun: "region",
    rows: regions,
    sorted_by: 4,
    descending: true,
    filter: (region) => `${region.func} ${place_of(region)}`,
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
      {
        title: "File:line",
        key: place_of,
        cell: (region) => h("code", { class: "place" }, place_of(region)),
      },
      {
        title: "Count",
        key: (region) => region.count,
        cell: (region) => count(region.count),
        numeric: true,
      },
      {
        title: "Threads",
        key: (region) => region.threads,
        cell: (region) => count(region.threads),
        numeric: true,
      },
      {
        title: "Time",
        key: (region) => region.time_s,
        cell: (region) => time(region.time_s),
        numeric: true,
      },
      {
        title: "Busy",
        help: "Summed over threads",
        key: (region) => region.busy_s,
        cell: (region) => time(region.busy_s),
        numeric: true,
      },
      {
        title: "Idle",
        help: "Summed over threads",
        key: (region) => region.idle_s,
        cell: (region) => time(region.idle_s),
        numeric: true,
      },
      {
        title: "Busy share",
        key: (region) => busy_share(region.busy_s, region.idle_s),
        numeric: true,
        cell: (region) => percent(busy_share(region.busy_s, region.idle_s)),
        bar: (region) => busy_share(region.busy_s, region.idle_s) ?? 0,
      },
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
        {
          title: "Rank",
          key: (thread) => thread.rank,
          cell: (thread) => count(thread.rank),
          numeric: true,
        },
        {
          title: "Thread",
          key: (thread) => thread.thread,
          cell: (thread) => count(thread.thread),
          numeric: true,
        },
        {
          title: "Busy",
          key: (thread) => thread.busy_s,
          cell: (thread) => time(thread.busy_s),
          numeric: true,
        },
        {
          title: "Idle",
          key: (thread) => thread.idle_s,
          cell: (thread) => time(thread.idle_s),
          numeric: true,
        },
        {
          title: "Busy share",
          key: (thread) => busy_share(thread.busy_s, thread.idle_s),
          numeric: true,
          cell: (thread) => percent(busy_share(thread.busy_s, thread.idle_s)),
          bar: (thread) => busy_share(thread.busy_s, thread.idle_s) ?? 0,
        },
      ],
    }),
  );
}

export function make_openmp({ openmp, omp_runtime }: Profile): HTMLElement {
  const runtime = openmp.runtime || omp_runtime;
  if (openmp.measured === null) {
    return section(
      "openmp",
      "OpenMP",
      absent(
        !openmp.used
          ? "The program used no OpenMP."
          : `Not measured: Plait could not look into ${runtime || "the OpenMP runtime"}. ` +
              "That is no statement that its threads were busy.",
      ),
    );
  }
  const way = ways[openmp.measured] ?? openmp.measured;
  if (openmp.regions.length === 0) {
    return section("openmp", "OpenMP", absent(`No parallel region ran (looked at ${way}).`));
  }
  return section(
    "openmp",
    "OpenMP",
    h(
      "p",
      { class: "lead" },
      `Parallel regions of ${runtime || "the OpenMP runtime"}, measured ${way}. ` +
        "Time is of the master threads, busy and idle are of all threads.",
    ),
    make_region_table(openmp.regions),
    make_thread_table(openmp.threads),
  );
}

export function make_regions(profile: Profile): HTMLElement {
  if (profile.regions.length === 0) {
    return section(
      "regions",
      "Regions of the program",
      absent("The program marked no region (plait/region.h, its Fortran module, or MPI_Pcontrol)."),
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
        {
          title: "Region",
          key: (region) => region.name,
          cell: (region) => h("code", {}, region.name),
        },
        {
          title: "Count",
          key: (region) => region.count,
          cell: (region) => count(region.count),
          numeric: true,
        },
        {
          title: "Time",
          key: (region) => region.time_s,
          cell: (region) => time(region.time_s),
          numeric: true,
        },
        {
          title: "In MPI",
          key: (region) => region.mpi_s,
          cell: (region) => time(region.mpi_s),
          numeric: true,
        },
        {
          title: "MPI share",
          key: (region) => mpi_share(region),
          numeric: true,
          cell: (region) => percent(mpi_share(region)),
          bar: (region) => mpi_share(region) ?? 0,
        },
        {
          title: "Ranks",
          key: (region) => region.ranks,
          cell: (region) => count(region.ranks),
          numeric: true,
        },
      ],
    }),
  );
}

function mpi_share(region: Region): number | null {
  return region.mpi_s === null || region.time_s <= 0 ? null : region.mpi_s / region.time_s;
}
