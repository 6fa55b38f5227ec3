// SPDX-License-Identifier: BSD-3-Clause
// The analysis of a trace is shown as it is in the data, with links into the timeline.
import assert from "node:assert/strict";
import { test } from "node:test";
import { check_page, page_tests, share_page } from "./browser.mjs";
import { traced } from "./fixtures.mjs";
import { labels_of, next_frame, plain, rows_of, series_of } from "./page.mjs";

const ms = 1e6;

/** The timeline's window, range, chosen rank and event, once they are drawn. */
async function drawn(page) {
  await next_frame(page);
  return page.evaluate(() => {
    const { view, hit, cursor } = globalThis.__plait.timeline;
    return { begin: view.begin, end: view.end, range: view.range, cursor, index: hit?.index };
  });
}

page_tests("the analysis of a trace", () => {
  const data = traced();
  const { analysis } = data;
  let page;
  share_page(data, (opened) => (page = opened));

  test("names the page and its sections", async () => {
    assert.equal(await page.locator(".eyebrow").textContent(), "Profile and trace of a run");
    const links = await page.locator("nav a").allInnerTexts();
    for (const name of ["Efficiencies", "Waiting", "Timeline", "Phases", "Imbalance", "Patterns",
      "Messages"]) assert.ok(links.includes(name), name);
    const limits = await page.locator("#limits").innerText();
    assert.match(limits, /Waiting in probes is not distinguished/);
    assert.doesNotMatch(limits, /contains sums, not events/);
  });

  test("shows the recommended efficiencies, and all definitions on request", async () => {
    const recommended = page.getByRole("region", { name: "Efficiencies", exact: true });
    assert.deepEqual(await recommended.locator("thead th").allInnerTexts(),
      ["Efficiency", "multiplicative, replay"]);
    const region = page.getByRole("region", { name: "Efficiencies by definition" });
    assert.equal(await region.isVisible(), false);
    await page.getByText("All definitions, and what they mean").click();
    const heads = await region.locator("thead th").allInnerTexts();
    assert.deepEqual(heads.slice(1), analysis.efficiencies.map(({ definition }) => definition));
    const tile = await page.locator("[data-efficiency=serialization]").innerText();
    assert.match(plain(tile), /94 %[^]*multiplicative, replay/, "not a bound any more");
    const row = await region.locator("[data-term=serialization] td").allInnerTexts();
    assert.deepEqual(row.map(plain), ["94 %", "93 %", "94 %"]);
    assert.equal(await region.locator("[data-term=openmp_serial]").count(), 0, "not defined here");
  });

  test("has the calls by ITAC's size classes on request", async () => {
    const table = page.getByRole("table", { name: "Calls by ITAC's size classes" });
    assert.equal(await table.isVisible(), false);
    await page.getByText("By the size classes of Intel Trace Analyzer").click();
    assert.deepEqual((await rows_of(page, "Calls by ITAC's size classes")).map(([call]) => call),
      ["MPI_Waitall"]);
  });

  test("shows causes, wait states and the parts of the critical path", async () => {
    const cause = page.locator("[data-cause=computation]");
    const title = await cause.locator("h3").innerText();
    assert.match(title, /^Rank 3 computes 30\.0 ms longer in region 'solve'/);
    const text = plain(await cause.innerText()).replace(/\s+/g, " ");
    assert.match(text, /90\.0 ms.*30\.0 ms.*Before exchange_halo/);
    assert.deepEqual((await rows_of(page, "Wait states")).map((row) => row.slice(0, 7)), [
      ["wait at NxN", "MPI_Allreduce", "dot_product (cg.c:120)", "85.0 ms", "74 %", "40",
        "rank 1: 31.0 ms"],
      ["late sender", "MPI_Waitall", "exchange_halo (halo.c:77)", "30.1 ms", "26 %", "10",
        "rank 0: 30.0 ms"],
    ]);
    assert.deepEqual((await rows_of(page, "Parts of the critical path"))[0],
      ["3", "computation", "solve, before exchange_halo (halo.c:70)", "96.0 ms", "94 %"]);
  });

  test("draws imbalance by rank, and the most expensive calls by size", async () => {
    const series = await Promise.all(["imbalance", "breakdown"].map(async (chart) =>
      (await series_of(page, chart)).map((one) => [one.name, one.data])));
    assert.deepEqual(series[0].map(([name]) => name),
      ["Calculation", "Imbalance", "Interconnect", "Waiting for a CPU"]);
    const near = (values, expected) => values.forEach((value, index) =>
      assert.ok(Math.abs(value - expected[index] * 1e3) < 1e-9, `${value}`));
    near(series[0][0][1], analysis.imbalance.ranks.map((row) => row.calculation_s));
    near(series[0][1][1], analysis.imbalance.ranks.map((row) => row.imbalance_s));
    near(series[1][0][1], analysis.imbalance.cells.map((cell) => cell.imbalance_s));
    assert.deepEqual((await labels_of(page, "breakdown")).map(plain),
      ["Waitall, 64 KiB and more", "Allreduce, 0 B to 1 023 B"]);
    assert.match(await page.locator("#chart-breakdown").innerText(), /measured protocol switches/);
  });

  test("lists phases, messages and patterns", async () => {
    const phases = await rows_of(page, "Phases");
    assert.deepEqual(phases[1].slice(0, 8), ["iterations 1 | Irecv, Isend, Waitall, Allreduce",
      "1.00 ms", "99.0 ms", "10", "9.90 ms | 9.90–10.1 ms", "2.1 %", "52 %", "64 %"]);
    assert.deepEqual((await rows_of(page, "Messages by size"))[0], ["64 KiB to 1 MiB",
      "within a node", "40", "2.5 MiB", "2.40 ms", "1.17 GB/s", "4.80 GB/s"]);
    assert.equal((await rows_of(page, "Slow transfers"))[0][6], "23 %");
    const pattern = plain(await page.locator("[data-pattern=any_source]").innerText());
    for (const text of ["MPI_ANY_SOURCE", "40 of 40", "at most 1.10 ms per rank", "0–3",
      "Name the source"]) assert.ok(pattern.includes(text), text);
    assert.match(await page.locator("[data-pattern=idle_barrier]").innerText(), /unknown/);
  });

  test("a phase, a cause, a wait state and a pattern show themselves in the timeline", async () => {
    await page.getByRole("button", { name: "Show the phase iterations 1" }).click();
    const phase = await drawn(page);
    assert.deepEqual(phase.range, { begin: 1 * ms, end: 100 * ms });

    await page.getByRole("button", { name: "Show the cause: rank 3" }).click();
    const cause = await drawn(page);
    assert.equal(cause.cursor, 3);
    const length = cause.range.end - cause.range.begin;
    assert.ok(length > 9 * ms && length < 10.7 * ms, "the computation before the call");
    assert.ok(cause.begin < cause.range.begin && cause.end > cause.range.end);

    await page.getByRole("button", { name: "Show the longest: late sender" }).click();
    const wait = await drawn(page);
    assert.equal(wait.cursor, 0);
    assert.ok(Math.abs(wait.range.end - wait.range.begin - 3.048 * ms) < 1000);

    await page.getByRole("button", { name: "Show the pattern: any_source" }).click();
    const pattern = await drawn(page);
    assert.equal(pattern.range.end - pattern.range.begin, 5000, "the longest call there");
    await page.locator(".timeline-frame").press("Escape");
    await page.locator(".timeline-frame").press("Home");
  });

  test("a rank chosen in one chart is marked in the others", async () => {
    await page.evaluate(() => {
      const chart = globalThis.__plait.charts.ranks;
      chart.trigger("click", { dataIndex: 2 });
    });
    await drawn(page);
    assert.deepEqual(await labels_of(page, "ranks"), ["0", "1", "▸ 2", "3"]);
    assert.deepEqual(await labels_of(page, "imbalance"), ["0", "1", "▸ 2", "3"]);
    await page.locator(".timeline-frame").evaluate((frame) =>
      frame.scrollIntoView({ block: "center" }));
    const box = await page.locator(".timeline-frame").boundingBox();
    const row = await page.evaluate(() => globalThis.__plait.timeline.drawn.layout.rows[1]);
    await page.mouse.click(box.x + 300, box.y + row.top + 4);
    await drawn(page);
    assert.deepEqual(await labels_of(page, "ranks"), ["0", "▸ 1", "2", "3"]);
    const side = await labels_of(page, "matrix", "xAxis");
    assert.deepEqual(side, ["0", "▸1", "2", "3"]);
    await page.mouse.click(box.x + 300, box.y + row.top + 4);
    await drawn(page);
    assert.deepEqual(await labels_of(page, "ranks"), ["0", "1", "2", "3"],
      "a second click clears the selection");
  });
});

page_tests("other analyses", () => {
  function open(change, check) {
    const data = traced();
    change(data);
    return check_page(data, check);
  }

  test("one without a timeline has no button that points into it", () =>
    open(
      (data) => void (data.timeline = null),
      async (page) => {
        assert.equal(await page.locator("#timeline, .show").count(), 0);
        assert.equal(await page.locator("#waiting .finding").count(), 2);
      },
    ));

  test("one of another version is named, and costs its sections only", () =>
    open(
      (data) => void (data.analysis.schema_version = 9),
      async (page) => {
        assert.match(await page.locator("#efficiencies").innerText(),
          /plait-analysis version 1, but the data have version 9/);
        assert.equal(await page.locator("#waiting, #phases, #imbalance").count(), 0);
        assert.equal(await page.locator("#chart-timeline").count(), 1);
      },
    ));

  test("an empty one says what was not found", () =>
    open(
      (data) => void (data.analysis = { schema: "plait-analysis", schema_version: 1 }),
      async (page) => {
        for (const id of ["efficiencies", "waiting", "imbalance", "patterns", "transfers"]) {
          assert.ok((await page.locator(`#${id} .absent`).count()) > 0, id);
        }
        assert.equal(await page.locator("#phases").count(), 0);
      },
    ));

  test("values of wrong types are left out without an error", () =>
    open(
      ({ analysis }) =>
        void Object.assign(analysis, {
          time_s: "long", efficiencies: [null, { definition: 7, parallel: "x" }], waits: "many",
          causes: [{ kind: {}, rank: "three", delayed: [null, 1] }, 5], phases: [{ name: null }],
          critical_path: [1], imbalance: { ranks: [{ rank: "a" }, 7], cells: {} },
          messages: null, patterns: [{ what: 5, cost_s: {}, sites: [{}], ranks: null }], notes: 3,
        }),
      async (page) => {
        assert.equal(await page.locator("#waiting .finding").count(), 1);
        assert.equal(await page.locator("#patterns .finding").count(), 1);
      },
    ));
});
