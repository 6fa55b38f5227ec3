// SPDX-License-Identifier: BSD-3-Clause
// Table columns of common kinds: texts, code, counts, sizes, times, shares.
import { h } from "./dom";
import type { Child } from "./dom";
import { bytes, count, no_value, percent, time } from "./format";
import type { Column } from "./table";

type Value<Row> = (row: Row) => number | null;

function numeric<Row>(
  title: string,
  value: Value<Row>,
  show: (value: number | null) => Child,
  help: string | undefined,
): Column<Row> {
  return {
    title,
    key: value,
    cell: (row) => show(value(row)),
    numeric: true,
    ...(help === undefined ? {} : { help }),
  };
}

export function text_column<Row>(title: string, value: (row: Row) => string): Column<Row> {
  return { title, key: value, cell: value };
}

/** @param look  the class of the code element */
export function code_column<Row>(
  title: string,
  value: (row: Row) => string,
  look?: string,
): Column<Row> {
  const attributes = look === undefined ? {} : { class: look };
  return { title, key: value, cell: (row) => h("code", attributes, value(row) || no_value) };
}

export function count_column<Row>(title: string, value: Value<Row>, help?: string): Column<Row> {
  return numeric(title, value, count, help);
}

/** A size; its tooltip has the exact number of bytes. */
export function size_cell(value: number | null): Child {
  return value === null ? no_value : h("span", { title: `${count(value)} B` }, bytes(value));
}

export function bytes_column<Row>(title: string, value: Value<Row>, help?: string): Column<Row> {
  return numeric(title, value, size_cell, help);
}

export function time_column<Row>(title: string, value: Value<Row>, help?: string): Column<Row> {
  return numeric(title, value, time, help);
}

export function share_column<Row>(title: string, value: Value<Row>, help?: string): Column<Row> {
  return numeric(title, value, percent, help);
}

/** A share with a bar behind it. */
export function bar_column<Row>(title: string, value: Value<Row>, help?: string): Column<Row> {
  return { ...share_column(title, value, help), bar: (row) => value(row) ?? 0 };
}
