// SPDX-License-Identifier: BSD-3-Clause
// The timeline shows the events that are in the data, at any zoom, with bounded work a frame.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { Browser, assert_quiet, cannot_run, plain } from "./page.mjs";
import * as traces from "./traces.mjs";

const ms = 1e6;

/** Waits until nothing is left to unpack and the last change is drawn. */
const settle = (page) =>
  page.evaluate(
    () =>
      new Promise((done) => {
        const look = () =>
          requestAnimationFrame(() =>
            globalThis.__plait.timeline.scene.model.is_busy()
              ? look()
              : requestAnimationFrame(done),
          );
        look();
      }),
  );

/** The state of the timeline, as plain data. */
const state = (page) =>
  page.evaluate(() => {
    const { view, drawn, hit, cursor, frames, scene } = globalThis.__plait.timeline;
    return {
      begin: view.begin, end: view.end, range: view.range, cursor, frames,
      ranks: [view.first_rank, view.last_rank], expanded: [...view.expanded],
      counters: drawn.counters, layout: drawn.layout, note: drawn.messages_note,
      sources: drawn.sources.map((source) => source?.kind ?? null),
      hit: hit === null ? null : { rank: hit.row.first, group: hit.group, index: hit.index },
      busy: scene.model.is_busy(),
    };
  });

/** Puts the timeline into the middle of the window; positions on it are from here. */
async function place(page) {
  const frame = page.locator(".timeline-frame");
  await frame.evaluate((element) => element.scrollIntoView({ block: "center" }));
  const box = await frame.boundingBox();
  const { layout, begin, end } = await state(page);
  return {
    x: (time) => box.x + layout.left + ((time - begin) / (end - begin)) * layout.plot_width,
    y: (label) => {
      const row = layout.rows.find((each) => each.label === label);
      return box.y + row.top + row.height / 2;
    },
    left: box.x,
    top: box.y,
  };
}

async function tip_at(page, time, label) {
  const at = await place(page);
  await page.mouse.move(at.x(time), at.y(label));
  await settle(page);
  const box = page.locator(".timeline-tip");
  if (!(await box.isVisible())) return null;
  const rows = await box.locator("dl > *").allInnerTexts();
  const found = { title: await box.locator("strong").innerText() };
  for (let i = 0; i < rows.length; i += 2) found[rows[i]] = plain(rows[i + 1]);
  return found;
}

/** What a drawing may take at most, however many events there are. */
function assert_bounded({ counters, layout }) {
  assert.ok(counters.rectangles <= 6500, `${counters.rectangles} rectangles`);
  assert.ok(counters.events <= 6500, `${counters.events} events`);
  assert.ok(counters.lines <= 2500, `${counters.lines} lines`);
  assert.ok(counters.messages <= 20000, `${counters.messages} messages`);
  assert.ok(counters.columns <= 40000 + layout.rows.length, `${counters.columns} columns`);
}

describe("the timeline of a small run", { skip: cannot_run }, () => {
  const data = traces.traced();
  let browser;
  let page;
  let watch;
  before(async () => {
    browser = await Browser.start();
    ({ page, watch } = await browser.open(data));
    await settle(page);
  });
  after(async () => {
    assert_quiet(watch);
    await browser.stop();
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

  test("tells call, site, partner, tag, bytes, duration and waiting where the pointer is",
    async () => {
    await page.getByRole("button", { name: "Show the whole run" }).click();
    const wait = await tip_at(page, 6.9 * ms, "0");
    assert.equal(wait.title, "MPI_Waitall");
    assert.equal(wait.Rank, "0, thread 0 on n0");
    assert.equal(wait.Site, "exchange_halo (halo.c:77)");
    assert.equal(wait.Takes, "3.05 ms");
    assert.equal(wait["Waits for others"], "3.00 ms");
    assert.match(wait.Message, /^from rank 3, tag 7, 64\.0 KiB, 56\.0 µs on its way$/);
    const computing = await tip_at(page, 3 * ms, "2");
    assert.equal(computing.title, "solve._omp_fn.0 (cg.c:90)");
    assert.equal(computing.Idle, "500 µs");

    await page.evaluate(() => globalThis.__plait.timeline.show(15e6, 15.013e6, 0.1));
    await settle(page);
    const send = await tip_at(page, 15.006 * ms, "1");
    assert.equal(send.title, "MPI_Isend");
    assert.equal(send.Partner, "rank 2");
    assert.equal(send.Tag, "7");
    assert.equal(send.Bytes, "64.0 KiB (65 536)");
    assert.equal(send.Communicator, "MPI_COMM_WORLD");
    assert.match(send.Message, /^to rank 2, tag 7, 64\.0 KiB/);
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
    assert.equal(thread.Takes, "3.00 ms");
    const gap = await tip_at(page, 4.5 * ms, "thread 1");
    assert.equal(gap.title, "Idle in solve._omp_fn.0 (cg.c:90)", "it waits for the region's end");
    assert.equal(gap.Takes, "1.00 ms");
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
    assert.match(await page.locator(".number-head").innerText(), /^Chosen range 11/);
    const share = async (name) =>
      Number.parseFloat(await page.locator(`[data-category=${name}] .number-value`).innerText());
    // One iteration of 10 ms: ranks 0 to 2 wait 3.1 ms, rank 3 waits 0.1 ms.
    assert.ok(Math.abs((await share("waiting")) - 24) <= 1, `waiting ${await share("waiting")} %`);
    assert.ok((await share("computation")) > 65);
    await page.getByRole("button", { name: "Zoom to the chosen range" }).click();
    await settle(page);
    const zoomed = await state(page);
    assert.ok(zoomed.begin < 11 * ms && zoomed.begin > 10.5 * ms);
    assert.ok(zoomed.end > 21 * ms && zoomed.end < 21.5 * ms);
    await page.getByRole("button", { name: "Let go" }).click();
    await settle(page);
    assert.equal((await state(page)).range, null);
  });

  test("obeys the keyboard, and says what it came to", async () => {
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
    assert.match(plain(paper.numbers), /^Seen 0 s to 102 ms/);
    await page.emulateMedia({ media: "screen" });
    await page.waitForSelector("html:not(.paper)");
    await page.getByRole("button", { name: "Show the whole run" }).click();
    await settle(page);
  });
});

describe("a timeline of a million events", { skip: cannot_run }, () => {
  const data = traces.million();
  let browser;
  let page;
  let watch;
  before(async () => {
    browser = await Browser.start();
    ({ page, watch } = await browser.open(data));
  });
  after(async () => {
    assert_quiet(watch);
    await browser.stop();
  });

  test("shows the whole run from shares of time, without looking at an event", async () => {
    await settle(page);
    const seen = await state(page);
    assert.deepEqual(seen.sources, Array(8).fill("shares"));
    assert.equal(seen.counters.events, 0);
    assert.equal(seen.counters.rectangles, 0);
    assert.match(seen.note, /^Too many messages/);
    assert_bounded(seen);
    const share = await page.locator("[data-category=point_to_point] .number-value").innerText();
    assert.equal(plain(share), "9.0 %");
  });

  test("zooms from the whole run to a single call with bounded work in each frame", async () => {
    const frame = page.locator(".timeline-frame");
    await frame.focus();
    const kinds = new Set();
    let span = Infinity;
    for (let step = 0; step < 25; step += 1) {
      await page.keyboard.press("+");
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
      const unpacking = await state(page);
      assert_bounded(unpacking);
      await settle(page);
      const seen = await state(page);
      assert_bounded(seen);
      assert.ok(seen.end - seen.begin <= span);
      span = seen.end - seen.begin;
      kinds.add(seen.sources[0]);
    }
    assert.deepEqual([...kinds], ["shares", "events"]);
    assert.ok(span < 100, `${span} ns are seen`);
    await page.keyboard.press("n");
    await settle(page);
    const { hit, begin, end } = await state(page);
    const call = await page.evaluate(({ rank, index }) => {
      const { events } = globalThis.__plait.timeline.scene.model.group(rank, 0, "calls");
      return [events.begin[index], events.end[index]];
    }, hit);
    assert.ok((call[1] - call[0]) / (end - begin) > 0.1, "the call can be seen");
    assert.ok(call[0] >= begin && call[1] <= end);
    assert.match(
      await page.locator("#chart-timeline [role=status]").innerText(),
      /^MPI_(Irecv|Isend|Waitall|Allreduce)\. Rank: 0, thread 0 on n0; Site: /,
    );
  });

  test("unpacks in steps, and only what is looked at", async () => {
    const other = await browser.open(data);
    await settle(other.page);
    const counts = () => other.page.evaluate(() => {
      const { scene } = globalThis.__plait.timeline;
      return scene.model.timeline.ranks.filter(
        (_, index) => scene.model.unpacked(index, 0, "calls") !== null).length;
    });
    assert.equal(await counts(), 0, "the whole run needs no event");
    await other.page.getByLabel("Ranks shown, such as 0-31").fill("2-3");
    await other.page.keyboard.press("Enter");
    const frames = (await state(other.page)).frames;
    await other.page.evaluate(() => globalThis.__plait.timeline.zoom(0.001));
    await settle(other.page);
    assert.equal(await counts(), 2, "the ranks that are seen");
    const seen = await state(other.page);
    assert.ok(seen.frames - frames >= 8, "125 000 calls are unpacked over several frames");
    assert_quiet(other.watch);
    await other.page.close();
  });
});

describe("other timelines", { skip: cannot_run }, () => {
  let browser;
  before(async () => (browser = await Browser.start()));
  after(async () => browser.stop());

  async function open(data, check, options) {
    const { page, watch } = await browser.open(data, options);
    await check(page);
    assert_quiet(watch);
    await page.close();
  }

  test("many ranks share rows, and a click shows those of a row", () =>
    open({ ...traces.traced(), timeline: traces.many_ranks_timeline() }, async (page) => {
      await settle(page);
      const all = await state(page);
      assert.ok(all.layout.rows.length <= 200, `${all.layout.rows.length} rows`);
      assert.ok(all.layout.height < 620);
      assert_bounded(all);
      const row = all.layout.rows[10];
      const at = await place(page);
      await page.mouse.click(at.x(all.end / 2), at.top + row.top + 1);
      await settle(page);
      assert.deepEqual((await state(page)).ranks, [row.first, row.last]);
    }));

  test("single calls that were left out are said to be, and shares are shown there", () => {
    const data = traces.million();
    Object.assign(data.timeline, {
      windows: [[0, 40 * ms], [480 * ms, 520 * ms]], kept_events: 80000, events: 10000000,
    });
    return open(data, async (page) => {
      const text = plain(await page.locator("#chart-timeline figcaption").innerText());
      assert.match(text, /^10 000 000 events are too many for a page/);
      assert.match(text, /for 0 s to 40\.0 ms, 480 ms to 520 ms \(80 000 events\)/);
      const kind_at = async (begin, end) => {
        await page.evaluate(([from, to]) => globalThis.__plait.timeline.show(from, to, 0),
          [begin * ms, end * ms]);
        await settle(page);
        return (await state(page)).sources[0];
      };
      assert.equal(await kind_at(500, 500.2), "events");
      assert.equal(await kind_at(600, 600.2), "shares");
    });
  });

  test("what src/report writes of a trace made by hand is shown as it was made", () => {
    const file = new URL("../data/timeline/two_ranks.json", import.meta.url);
    const timeline = JSON.parse(readFileSync(file, "utf8"));
    return open({ ...traces.traced(), analysis: null, timeline }, async (page) => {
      await settle(page);
      assert.equal((await state(page)).end, 1150 * ms);
      const receive = await tip_at(page, 600 * ms, "1");
      assert.equal(receive.title, "MPI_Recv");
      assert.equal(receive.Partner, "rank 0");
      assert.equal(receive.Takes, "850 ms");
      assert.equal(receive["Waits for others"], "750 ms");
      assert.match(receive.Message, /^from rank 0, tag 7, 4\.00 KiB, 100 ms on its way$/);
      assert.equal((await tip_at(page, 500 * ms, "0")).title, "Computation");
      const shares = await page.locator(".numbers li").evaluateAll((all) =>
        all.map((item) => [item.dataset.category, Number.parseFloat(
          item.querySelector(".number-value").textContent)]));
      // Of 2.3 s: 1.25 computing, 0.15 in messages, 0.15 reducing, 0.75 waiting.
      const expected = { computation: 54, point_to_point: 6.5, collective: 6.5, waiting: 33 };
      assert.deepEqual(Object.fromEntries(shares), expected);
    });
  });

  test("a run without waiting known says so", () => {
    const data = traces.traced();
    data.timeline.knows_waiting = false;
    return open(data, async (page) => {
      await settle(page);
      assert.equal((await tip_at(page, 6.9 * ms, "0"))["Waits for others"], "not known");
    });
  });

  test("hostile names stay text in rows, tooltips and what is spoken", () =>
    open(traces.hostile_traced(), async (page) => {
      await settle(page);
      const found = await tip_at(page, 6.9 * ms, "0");
      assert.match(found.title + found.Site, /<img src=x|<svg onload|<script>|alert\(4\)/);
      await page.locator(".timeline-frame").focus();
      await page.keyboard.press("n");
      await settle(page);
      assert.equal(await page.locator("img, #chart-timeline svg").count(), 0);
      assert.equal(await page.locator("script").count(), 2);
    }));

  const damages = {
    "of another version": (timeline) => void (timeline.schema_version = 9),
    "without a length": (timeline) => void (timeline.end_ns = "long"),
    "with absurd bins": (timeline) => void (timeline.bins = 1e12),
  };
  for (const [name, damage] of Object.entries(damages)) {
    test(`one ${name} costs its section only`, () => {
      const data = traces.traced();
      damage(data.timeline);
      return open(data, async (page) => {
        assert.equal(await page.locator("#timeline .absent").count(), 1);
        assert.equal(await page.locator("#chart-ranks").count(), 1);
        assert.equal(await page.locator(".show").count(), 0);
      });
    });
  }

  test("damaged columns are left out without an error", () => {
    const data = traces.traced();
    const { ranks, messages } = data.timeline;
    ranks[0].streams[0].calls.columns = "not base64 !";
    ranks[1].streams[0].calls.columns = ranks[1].streams[0].calls.columns.slice(0, 40);
    ranks[2].streams = "many";
    ranks[3].bins = "AAAA";
    ranks[3].streams[0].calls.count = 1e15;
    messages.columns = messages.columns.replace(/^..../, "////");
    data.timeline.shapes = [null, 7, ...data.timeline.shapes.slice(2)];
    return open(data, async (page) => {
      await settle(page);
      for (let i = 0; i < 6; i += 1) {
        await page.evaluate(() => globalThis.__plait.timeline.zoom(0.3));
        await settle(page);
      }
      assert.equal((await state(page)).layout.rows.length, 4);
    });
  });
});
