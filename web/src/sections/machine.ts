// SPDX-License-Identifier: BSD-3-Clause
// The measurements of the machine: paths, several pairs at once, bandwidth and speed by cores.
import { has_pair_curves } from "../charts/messages";
import { make_bandwidth_chart, make_latency_chart } from "../charts/paths";
import { make_jacobi_chart, make_stream_chart } from "../charts/speed";
import { text_column } from "../columns";
import type { Measured, MultiPair, Path } from "../data/machine";
import type { Report } from "../data/report";
import { absent, h, section } from "../dom";
import type { Child } from "../dom";
import { bytes, count, microseconds, rate } from "../format";
import { make_table } from "../table";
import type { Column } from "../table";
import { make_messages } from "./messages";

function pairs_of(path: Path): string {
  const shown = path.pairs
    .slice(0, 3)
    .map((pair) => pair.join("\u2013"))
    .join(", ");
  const total = path.pairs_total ?? path.pairs.length;
  const more = total > Math.min(3, path.pairs.length) ? ` of ${count(total)}` : "";
  return `${shown}${path.pairs.length > 3 ? " \u2026" : ""}${more}`;
}

function latency_of(path: Path): number | null {
  return path.pingpong[0]?.us.median ?? null;
}

function best_bandwidth(path: Path): number | null {
  const values = path.pingpong.map((point) => point.gbs ?? 0);
  return values.length === 0 ? null : Math.max(...values);
}

function make_path_table(paths: readonly Path[]): Child {
  return make_table<Path>({
    caption: "Communication paths of the machine",
    row_noun: "path",
    rows: paths,
    columns: [
      text_column("Path", (path) => path.name),
      { title: "Pairs of cores", key: (path) => path.pairs_total, cell: pairs_of },
      {
        title: "Smallest message, MPI",
        key: latency_of,
        numeric: true,
        cell: (path) => microseconds(latency_of(path)),
        help: "Median half round trip of the smallest message",
      },
      {
        title: "Cache line, without MPI",
        key: (path) => path.line_us?.median ?? null,
        numeric: true,
        cell: (path) => microseconds(path.line_us?.median ?? null),
        help: "One way between the same cores: the bound",
      },
      {
        title: "Best bandwidth, MPI",
        key: best_bandwidth,
        numeric: true,
        cell: (path) => rate(best_bandwidth(path), "GB/s"),
      },
    ],
  });
}

function make_multi_pair(paths: readonly Path[]): Child {
  interface Row {
    path: string;
    bytes: number;
    way: string;
    items: readonly MultiPair[];
  }
  const rows_of = (path: Path, way: string, items: readonly MultiPair[]): Row[] =>
    [...new Set(items.map((item) => item.bytes))].map((size) => ({
      path: path.name,
      way,
      bytes: size,
      items: items.filter((item) => item.bytes === size),
    }));
  const rows = paths.flatMap((path) => [
    ...rows_of(path, "MPI", path.multi_pair),
    ...rows_of(path, "copy without MPI", path.bare_multi_pair),
  ]);
  if (rows.every((row) => row.items.every((item) => item.pairs < 2))) return null;
  const pairs = [...new Set(rows.flatMap((row) => row.items.map((item) => item.pairs)))].sort(
    (a, b) => a - b,
  );
  const median = (row: Row, n: number): number | null =>
    row.items.find((item) => item.pairs === n)?.gbs.median ?? null;
  return [
    h("h3", {}, "Several pairs at once"),
    h("p", { class: "lead" }, "Total bandwidth of all pairs, median."),
    make_table<Row>({
      caption: "Bandwidth of several pairs at once",
      row_noun: "measurement",
      rows,
      columns: [
        { title: "Path", key: (row) => row.path, cell: (row) => row.path },
        { title: "Method", key: (row) => row.way, cell: (row) => row.way },
        { title: "Size", key: (row) => row.bytes, cell: (row) => bytes(row.bytes), numeric: true },
        ...pairs.map((n): Column<Row> => ({
          title: n === 1 ? "1 pair" : `${n} pairs`,
          numeric: true,
          key: (row) => median(row, n),
          cell: (row) => rate(median(row, n), "GB/s"),
        })),
      ],
    }),
  ];
}

function make_measured(measured: Measured): Child {
  const paths = measured.paths.filter((path) => path.pingpong.length > 0 || path.memcpy.length > 0);
  return [
    measured.sentinel_changed
      ? h(
          "div",
          { class: "warning", role: "note" },
          h("strong", {}, "The machine's speed changed during the measurement. "),
          "Results from before and after are not comparable; measure again on an idle machine.",
        )
      : null,
    measured.messages.headline === ""
      ? null
      : h("p", {}, h("strong", {}, `${measured.messages.headline}.`)),
    h(
      "p",
      { class: "lead" },
      measured.source !== ""
        ? `Not measured by Plait. Source: ${measured.source}.`
        : (measured.quick ? "Quick measurement" : "Measured") +
            `${measured.mpi_library === "" ? "" : ` with ${measured.mpi_library.split(",")[0]}`}` +
            ". Medians, each with its bound.",
    ),
    paths.length === 0
      ? absent("No communication path was measured.")
      : [
          make_path_table(paths),
          h("div", { class: "chart-pair" }, make_latency_chart(paths), make_bandwidth_chart(paths)),
        ],
    make_multi_pair(
      measured.paths.map((path) => (has_pair_curves(path) ? { ...path, multi_pair: [] } : path)),
    ),
    make_messages(measured),
    measured.stream.length + measured.jacobi.length === 0
      ? absent("Memory bandwidth and the speed of the Jacobi kernel were not measured.")
      : h(
          "div",
          { class: "chart-pair" },
          measured.stream.length === 0 ? null : make_stream_chart(measured.stream),
          measured.jacobi.length === 0 ? null : make_jacobi_chart(measured.jacobi),
        ),
  ];
}

export function make_machine({ machine, machine_problem }: Report): HTMLElement {
  const reason =
    machine_problem ??
    (machine === null
      ? "The run has no machine file"
      : "The machine file contains only the topology");
  const measured = machine?.measured ?? null;
  return section(
    "machine",
    "The machine",
    measured === null
      ? absent(`${reason}. To measure paths, memory bandwidth and speed, run plait measure.`)
      : make_measured(measured),
  );
}
