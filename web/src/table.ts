// SPDX-License-Identifier: BSD-3-Clause
// A table that sorts by click and keyboard, filters, and shows long lists in steps.
import { append, h } from "./dom";
import type { Child } from "./dom";
import { count, plural } from "./format";

export interface Column<Row> {
  /** Empty for a column of buttons, by which the table cannot be sorted. */
  title: string;
  /** The tooltip of the title. */
  help?: string;
  /** The sort key; null comes last in both directions. */
  key: (row: Row) => number | string | null;
  cell: (row: Row) => Child;
  numeric?: boolean;
  /** A share from 0 to 1, drawn as a bar behind the cell's text. */
  bar?: (row: Row) => number;
}

export interface TableSpec<Row> {
  /** Names the table for screen readers. */
  caption: string;
  /** What a row is: "call site". */
  row_noun: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** Index of the column that the table is sorted by at first. */
  sorted_by?: number;
  descending?: boolean;
  /** How many rows are shown at first. */
  first_rows?: number;
  /** The text that the filter box searches; without it there is no box. */
  filter?: (row: Row) => string;
}

const usual_first_rows = 25;
const more_rows = 500;

interface State {
  column: number;
  descending: boolean;
  needle: string;
  shown: number;
}

function compare(a: number | string | null, b: number | string | null, sign: number): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  if (typeof a === "number" && typeof b === "number") return sign * (a - b);
  return sign * String(a).localeCompare(String(b), "en", { numeric: true });
}

function make_cell<Row>(column: Column<Row>, row: Row): HTMLTableCellElement {
  const cell = h("td", { class: column.numeric ? "number" : null });
  if (column.bar === undefined) {
    append(cell, [column.cell(row)]);
    return cell;
  }
  const bar = h("span", { class: "cell-bar", "aria-hidden": "true" });
  bar.style.width = `${Math.max(0, Math.min(1, column.bar(row))) * 100}%`;
  cell.classList.add("with-bar");
  append(cell, [h("span", { class: "cell-track" }, bar), h("span", {}, column.cell(row))]);
  return cell;
}

/** Makes the table with its filter box and its button for more rows. */
export function make_table<Row>(spec: TableSpec<Row>): HTMLElement {
  const first_rows = spec.first_rows ?? usual_first_rows;
  const state: State = {
    column: spec.sorted_by ?? -1,
    descending: spec.descending ?? false,
    needle: "",
    shown: first_rows,
  };
  const body = h("tbody");
  const status = h("p", { class: "table-status", role: "status" });
  const more = h("button", { type: "button", class: "more" });

  const headers = spec.columns.map((column, index) => {
    const button = h("button", { type: "button" }, column.title);
    const header = h(
      "th",
      {
        scope: "col",
        class: column.numeric ? "number" : null,
        title: column.help,
      },
      column.title === "" ? null : button,
    );
    button.addEventListener("click", () => {
      const same = state.column === index;
      state.descending = same ? !state.descending : column.numeric === true;
      state.column = index;
      fill();
    });
    return header;
  });

  function fill(): void {
    const needle = state.needle.toLowerCase();
    const rows =
      spec.filter === undefined || needle === ""
        ? [...spec.rows]
        : spec.rows.filter((row) => spec.filter!(row).toLowerCase().includes(needle));
    const column = spec.columns[state.column];
    if (column !== undefined) {
      const sign = state.descending ? -1 : 1;
      rows.sort((a, b) => compare(column.key(a), column.key(b), sign));
    }
    headers.forEach((header, index) => {
      const direction = state.descending ? "descending" : "ascending";
      header.setAttribute("aria-sort", index === state.column ? direction : "none");
    });
    const shown = rows.slice(0, state.shown);
    body.replaceChildren(
      ...shown.map((row) =>
        h(
          "tr",
          {},
          spec.columns.map((each) => make_cell(each, row)),
        ),
      ),
    );
    const rest = rows.length - shown.length;
    more.hidden = rest === 0;
    more.textContent = `Show ${count(Math.min(rest, more_rows))} more`;
    status.textContent =
      rest === 0 && needle === ""
        ? ""
        : `${count(shown.length)} of ${plural(spec.rows.length, spec.row_noun)} shown`;
    status.hidden = status.textContent === "";
  }

  more.addEventListener("click", () => {
    state.shown += more_rows;
    fill();
  });
  const table = h(
    "table",
    { class: "sortable" },
    h("caption", { class: "unseen" }, spec.caption),
    h("thead", {}, h("tr", {}, headers)),
    body,
  );
  fill();
  return h(
    "div",
    { class: "table-box" },
    make_filter(spec, state, fill),
    h(
      "div",
      { class: "table-scroll", tabindex: "0", role: "region", "aria-label": spec.caption },
      table,
    ),
    status,
    more,
  );
}

function make_filter<Row>(spec: TableSpec<Row>, state: State, fill: () => void): Child {
  if (spec.filter === undefined || spec.rows.length < 4) return null;
  const box = h("input", {
    type: "search",
    placeholder: "Filter",
    "aria-label": `Filter: ${spec.caption}`,
    autocomplete: "off",
    spellcheck: "false",
  });
  box.addEventListener("input", () => {
    state.needle = box.value;
    state.shown = spec.first_rows ?? usual_first_rows;
    fill();
  });
  return h("div", { class: "table-filter" }, box);
}

/** A plain table of texts; `numeric` says which columns hold numbers. */
export interface PlainTable {
  columns: readonly string[];
  rows: readonly (readonly string[])[];
  note?: string;
}

const most_plain_rows = 2000;

/** The exact numbers behind a chart, made when first opened. */
export function make_data_details(title: string, data: () => PlainTable): HTMLDetailsElement {
  const details = h("details", { class: "data" }, h("summary", {}, `Data: ${title}`));
  details.addEventListener("toggle", () => {
    details.querySelector(".table-scroll, .absent, .note")?.remove();
    if (details.open) details.append(make_plain_table(title, data()));
  });
  return details;
}

function make_plain_table(title: string, data: PlainTable): HTMLElement {
  const numeric = data.columns.map((_, index) =>
    data.rows.every((row) => /^[\u2013\-\d.\u202f ]*$/.test(row[index] ?? "")),
  );
  const rows = data.rows.slice(0, most_plain_rows);
  const cut =
    data.rows.length > rows.length
      ? `The first ${count(rows.length)} of ${count(data.rows.length)} rows; ` +
        "profile.json has all of them."
      : null;
  return h(
    "div",
    { class: "table-scroll", tabindex: "0", role: "region", "aria-label": title },
    data.note === undefined ? null : h("p", { class: "note" }, data.note),
    cut === null ? null : h("p", { class: "note" }, cut),
    h(
      "table",
      {},
      h("caption", { class: "unseen" }, title),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          data.columns.map((name, index) =>
            h("th", { scope: "col", class: numeric[index] ? "number" : null }, name),
          ),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map((row) =>
          h(
            "tr",
            {},
            row.map((value, index) => h("td", { class: numeric[index] ? "number" : null }, value)),
          ),
        ),
      ),
    ),
  );
}
