// SPDX-License-Identifier: BSD-3-Clause
// The page of plait sweep: the point to use, curves over cores with fitted laws, tables.
import { make_lines_chart } from "../charts/lines";
import type { Line } from "../charts/lines";
import type { Sweep, SweepPoint } from "../data/sweep";
import { absent, h, lines, section } from "../dom";
import { bytes, count, no_value, percent, significant, time } from "../format";
import { make_table } from "../table";
import type { Column } from "../table";
import { make_code } from "./code";
import { quote_command, show_date } from "./header";

function value_text(sweep: Sweep, value: number | null): string {
  if (value === null) return no_value;
  if (sweep.unit === "s") return time(value);
  return sweep.unit === "" ? significant(value) : `${significant(value)} ${sweep.unit}`;
}

const or_none = (value: number | null): string =>
  value === null ? no_value : significant(value);

/** The best point of each number of cores, in a series. */
function best_by_cores(sweep: Sweep, series: number): SweepPoint[] {
  const best = new Map<number, SweepPoint>();
  for (const point of sweep.points) {
    if (point.series !== series || point.value === null || point.speedup === null) continue;
    const other = best.get(point.cores);
    if (other === undefined || (other.speedup ?? 0) < point.speedup) best.set(point.cores, point);
  }
  return [...best.values()].sort((a, b) => a.cores - b.cores);
}

function series_line(sweep: Sweep, index: number, y: (point: SweepPoint) => number): Line {
  return {
    name: sweep.series[index]?.name || "measured",
    points: best_by_cores(sweep, index).map((point) => ({
      x: point.cores,
      y: y(point),
      statistic: null,
    })),
    colour: index,
    dashed: false,
    value_name: "Median",
  };
}

function make_value_chart(sweep: Sweep): HTMLElement {
  const factor = sweep.unit === "s" ? 1e6 : 1;
  const all = sweep.series.flatMap(({ name, fits }, index): Line[] => [
    series_line(sweep, index, (point) => (point.value ?? 0) * factor),
    ...fits.map(
      ({ law, curve }, fit): Line => ({
        name: name === "" ? law : `${law} (${name})`,
        points: curve.map(([x, y]) => ({ x, y: y * factor, statistic: null })),
        colour: sweep.series.length + fit,
        dashed: true,
        value_name: "Fit",
      }),
    ),
  ]);
  return make_lines_chart({
    id: "sweep-values",
    title: "The figure of merit over cores",
    caption: `${sweep.compared}: the best point of each number of cores, and fitted laws.`,
    x: { quantity: "count", name: "cores", log: false },
    y: { quantity: sweep.unit === "s" ? "us" : "count", name: sweep.compared, log: false },
    lines: () => all,
  });
}

function make_speedup_chart(sweep: Sweep): HTMLElement {
  const all = sweep.series.map((_, index) =>
    series_line(sweep, index, (point) => point.speedup ?? 0),
  );
  const cores = all.flatMap(({ points }) => points.map(({ x }) => x));
  const first = Math.min(...cores);
  const ideal: Line = {
    name: "ideal",
    points: [first, Math.max(...cores)].map((x) => ({ x, y: x / first, statistic: null })),
    colour: -1,
    dashed: true,
    value_name: "Bound",
  };
  return make_lines_chart({
    id: "sweep-speedup",
    title: "Speed-up",
    caption: "Against the point with the fewest cores. Below the ideal line efficiency is lost.",
    x: { quantity: "count", name: "cores", log: false },
    y: { quantity: "count", name: "speed-up", log: false },
    lines: () => [...all, ideal],
  });
}

/** Two parameters with several values as rows and columns; nothing for another number of them. */
function make_matrix(sweep: Sweep): HTMLElement | null {
  const values_of = (name: string): string[] => [
    ...new Set(sweep.points.map((point) => point.values[name] ?? "")),
  ];
  const [row, column, third] = sweep.parameters.filter((name) => values_of(name).length > 1);
  if (row === undefined || column === undefined || third !== undefined) return null;
  const point_at = (of_row: string, of_column: string): number =>
    sweep.points.findIndex(
      ({ values }) => values[row] === of_row && values[column] === of_column,
    );
  const cell = (index: number): string => {
    const point = sweep.points[index];
    if (point === undefined) return "";
    if (point.value === null) return point.problem === "" ? no_value : "failed";
    return value_text(sweep, point.value) + (sweep.best.includes(index) ? " (best)" : "");
  };
  return make_table<string>({
    caption: `${sweep.compared} by ${row} and ${column}`,
    row_noun: row,
    rows: values_of(row),
    columns: [
      { title: `${row} \\ ${column}`, key: (of_row) => of_row, cell: (of_row) => of_row },
      ...values_of(column).map((of_column): Column<string> => ({
        title: of_column,
        key: (of_row) => sweep.points[point_at(of_row, of_column)]?.value ?? null,
        cell: (of_row) => cell(point_at(of_row, of_column)),
        numeric: true,
      })),
    ],
  });
}

function make_points(sweep: Sweep): HTMLElement {
  const numeric = (
    title: string,
    key: (point: SweepPoint) => number | null,
    cell: (value: number | null) => string,
    help?: string,
  ): Column<SweepPoint> => ({
    title,
    ...(help === undefined ? {} : { help }),
    key,
    cell: (point) => cell(key(point)),
    numeric: true,
  });
  const value_of = (point: SweepPoint, name: string): string => point.values[name] ?? "";
  const parameters = sweep.parameters.map((name): Column<SweepPoint> => ({
    title: name,
    key: (point) => {
      const number_of = Number(value_of(point, name));
      return Number.isNaN(number_of) ? value_of(point, name) : number_of;
    },
    cell: (point) => value_of(point, name),
    numeric: sweep.points.every((point) => !Number.isNaN(Number(value_of(point, name)))),
  }));
  const text = (value: number | null): string => value_text(sweep, value);
  return make_table<SweepPoint>({
    caption: "Points of the sweep",
    row_noun: "point",
    rows: sweep.points,
    filter: (point) => point.name,
    columns: [
      ...parameters,
      numeric("Cores", (point) => point.cores, count),
      numeric("Runs", (point) => point.runs, count),
      numeric("Median", (point) => point.value, text),
      numeric("Low", (point) => point.low, text, "End of the 95 % interval, or the smallest value"),
      numeric("High", (point) => point.high, text, "End of the interval, or the largest value"),
      numeric("Wall time", (point) => point.wall_s, time),
      numeric("Speed-up", (point) => point.speedup, or_none),
      numeric("Efficiency", (point) => point.efficiency, percent),
      numeric("Serial", (point) => point.karp_flatt, percent, "Karp-Flatt serial fraction"),
      {
        title: "Lowest factor",
        help: "The lowest of the POP efficiencies",
        key: (point) => point.loses,
        cell: (point) => point.loses || no_value,
      },
      numeric("Core hours", (point) => point.core_hours, or_none),
      numeric("Memory", (point) => point.node_bytes, bytes, "Most memory of a node"),
      {
        title: "Runs or problem",
        key: (point) => point.problem || point.folder,
        cell: (point) => point.problem || point.folder || no_value,
      },
    ],
  });
}

export function make_sweep_header(sweep: Sweep): HTMLElement {
  return h(
    "header",
    { id: "top" },
    h("p", { class: "eyebrow" }, "A sweep over parameters"),
    h("h1", { class: "unseen" }, "Plait sweep"),
    sweep.verdicts.map((verdict) => h("p", {}, h("strong", {}, verdict))),
    h("p", {}, `Compared: ${sweep.compared}. On ${sweep.host}, ${show_date(sweep.created)}.`),
  );
}

export function make_sweep_sections(sweep: Sweep): readonly HTMLElement[] {
  const scaled = sweep.points.some(({ speedup }) => speedup !== null);
  const recommended = sweep.recommended === null ? null : sweep.points[sweep.recommended];
  const fits = sweep.series.flatMap((series) =>
    series.fits.map(
      ({ law, sentence }) => `${law}${series.name === "" ? "" : ` (${series.name})`}: ${sentence}`,
    ),
  );
  return [
    section(
      "scaling",
      "Scaling",
      scaled
        ? [make_value_chart(sweep), make_speedup_chart(sweep)]
        : absent("All points use the same number of cores."),
      lines(fits),
    ),
    section("points", "Points", make_matrix(sweep), make_points(sweep)),
    section(
      "command",
      "Point to use",
      recommended === null || recommended === undefined
        ? absent("No point was measured.")
        : [
            h("p", {}, recommended.name),
            make_code(quote_command(recommended.command), "command of the point to use"),
          ],
    ),
  ];
}
