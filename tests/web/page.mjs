// SPDX-License-Identifier: BSD-3-Clause
// Reads what an open report page shows: texts, tables, charts, and whether it fits its window.
import assert from "node:assert/strict";

/** Waits until all changes are drawn. */
export const next_frame = (page) =>
  page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
  );

/** Resizes the window and waits until the page is drawn again. */
export async function resize(page, width, height = 900) {
  await page.setViewportSize({ width, height });
  await next_frame(page);
}

/** Plain spaces for the narrow ones between digits and before units. */
export const plain = (text) => text.replace(/[\u202f\u00a0]/g, " ").trim();

/** The texts of a table's rows below a locator; lines of a cell with " | " between them. */
export async function rows_below(table) {
  const rows = await table
    .locator("tbody tr")
    .evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.innerText)));
  return rows.map((row) => row.map((cell) => plain(cell).replace(/\s*\n\s*/g, " | ")));
}

/** The same of the table with a caption. */
export const rows_of = (page, caption) =>
  rows_below(page.getByRole("region", { name: caption, exact: true }));

/** Name, type and data of each series of a chart. */
export const series_of = (page, chart) =>
  page.evaluate(
    (id) =>
      globalThis.__plait.charts[id].getOption().series.map(({ name, type, data }) => ({
        name,
        type,
        data: data.map((item) => item.value ?? item),
      })),
    chart,
  );

/** Name and points [x, y] of each curve of a chart. */
export const curves_of = async (page, chart) =>
  (await series_of(page, chart)).map(({ name, data }) => [
    name,
    data.map((point) => point.slice(0, 2)),
  ]);

/** The labels of a chart's axis, "xAxis" or "yAxis". */
export const labels_of = (page, chart, axis = "yAxis") =>
  page.evaluate(([id, name]) => globalThis.__plait.charts[id].getOption()[name][0].data, [
    chart,
    axis,
  ]);

/** Asserts that the page needs no sideways scrolling. */
export async function assert_fits(page) {
  const [wide, inner] = await page.evaluate(() => [
    document.documentElement.scrollWidth,
    innerWidth,
  ]);
  assert.ok(wide <= inner, `the page is ${wide} px wide in a window of ${inner} px`);
}

/** Asserts that no text of the data became an element, script or handler. */
export async function assert_only_text(page) {
  const foreign = await page.evaluate(() => ({
    images: document.querySelectorAll("img").length,
    scripts: document.querySelectorAll("script").length,
    drawings: document.querySelectorAll("#compare svg, #chart-timeline svg").length,
    handlers: [...document.querySelectorAll("*")].filter((element) =>
      element.getAttributeNames().some((name) => name.startsWith("on")),
    ).length,
  }));
  assert.deepEqual(foreign, { images: 0, scripts: 2, drawings: 0, handlers: 0 });
}
