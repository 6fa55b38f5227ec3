// SPDX-License-Identifier: BSD-3-Clause
// Table columns of counted events, and of figures that follow from them.
import { bar_column, count_column, text_column } from "../columns";
import type { Counts, Figure } from "../data/resources";
import { no_value, significant } from "../format";
import type { Column } from "../table";

interface Counted {
  outside: Counts;
  inside: Counts;
}

function total(row: Counted, event: number): number | null {
  const outside = row.outside[event] ?? null;
  const inside = row.inside[event] ?? null;
  return outside === null && inside === null ? null : (outside ?? 0) + (inside ?? 0);
}

function inside_share(row: Counted, event: number): number | null {
  const all = total(row, event);
  const inside = row.inside[event] ?? null;
  return all === null || all <= 0 || inside === null ? null : inside / all;
}

/** The count of each event, and its share in MPI. */
export function event_columns<Row extends Counted>(events: readonly string[]): Column<Row>[] {
  return events.flatMap((name, index): Column<Row>[] => [
    count_column(name, (row) => total(row, index)),
    bar_column(`${name} in MPI`, (row) => inside_share(row, index)),
  ]);
}

function with_unit(value: number | null, unit: string): string {
  if (value === null) return no_value;
  return unit === "" ? significant(value) : `${significant(value)} ${unit}`;
}

/** Name, value and bound of a figure. */
export function figure_columns<Row extends Figure>(): Column<Row>[] {
  return [
    text_column("Figure", (row) => row.name),
    text_column("Value", (row) => with_unit(row.value, row.unit)),
    text_column("Bound", (row) => with_unit(row.bound, row.unit)),
    text_column("Bound by", (row) => row.bound_name || no_value),
    bar_column("Of the bound", (row) =>
      row.bound === null || row.bound <= 0 ? null : row.value / row.bound,
    ),
  ];
}
