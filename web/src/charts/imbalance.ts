// SPDX-License-Identifier: BSD-3-Clause
// The imbalance diagram: computation, imbalance and interconnect time, by rank and by call.
import { axis_style, make_chart, tip } from "../chart";
import type { Drawing, Option } from "../chart";
import type { Analysis, BreakdownCell, ImbalanceRow } from "../data/analysis";
import { count, exact, percent, size_range, time, time_scale } from "../format";
import type { Colours } from "../theme";
import { bar_axes, chart_height, part_style, rank_label } from "./bars";

const parts = ["calculation_s", "imbalance_s", "interconnect_s", "cpu_wait_s"] as const;
/** What the time of a call consists of. */
const parts_of_calls = ["imbalance_s", "interconnect_s"] as const;
type Part = (typeof parts)[number];
const part_names: Readonly<Record<Part, string>> = {
  calculation_s: "Calculation",
  imbalance_s: "Imbalance",
  interconnect_s: "Interconnect",
  cpu_wait_s: "Waiting for a CPU",
};

function colour_of(part: Part, colours: Colours): string {
  return {
    calculation_s: colours.compute,
    imbalance_s: colours.waiting,
    interconnect_s: colours.mpi,
    cpu_wait_s: colours.cpu_wait,
  }[part];
}

function legend(
  colours: Colours,
  shown: readonly Part[] = parts,
): { name: string; colour: string }[] {
  return shown.map((part) => ({ name: part_names[part], colour: colour_of(part, colours) }));
}

/** "7", or "64\u2013127" of several ranks. */
function numbers_of({ rank, last_rank }: ImbalanceRow): string {
  return last_rank > rank ? `${rank}\u2013${last_rank}` : String(rank);
}

/** Makes the diagram by rank. `analysis.imbalance` holds at least one row. */
export function make_imbalance_chart({ imbalance: rows, network }: Analysis): HTMLElement {
  const whole = (row: ImbalanceRow): number => parts.reduce((sum, part) => sum + row[part], 0);
  const share = (row: ImbalanceRow, part: Part): number | null =>
    whole(row) > 0 ? row[part] / whole(row) : null;
  const scale = time_scale(Math.max(1e-12, ...rows.map(whole)));

  function option({ colours, selected }: Drawing): Option {
    const labels = rows.map((row) => rank_label(numbers_of(row), selected.has(row.rank)));
    return {
      ...bar_axes(colours, labels, "rank", scale.unit),
      tooltip: {
        trigger: "axis",
        axisPointer: { type: "shadow" },
        formatter: (items: readonly { dataIndex: number }[]) => {
          const row = rows[items[0]?.dataIndex ?? -1];
          return row === undefined
            ? ""
            : tip(
                `${row.last_rank > row.rank ? "Mean of ranks" : "Rank"} ${numbers_of(row)}`,
                parts.map((part) => [
                  part_names[part],
                  `${time(row[part])}  (${percent(share(row, part))})`,
                ]),
              );
        },
      },
      series: parts.map((part) => ({
        name: part_names[part],
        stack: "time",
        color: colour_of(part, colours),
        ...part_style(rows.length),
        data: rows.map((row) => row[part] * scale.factor),
      })),
    };
  }

  return make_chart({
    id: "imbalance",
    title: "Imbalance diagram",
    description: `Stacked bars of the time of ${count(rows.length)} ranks`,
    caption:
      "Calculation is time outside MPI. Imbalance is the MPI time that remains on an ideal " +
      "network: ranks waiting for each other. Interconnect is the time that the real network " +
      "adds. Waiting for a CPU includes the time in which the rank waited for ranks that did so." +
      (network === "" ? "" : ` Network of the replay: ${network}.`),
    height: () => chart_height(rows.length),
    ranks_of: (index) => [rows[index]?.rank ?? []].flat(),
    legend: (colours) => legend(colours),
    option,
    data: () => ({
      columns: ["Rank", ...parts.map((part) => `${part_names[part]}, s`)],
      rows: rows.map((row) => [numbers_of(row), ...parts.map((part) => exact(row[part]))]),
    }),
  });
}

const cell_name = (cell: BreakdownCell): string =>
  `${cell.function.replace(/^MPI_/, "")}, ${size_range(cell.from_bytes, cell.to_bytes)}`;

/** Makes the breakdown of the most expensive calls by size. There is at least one cell. */
export function make_breakdown_chart({ breakdown, class_source }: Analysis): HTMLElement {
  const scale = time_scale(
    Math.max(1e-12, ...breakdown.map((cell) => cell.imbalance_s + cell.interconnect_s)),
  );

  function option({ colours, width }: Drawing): Option {
    return {
      grid: { left: 8, right: 14, top: 8, bottom: 6 },
      xAxis: { type: "value", min: 0, ...axis_style(colours, `time, ${scale.unit}`), nameGap: 26 },
      yAxis: {
        type: "category",
        data: breakdown.map(cell_name),
        ...axis_style(colours),
        axisLabel: {
          color: colours.muted,
          fontSize: 11.5,
          width: Math.min(240, width * 0.42),
          overflow: "break",
        },
        axisTick: { show: false },
        splitLine: { show: false },
        inverse: true,
      },
      tooltip: {
        trigger: "axis",
        axisPointer: { type: "shadow" },
        formatter: (items: readonly { dataIndex: number }[]) => {
          const cell = breakdown[items[0]?.dataIndex ?? -1];
          return cell === undefined
            ? ""
            : tip(`${cell.function}, ${size_range(cell.from_bytes, cell.to_bytes)}`, [
                ["Imbalance", time(cell.imbalance_s)],
                ["Interconnect", time(cell.interconnect_s)],
                ["Calls", count(cell.count)],
              ]);
        },
      },
      series: parts_of_calls.map((part) => ({
        name: part_names[part],
        type: "bar",
        stack: "time",
        barWidth: "66%",
        color: colour_of(part, colours),
        data: breakdown.map((cell) => cell[part] * scale.factor),
      })),
    };
  }

  return make_chart({
    id: "breakdown",
    title: "Most expensive calls by size",
    description: "Stacked bars of imbalance and interconnect time of the most expensive calls",
    caption: "Summed over ranks." + (class_source === "" ? "" : ` Size classes: ${class_source}.`),
    height: () => 62 + 34 * breakdown.length,
    legend: (colours) => legend(colours, parts_of_calls),
    option,
    data: () => ({
      columns: ["Call", "Size", "Imbalance, s", "Interconnect, s", "Calls"],
      rows: breakdown.map((cell) => [
        cell.function,
        size_range(cell.from_bytes, cell.to_bytes),
        exact(cell.imbalance_s),
        exact(cell.interconnect_s),
        exact(cell.count),
      ]),
    }),
  });
}
