// SPDX-License-Identifier: BSD-3-Clause
// Memory and files over time on the timeline's axis, and the counters of phases.
import assert from "node:assert/strict";
import { test } from "node:test";
import { check_page, page_tests, share_page } from "./browser.mjs";
import { traced } from "./fixtures.mjs";
import { assert_fits, plain, resize, rows_of } from "./page.mjs";
import { assert_bounded, ms, place, settle, state } from "./timeline.mjs";

const mib = 2 ** 20;
const series = ["0077bb", "ee7733", "009988", "aa3377"];

/** Rank 3 has 64 MiB after 51 ms, the others 16 MiB; rank 0 writes 1 MiB from 40 to 60 ms. */
function with_curves() {
  const data = traced();
  const ranks = [0, 1, 2, 3];
  const times = Array.from({ length: 52 }, (_, i) => i * 0.002);
  const resident = (rank, t) => (rank === 3 && t > 0.0505 ? 64 : 16) * mib;
  data.profile.memory = {
    heap: false, hosts: [], left_out: 0,
    ranks: ranks.map((rank) => ({ rank, host: "n0", peak: resident(rank, 1),
      resident: resident(rank, 1), minor_faults: 0, major_faults: 0 })),
    series: ranks.map((rank) => ({ rank, points: times.map((t) => [t, resident(rank, t)]) })),
  };
  const written = (t) => (t > 0.0401 && t < 0.0601 ? mib / 10 : 0);
  data.profile.io = { measured: true, ranks: [], files: [], left_out: 0, without_series: 0,
    series: [{ rank: 0, points: times.map((t) => [t, 0, written(t)]) }] };
  const counts = (faults) => ({ outside_s: 0.1, inside_s: 0.1, outside: [faults, null],
    inside: [0, null] });
  data.analysis.phases[1].counters = {
    events: ["page-faults", "cycles"], ...counts(800),
    ranks: ranks.map((rank) => ({ rank, ...counts(100 + 200 * (rank === 3)) })),
    derived: [{ id: "memory_bandwidth", name: "memory bandwidth of a node", value: 5,
      unit: "GB/s", bound: 20, bound_name: "STREAM triad, 8 threads" }],
  };
  return data;
}

/** The rows of pixels that have a colour in the strip's column at a time, from its top. */
const coloured_at = (page, band, time, colour) =>
  page.evaluate(([number, at, wanted]) => {
    const { drawn, view } = globalThis.__plait.timeline;
    const canvas = document.querySelector(".timeline-frame canvas");
    const ratio = canvas.width / drawn.layout.width;
    const copy = new OffscreenCanvas(canvas.width, canvas.height)
      .getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const share = (at - view.begin) / (view.end - view.begin);
    const x = drawn.layout.left + share * drawn.layout.plot_width;
    const { top, height } = drawn.bands[number];
    const pixels = copy.getImageData(Math.round(x * ratio), top * ratio, 1, height * ratio).data;
    const channels = [0, 2, 4].map((from) => parseInt(wanted.slice(from, from + 2), 16));
    const rows = [];
    for (let row = 0; row < height * ratio; row += 1) {
      if (channels.every((value, i) => Math.abs(value - pixels[4 * row + i]) < 24)) rows.push(row);
    }
    return rows.map((row) => row / ratio / height);
  }, [band, time, colour]);

const band_tip = async (page, band, time) => {
  const at = await place(page);
  const top = await page.evaluate((number) => {
    const placed = globalThis.__plait.timeline.drawn.bands[number];
    return placed.top + placed.height / 2;
  }, band);
  await page.mouse.move(at.x(time), at.top + top);
  await settle(page);
  const box = page.locator(".timeline-frame .timeline-tip");
  return [await box.locator("strong").innerText(),
    ...(await box.locator("dl > *").allInnerTexts()).map(plain)];
};

const show = async (page, begin, end) => {
  await page.evaluate(([from, until]) => globalThis.__plait.timeline.show(from, until, 0),
    [begin, end]);
  await settle(page);
};

page_tests("memory and files beside the timeline", () => {
  let page;
  share_page(with_curves(), async (opened) => {
    page = opened;
    await settle(page);
  });

  test("are strips below the rows, instead of charts of their own", async () => {
    const titles = await page.evaluate(() =>
      globalThis.__plait.timeline.drawn.bands.map(({ band }) => band.title));
    assert.deepEqual(titles, ["Resident memory", "Written to files"]);
    for (const id of ["memory", "moved"])
      assert.equal(await page.locator(`#chart-${id}`).count(), 0, id);
    assert.match(await page.locator("#memory").innerText(), /below the rows of the timeline/);
    const drawn = await state(page);
    assert_bounded(drawn);
    const last_row = drawn.layout.rows.at(-1);
    assert.ok(drawn.layout.bands[0] >= last_row.top + last_row.height);
    const legend = page.locator("#chart-timeline .legend").nth(1).locator(".legend-item");
    assert.deepEqual(await legend.allInnerTexts(), ["Rank 0", "Rank 1", "Rank 2", "Rank 3"]);
  });

  test("share the time axis when it is zoomed and moved", async () => {
    // The rise of rank 3 from a quarter to all of the height is where the axis has 51 ms.
    for (const [begin, end] of [[0, 102], [40, 60], [48, 68]]) {
      await show(page, begin * ms, end * ms);
      const [before] = await coloured_at(page, 0, 50 * ms - ms / 4, series[3]);
      const [after] = await coloured_at(page, 0, 52 * ms + ms / 4, series[3]);
      assert.ok(before > 0.6 && after < 0.4, `${before} ${after} in ${begin} to ${end} ms`);
    }
    await show(page, 40 * ms, 60 * ms);
    await page.keyboard.press("Escape");
    const at = await place(page);
    await page.mouse.move(at.x(50 * ms), at.top + (await state(page)).layout.bands[0] + 20);
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -600);
    await page.keyboard.up("Control");
    await settle(page);
    const { begin, end } = await state(page);
    assert.ok(end - begin < 10 * ms && begin < 50 * ms && end > 50 * ms, `${begin} to ${end}`);
    await page.getByRole("button", { name: "Show the whole run" }).click();
    await settle(page);
  });

  test("have a description of the values at a time", async () => {
    assert.deepEqual((await band_tip(page, 0, 80 * ms)).slice(0, 1), ["Resident memory"]);
    assert.deepEqual((await band_tip(page, 0, 80 * ms)).slice(3),
      ["Rank 0", "16 MiB", "Rank 1", "16 MiB", "Rank 2", "16 MiB", "Rank 3", "64 MiB"]);
    assert.deepEqual((await band_tip(page, 1, 51 * ms)).slice(3), ["Rank 0", "50 MiB/s"]);
    assert.deepEqual((await band_tip(page, 1, 90 * ms)).slice(3), ["Rank 0", "0 B/s"]);
  });

  test("show the ranks that the rows show, and disappear on request", async () => {
    const shown = () => page.evaluate(() => globalThis.__plait.timeline.drawn.band_ranks);
    await page.evaluate(() => globalThis.__plait.timeline.show_ranks(1, 3));
    await settle(page);
    assert.deepEqual(await shown(), [1, 2]);
    await page.getByRole("button", { name: "Show the whole run" }).click();
    const button = page.locator("[aria-label=Layers]")
      .getByRole("button", { name: "Memory and files" });
    await button.click();
    await settle(page);
    assert.deepEqual((await state(page)).layout.bands, []);
    await button.click();
    await settle(page);
    assert.equal((await state(page)).layout.bands.length, 2);
  });

  test("fit a narrow page", async () => {
    await resize(page, 420);
    await assert_fits(page);
    await resize(page, 1280);
  });

  test("counters have a row for each phase, with ranks and figures", async () => {
    const [name] = await page.evaluate(() =>
      [globalThis.__plait.data.report.analysis.phases[1].name]);
    assert.deepEqual((await rows_of(page, "Events by phase")).map((row) => row.map(plain)),
      [[name, "800", "0.00 %", "\u2013", "\u2013"]]);
    const ranks = await rows_of(page, "Events by phase and rank");
    assert.deepEqual(ranks.map((row) => [row[1], row[2]]),
      [["0", "100"], ["1", "100"], ["2", "100"], ["3", "300"]]);
    const [figure] = await rows_of(page, "Figures of phases, beside their bounds");
    assert.deepEqual(figure.slice(1, 4), ["memory bandwidth of a node", "5.00 GB/s", "20.0 GB/s"]);
  });

  test("series of ranks without events are left out", () => {
    const data = with_curves();
    data.profile.memory.series = [{ rank: 9, points: [[0, 1], [1, 2]] },
      { rank: 0, points: [[0, 5], [0, 6], [-1, 7]] }, { rank: 1, points: "none" }];
    data.profile.io.series = [];
    return check_page(data, async (other) => {
      await settle(other);
      assert.deepEqual((await state(other)).layout.bands, []);
    });
  });
});
