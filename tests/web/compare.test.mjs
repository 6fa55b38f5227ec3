// SPDX-License-Identifier: BSD-3-Clause
// What changed between two sides is shown first, equals the data, and stays text.
import assert from "node:assert/strict";
import { test } from "node:test";
import { check_page, page_tests, share_page } from "./browser.mjs";
import * as fixtures from "./fixtures.mjs";
import { assert_fits, assert_only_text, rows_of } from "./page.mjs";

const figures = "Figures of A and B";
const calls = "MPI calls by difference";

async function sort_by(page, caption, column) {
  const region = page.getByRole("region", { name: caption });
  await region.locator("th button").getByText(column, { exact: true }).click();
  return (await rows_of(page, caption)).map((row) => row[0]);
}

page_tests("a comparison", () => {
  const data = fixtures.compared();
  const { compare } = data;
  let page;
  share_page(data, (opened) => (page = opened));

  test("comes first on the page and in the navigation, and names the page", async () => {
    assert.equal(await page.locator("section").first().getAttribute("id"), "compare");
    assert.equal(await page.locator("nav a").first().innerText(), "What changed");
    assert.match(await page.title(), /^Comparison of 3 runs with 3 runs/);
    const eyebrow = await page.locator(".eyebrow").textContent();
    assert.equal(eyebrow, "Comparison of A and B, with the profile of B's first run");
    assert.equal(await page.locator("#compare .verdict").innerText(), compare.sentence);
    assert.equal(await page.locator("#overview .verdict").innerText(), data.profile.verdict);
  });

  test("puts the phases of both traces beside each other", async () => {
    const [first, second] = await rows_of(page, "Phases of A and B");
    assert.deepEqual(first, ["MPI_Allreduce", "400 ms | 400\u2013440 ms",
      "52.0 % | 93.0 % \u00b7 \u2013 \u00b7 97.0 %", "100 ms | MPI_Allreduce",
      "300 ms | 300\u2013330 ms", "85.0 % | 93.0 % \u00b7 \u2013 \u00b7 97.0 %",
      "75.0 ms | MPI_Allreduce", "0.750 | 0.730\u20130.770"]);
    assert.equal(second[0], "MPI_Sendrecv");
    assert.deepEqual(second.slice(4), ["\u2013", "\u2013", "\u2013", "\u2013"]);
  });

  test("gives both sides with their commands, and what is not alike", async () => {
    const command = async (side) => page.locator(`[data-side=${side}] pre`).innerText();
    assert.equal(await command("A"), "mpiexec --bind-to none -n 4 ./cg --grid '400 400 400'");
    assert.equal(await command("B"), "mpiexec -n 4 ./cg --grid '400 400 400'");
    const unfair = await page.locator("#compare .warning li").allInnerTexts();
    assert.deepEqual(unfair, compare.unfair);
  });

  test("shows each figure with its range, and its change in its own unit", async () => {
    assert.deepEqual(await rows_of(page, figures), [
      ["wall time of the command", "18.7 s | 18.5–19.2 s", "12.3 s | 12.1–12.6 s", "−34.2 %"],
      ["computation", "10.4 s | 10.2–10.9 s", "10.3 s | 10.1–10.3 s",
        "−1.3 % | ranges overlap"],
      ["MPI", "60.0 ms | 50.0–70.0 ms", "1.35 s | 1.20–1.40 s", "22.5 times"],
      ["idle OpenMP threads", "not measured", "425 ms", "–"],
      ["parallel efficiency", "56.1 % | 55.0–57.2 %", "84.7 % | 84.2–85.1 %", "+28.6 points"],
    ]);
    const by_b = await sort_by(page, figures, "B");
    const sorted = [...compare.figures].sort((a, b) => b.b.median - a.b.median);
    assert.deepEqual(
      by_b,
      sorted.map(({ name }) => name),
    );
    assert.equal((await sort_by(page, figures, "A")).at(-1), "idle OpenMP threads");
  });

  test("lists calls by the size of their difference; a call not made has no value", async () => {
    assert.deepEqual(await rows_of(page, calls), [
      ["MPI_Allreduce", "5.20 s", "800 ms", "−4.40 s", "16 000", "16 000", "125 KiB", "125 KiB"],
      ["MPI_Waitall", "–", "275 ms", "+275 ms", "–", "8 000", "–", "0 B"],
      ["MPI_Sendrecv", "40.0 ms", "–", "−40.0 ms", "12 000", "–", "58.9 MiB", "–"],
      ["MPI_Bcast", "3.10 ms", "3.00 ms", "−100 µs", "40", "40", "160 KiB", "160 KiB"],
      ["MPI_Comm_rank", "30.0 ns", "30.0 ns", "same", "4", "4", "0 B", "0 B"],
    ]);
    const by_count = await sort_by(page, calls, "Count B");
    assert.deepEqual(by_count.slice(0, 2), ["MPI_Allreduce", "MPI_Waitall"]);
    assert.equal(by_count.at(-1), "MPI_Sendrecv");
  });

  test("says which findings are gone, which are new, and the notes", async () => {
    const texts = await page.locator("#compare .gaps > *").allInnerTexts();
    assert.deepEqual(texts, [
      "Gone in B",
      compare.findings_gone[0],
      "New in B",
      compare.findings_new[0],
      "Note",
      compare.notes[0],
    ]);
  });
});

page_tests("other comparisons", () => {
  function open(change, check, options) {
    const data = fixtures.compared();
    return check_page(change(data) ?? data, check, options);
  }

  test("a page without one has no such section", () =>
    open(
      (data) => void (data.compare = null),
      async (page) => {
        assert.equal(await page.locator("#compare, nav a[href='#compare']").count(), 0);
        assert.equal(await page.locator(".eyebrow").textContent(), "Profile of a run");
      },
    ));

  test("traces of both sides have one scale and one window", () =>
    open(
      ({ compare }) => {
        const a = fixtures.small_timeline();
        compare.timelines = { a, b: { ...fixtures.small_timeline(), end_ns: a.end_ns * 2 } };
      },
      async (page) => {
        assert.equal(await page.locator("#compare .timeline-frame").count(), 2);
        const window_of_b = () =>
          page.evaluate(() => {
            const { begin, end, run_end } = globalThis.__plait.timeline.view;
            return { begin, end, run_end };
          });
        const whole = await window_of_b();
        assert.equal(whole.end, whole.run_end);
        await page.locator("#chart-timeline-a").getByRole("button", { name: "Zoom in" }).click();
        await page.waitForFunction(
          () => globalThis.__plait.timeline.view.end < globalThis.__plait.timeline.view.run_end);
        const zoomed = await window_of_b();
        assert.equal(zoomed.end - zoomed.begin, whole.run_end / 2);
        await assert_fits(page);
      },
    ));

  test("without a trace of both sides there are no timelines", () =>
    open(
      ({ compare }) => void (compare.timelines = { a: fixtures.small_timeline(), b: null }),
      async (page) => assert.equal(await page.locator("#compare .timeline-frame").count(), 0),
    ));

  test("one run of each side is named by its folder and has no range", () =>
    open(
      ({ compare }) => {
        Object.assign(compare, { findings_gone: [], findings_new: [], unfair: [] });
        Object.assign(compare.a, { name: "runs/a", runs: 1 });
        Object.assign(compare.b, { name: "runs/b", runs: 1 });
      },
      async (page) => {
        assert.match(await page.title(), /^Comparison of runs\/a with runs\/b/);
        assert.match(await page.locator("[data-side=A]").innerText(), /runs\/a\s+1 run\s/);
        assert.equal(await page.locator("#compare .warning").count(), 0);
        assert.equal((await rows_of(page, figures))[0][1], "18.7 s");
        assert.equal((await rows_of(page, figures))[1][3], "−1.3 %");
        assert.match(await page.locator("#compare .gaps").innerText(), /same findings/);
      },
    ));

  test("hostile strings in it are shown as they are and start nothing", () =>
    open(
      (data) => fixtures.hostile(data),
      async (page) => {
        await page.waitForTimeout(100);
        const shown = await page.locator("#compare").innerText();
        for (const text of fixtures.hostile_strings) assert.ok(shown.includes(text), text);
        await assert_only_text(page);
        await assert_fits(page);
      },
      { width: 360, height: 800 },
    ));

  test("one of another version costs its section only, and is named", () =>
    open(
      ({ compare }) => void (compare.schema_version = 9),
      async (page) => {
        const text = await page.locator("#compare").innerText();
        assert.match(text, /plait-compare version 1, but the data have version 9/);
        assert.equal(await page.locator("#chart-ranks").count(), 1);
      },
    ));

  test("values of wrong types are left out without an error", () =>
    open(
      ({ compare }) =>
        void Object.assign(compare, {
          sentence: {},
          a: "A",
          b: { name: null, runs: "many", command: 7 },
          figures: [null, { name: "MPI", unit: 3, a: { median: "x" }, b: { median: 2 } }],
          calls: { 0: 1 },
          findings_gone: [{}, 1],
          findings_new: "all",
          unfair: null,
        }),
      async (page) => {
        assert.equal((await rows_of(page, figures)).length, 1);
        assert.match(await page.locator("#compare").innerText(), /What changed is not known/);
      },
    ));
});
