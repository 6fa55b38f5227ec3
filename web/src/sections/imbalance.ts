// SPDX-License-Identifier: BSD-3-Clause
// Imbalance and network: the diagram by rank, and the most expensive calls by size.
import { make_breakdown_chart, make_imbalance_chart } from "../charts/imbalance";
import { count_column, text_column, time_column } from "../columns";
import type { BreakdownCell } from "../data/analysis";
import type { Report } from "../data/report";
import { absent, h, section } from "../dom";
import { size_range } from "../format";
import { make_table } from "../table";

function make_itac_table(rows: BreakdownCell[]): HTMLElement {
  return h(
    "details",
    {},
    h("summary", {}, "By the size classes of Intel Trace Analyzer"),
    make_table<BreakdownCell>({
      caption: "Calls by ITAC's size classes",
      row_noun: "size class",
      rows,
      columns: [
        text_column("Call", (cell) => cell.function),
        {
          title: "Size",
          key: (cell) => cell.from_bytes,
          cell: (cell) => size_range(cell.from_bytes, cell.to_bytes),
        },
        count_column("Calls", (cell) => cell.count),
        time_column("Imbalance", (cell) => cell.imbalance_s),
        time_column("Interconnect", (cell) => cell.interconnect_s),
      ],
    }),
  );
}

/** The section; null for a run without a trace. */
export function make_imbalance({ analysis }: Report): HTMLElement | null {
  if (analysis === null) return null;
  return section(
    "imbalance",
    "Imbalance and network",
    analysis.imbalance.length === 0
      ? absent("The trace could not be replayed, so imbalance and network cannot be distinguished.")
      : make_imbalance_chart(analysis),
    analysis.breakdown.length === 0 ? null : make_breakdown_chart(analysis),
    analysis.itac_breakdown.length === 0 ? null : make_itac_table(analysis.itac_breakdown),
  );
}
