// SPDX-License-Identifier: BSD-3-Clause
// The timeline shows the events that are in the data, and obeys mouse, keyboard and print.
import assert from "node:assert/strict";
import { test } from "node:test";
import { page_tests, share_page } from "./browser.mjs";
import { traced } from "./fixtures.mjs";
import { plain } from "./page.mjs";
import { ms, place, settle, state, tip_at } from "./timeline.mjs";

page_tests("the timeline of a small run", () => {
  const data = traced();
  let page;
  share_page(data, async (opened) => {
    page = opened;
    await settle(page);
  });

  test("has a row for each rank, with its calls in their colours", async () => {
    const { layout, sources, counters } = await state(page);
    assert.deepEqual(layout.rows.map((row) => row.label), ["0", "1", "2", "3"]);
    assert.deepEqual(sources, Array(4).fill("events"));
    assert.equal(counters.columns, 0);
    const colours = await page.evaluate((times) => {
      const { drawn, view } = globalThis.__plait.timeline;
      const canvas = document.querySelector(".timeline-frame canvas");
      const ratio = canvas.width / drawn.layout.width;
      const copy = new OffscreenCanvas(canvas.width, canvas.height)
        .getContext("2d", { willReadFrequently: true });
      copy.drawImage(canvas, 0, 0);
      return times.map(([label, time]) => {
        const row = drawn.layout.rows.find((each) => each.label === label);
        const x = drawn.layout.left + (time / view.run_end) * drawn.layout.plot_width;
        const y = (row.top + 5) * ratio;
        const pixel = copy.getImageData(Math.round(x * ratio), Math.round(y), 1, 1).data;
        return [...pixel.slice(0, 3)].map((value) => value.toString(16).padStart(2, "0")).join("");
      });
    }, [["0", 3 * ms], ["0", 6.8 * ms], ["3", 6.8 * ms], ["0", 4.8 * ms]]);
    assert.deepEqual(colours, ["4477aa", "b3203a", "4477aa", "d8c03c"]);
  });

  test("describes call, site, partner, tag, bytes, duration and waiting where the pointer is",
    async () => {
    await page.getByRole("button", { name: "Show the whole run" }).click();
    const wait = await tip_at(page, 6.9 * ms, "0");
    assert.equal(wait.title, "MPI_Waitall");
    assert.equal(wait.Rank, "0, thread 0 on n0");
    assert.equal(wait.Site, "exchange_halo (halo.c:77)");
    assert.equal(wait.Duration, "3.05 ms");
    assert.equal(wait["Waiting for others"], "3.00 ms");
    assert.match(wait.Message, /^from rank 3, tag 7, 64 KiB, 56\.0 µs in transit$/);
    const computing = await tip_at(page, 3 * ms, "2");
    assert.equal(computing.title, "solve._omp_fn.0 (cg.c:90)");
    assert.equal(computing.Idle, "500 µs");

    await page.evaluate(() => globalThis.__plait.timeline.show(15e6, 15.013e6, 0.1));
    await settle(page);
    const send = await tip_at(page, 15.006 * ms, "1");
    assert.equal(send.title, "MPI_Isend");
    assert.equal(send.Partner, "rank 2");
    assert.equal(send.Tag, "7");
    assert.equal(send.Bytes, "64 KiB (65 536)");
    assert.equal(send.Communicator, "MPI_COMM_WORLD");
    assert.match(send.Message, /^to rank 2, tag 7, 64 KiB/);
    const receive = await tip_at(page, 15.001 * ms, "1");
    assert.equal(receive["Source or tag"], "any");
    const gap = await tip_at(page, 15.0105 * ms, "1");
    assert.equal(gap.title, "Computation");
    assert.deepEqual([gap.After, gap.Before], ["MPI_Isend", "MPI_Waitall"]);
  });

  test("draws each message as a line, and none when asked not to", async () => {
    await page.getByRole("button", { name: "Show the whole run" }).click();
    await settle(page);
    const lines = async () => (await state(page)).counters.lines;
    const all = await lines();
    const button = page.locator("[aria-label=Layers]").getByRole("button", { name: "Messages" });
    await button.click();
    await settle(page);
    assert.equal(await button.getAttribute("aria-pressed"), "false");
    assert.equal(all - (await lines()), data.timeline.messages.count);
    await button.click();
    await settle(page);
    assert.equal(await lines(), all);
  });

  test("shows threads and regions of a rank whose number is clicked", async () => {
    const at = await place(page);
    await page.mouse.click(at.left + 8, at.y("1"));
    await settle(page);
    const { layout, expanded } = await state(page);
    assert.deepEqual(expanded, [1]);
    assert.deepEqual(
      layout.rows.map((row) => row.label),
      ["0", "1", "regions", "thread 0", "thread 1", "2", "3"],
    );
    assert.equal((await tip_at(page, 30 * ms, "regions")).title, "smooth");
    assert.equal((await tip_at(page, 60 * ms, "regions")).title, "solve");
    const thread = await tip_at(page, 3 * ms, "thread 1");
    assert.equal(thread.Rank, "1, thread 1 on n0");
    assert.equal(thread.Duration, "3.00 ms");
    const gap = await tip_at(page, 4.5 * ms, "thread 1");
    assert.equal(gap.title, "Idle in solve._omp_fn.0 (cg.c:90)", "it waits for the region's end");
    assert.equal(gap.Duration, "1.00 ms");
    const again = await place(page);
    await page.mouse.click(again.left + 8, again.y("1"));
    await settle(page);
    assert.equal((await state(page)).layout.rows.length, 4);
  });

  test("gives the numbers of a range that is dragged out", async () => {
    const at = await place(page);
    await page.mouse.move(at.x(12 * ms), at.y("2"));
    await page.mouse.down();
    await page.mouse.move(at.x(20 * ms), at.y("2"), { steps: 4 });
    await page.mouse.move(at.x(31 * ms), at.y("2"), { steps: 4 });
    await page.mouse.up();
    await settle(page);
    const { range } = await state(page);
    assert.ok(Math.abs(range.begin - 12 * ms) < 0.2 * ms);
    assert.ok(Math.abs(range.end - 31 * ms) < 0.2 * ms);
    await page.evaluate(() => globalThis.__plait.timeline.set_range(11e6, 21e6));
    await settle(page);
    assert.match(await page.locator(".number-head").innerText(), /^Selected range 11/);
    const share = async (name) =>
      Number.parseFloat(await page.locator(`[data-category=${name}] .number-value`).innerText());
    // One iteration of 10 ms: ranks 0 to 2 wait 3.1 ms, rank 3 waits 0.1 ms.
    assert.ok(Math.abs((await share("waiting")) - 24) <= 1, `waiting ${await share("waiting")} %`);
    assert.ok((await share("computation")) > 65);
    await page.getByRole("button", { name: "Zoom to the selected range" }).click();
    await settle(page);
    const zoomed = await state(page);
    assert.ok(zoomed.begin < 11 * ms && zoomed.begin > 10.5 * ms);
    assert.ok(zoomed.end > 21 * ms && zoomed.end < 21.5 * ms);
    await page.getByRole("button", { name: "Clear the selected range" }).click();
    await settle(page);
    assert.equal((await state(page)).range, null);
  });

  test("obeys the keyboard, and speaks the result", async () => {
    const frame = page.getByRole("application", { name: "Timeline of 4 ranks" });
    await frame.focus();
    await page.keyboard.press("Home");
    await settle(page);
    assert.deepEqual([(await state(page)).begin, (await state(page)).end], [0, 102 * ms]);
    await page.keyboard.press("+");
    await page.keyboard.press("+");
    await settle(page);
    const zoomed = await state(page);
    assert.equal(Math.round((zoomed.end - zoomed.begin) / ms), 26);
    await page.keyboard.press("ArrowRight");
    await settle(page);
    const moved = await state(page);
    assert.ok(moved.begin > zoomed.begin);
    assert.equal(Math.round(moved.end - moved.begin), Math.round(zoomed.end - zoomed.begin));
    await page.keyboard.press("-");
    await page.keyboard.press("n");
    await settle(page);
    const spoken = () => page.locator("#chart-timeline [role=status]").innerText();
    assert.match(await spoken(), /^MPI_\w+\. Rank: 1/, "the rank that was clicked last");
    const { hit } = await state(page);
    await page.keyboard.press("n");
    await settle(page);
    assert.equal((await state(page)).hit.index, hit.index + 1);
    await page.keyboard.press("p");
    await page.keyboard.press("p");
    await settle(page);
    assert.equal((await state(page)).hit.index, hit.index - 1);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await settle(page);
    const { cursor } = await state(page);
    assert.equal(await spoken(), `Rank ${cursor}`);
    await page.keyboard.press("Enter");
    await settle(page);
    assert.deepEqual((await state(page)).expanded, [cursor]);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Home");
    await settle(page);
    assert.equal((await state(page)).hit, null);
  });

  test("zooms by the wheel about the pointer, and leaves the page's scrolling alone", async () => {
    await page.getByRole("button", { name: "Show the whole run" }).click();
    await settle(page);
    const at = await place(page);
    const scroll = () => page.evaluate(() => Math.round(scrollY));
    await page.mouse.move(at.x(50 * ms), at.y("1"));
    const y = await scroll();
    await page.mouse.wheel(0, 120);
    await page.waitForFunction((before_y) => Math.round(scrollY) !== before_y, y);
    assert.equal((await state(page)).end, 102 * ms, "a wheel alone scrolls the page");
    const again = await place(page);
    await page.mouse.move(again.x(50 * ms), again.y("1"));
    await page.keyboard.down("Control");
    for (let i = 0; i < 4; i += 1) await page.mouse.wheel(0, -200);
    await page.keyboard.up("Control");
    await settle(page);
    const zoomed = await state(page);
    assert.ok(zoomed.end - zoomed.begin < 25 * ms, "the window is narrower");
    const share = (50 * ms - zoomed.begin) / (zoomed.end - zoomed.begin);
    assert.ok(Math.abs(share - 50 / 102) < 0.02, "the time under the pointer stays");
    await page.getByRole("button", { name: "Show the whole run" }).click();
    await settle(page);
  });

  test("is printed as a picture of the whole run", async () => {
    await page.evaluate(() => globalThis.__plait.timeline.zoom(0.01));
    await settle(page);
    await page.emulateMedia({ media: "print" });
    await page.waitForSelector("html.paper");
    const paper = await page.evaluate(() => {
      const { drawn } = globalThis.__plait.timeline;
      const canvas = document.querySelector(".timeline-frame canvas");
      return { width: drawn.layout.width, css: canvas.getBoundingClientRect().width,
        lines: drawn.counters.lines, numbers: document.querySelector(".number-head").innerText };
    });
    assert.equal(paper.width, 644);
    assert.equal(paper.css, 644);
    assert.match(plain(paper.numbers), /^Visible 0 s to 102 ms/);
    await page.emulateMedia({ media: "screen" });
    await page.waitForSelector("html:not(.paper)");
    await page.getByRole("button", { name: "Show the whole run" }).click();
    await settle(page);
  });
});
