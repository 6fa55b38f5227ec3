// SPDX-License-Identifier: BSD-3-Clause
// Timelines of a million events, of many ranks, and with damaged data: bounded work per frame.
import assert from "node:assert/strict";
import { test } from "node:test";
import { check_page, page_tests, share_page } from "./browser.mjs";
import {
  hostile_traced, many_ranks_timeline, million, traced, written_timeline,
} from "./fixtures.mjs";
import { assert_only_text, plain } from "./page.mjs";
import { assert_bounded, ms, place, settle, state, tip_at } from "./timeline.mjs";

page_tests("a timeline of a million events", () => {
  let page;
  share_page(million(), (opened) => (page = opened));

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

  test("unpacks in steps, and only what is looked at", async () => {
    const counts = () => page.evaluate(() => {
      const { scene } = globalThis.__plait.timeline;
      return scene.model.timeline.ranks.filter(
        (_, index) => scene.model.unpacked(index, 0, "calls") !== null).length;
    });
    assert.equal(await counts(), 0, "the whole run needs no event");
    await page.getByLabel("Ranks shown, such as 0-31").fill("2-3");
    await page.keyboard.press("Enter");
    const { frames } = await state(page);
    await page.evaluate(() => globalThis.__plait.timeline.zoom(0.001));
    await settle(page);
    assert.equal(await counts(), 2, "the ranks that are seen");
    const seen = await state(page);
    assert.ok(seen.frames - frames >= 8, "125 000 calls are unpacked over several frames");
    await page.getByRole("button", { name: "Show the whole run" }).click();
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
});

page_tests("other timelines", () => {
  test("many ranks share rows, and a click shows those of a row", () =>
    check_page({ ...traced(), timeline: many_ranks_timeline() }, async (page) => {
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

  test("of very many ranks, several share a row, and the caption says so", () => {
    const timeline = written_timeline("shared_rows");
    return check_page({ ...traced(), analysis: null, timeline }, async (page) => {
      await settle(page);
      const seen = await state(page);
      const labels = seen.layout.rows.map((row) => row.label);
      assert.deepEqual(labels, ["0\u20133", "4\u20135", "6", "7", "8\u201311"]);
      assert.deepEqual(seen.sources, ["shares", "shares", "events", "events", "shares"]);
      const text = plain(await page.locator("#chart-timeline figcaption").innerText());
      assert.match(text, /^The trace has 24 events, too many .* Of 12 ranks, 2 have rows of their/);
      assert.match(text, /The other rows are means of several ranks/);
      assert.match(text, /Of 12 messages, 3 are drawn: those that ranks waited for longest/);
      const own = await tip_at(page, 3.5 * ms, "6");
      assert.equal(own.title, "Computation");
      // Ranks 0 to 3 compute for 1 to 4 ms; the first bin has 1.4 ms.
      const shared = await tip_at(page, 0.5 * ms, "0\u20133");
      assert.equal(shared.title, "Ranks 0\u20133");
      assert.equal(shared.Computation, "93 %");
      await page.getByLabel("Ranks shown, such as 0-31").fill("5-6");
      await page.keyboard.press("Enter");
      await settle(page);
      assert.deepEqual((await state(page)).ranks, [1, 3]);
      assert.match(plain(await page.locator(".number-head").innerText()), /mean of 3 ranks$/);
    });
  });

  test("single calls that were left out are said to be, and shares are shown there", () => {
    const data = million();
    data.timeline = Object.assign({}, data.timeline, {
      windows: [[0, 40 * ms], [480 * ms, 520 * ms]], kept_events: 80000, events: 10000000,
    });
    return check_page(data, async (page) => {
      const text = plain(await page.locator("#chart-timeline figcaption").innerText());
      assert.match(text, /^The trace has 10 000 000 events, too many for a page/);
      assert.match(text, /shown for 0 s to 40\.0 ms, 480 ms to 520 ms \(80 000 events\)/);
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
    const timeline = written_timeline();
    return check_page({ ...traced(), analysis: null, timeline }, async (page) => {
      await settle(page);
      assert.equal((await state(page)).end, 1150 * ms);
      const receive = await tip_at(page, 600 * ms, "1");
      assert.equal(receive.title, "MPI_Recv");
      assert.equal(receive.Partner, "rank 0");
      assert.equal(receive.Duration, "850 ms");
      assert.equal(receive["Waiting for others"], "750 ms");
      assert.match(receive.Message, /^from rank 0, tag 7, 4 KiB, 100 ms in transit$/);
      assert.equal((await tip_at(page, 500 * ms, "0")).title, "Computation");
      const shares = await page.locator(".numbers li").evaluateAll((all) =>
        all.map((item) => [item.dataset.category, Number.parseFloat(
          item.querySelector(".number-value").textContent)]));
      // Of 2.3 s: 1.25 computing, 0.15 in messages, 0.15 reducing, 0.75 waiting.
      const expected = { computation: 54, point_to_point: 6.5, collective: 6.5, waiting: 33 };
      assert.deepEqual(Object.fromEntries(shares), expected);
    });
  });

  test("a run whose waiting is unknown says so", () => {
    const data = traced();
    data.timeline.knows_waiting = false;
    return check_page(data, async (page) => {
      await settle(page);
      assert.equal((await tip_at(page, 6.9 * ms, "0"))["Waiting for others"], "unknown");
    });
  });

  test("hostile names stay text in rows, tooltips and what is spoken", () =>
    check_page(hostile_traced(), async (page) => {
      await settle(page);
      const found = await tip_at(page, 6.9 * ms, "0");
      assert.match(found.title + found.Site, /<img src=x|<svg onload|<script>|alert\(4\)/);
      await page.locator(".timeline-frame").focus();
      await page.keyboard.press("n");
      await settle(page);
      await assert_only_text(page);
    }));

  const damages = {
    "of another version": (timeline) => void (timeline.schema_version = 9),
    "without a length": (timeline) => void (timeline.end_ns = "long"),
    "with absurd bins": (timeline) => void (timeline.bins = 1e12),
  };
  for (const [name, damage] of Object.entries(damages)) {
    test(`one ${name} costs its section only`, () => {
      const data = traced();
      damage(data.timeline);
      return check_page(data, async (page) => {
        assert.equal(await page.locator("#timeline .absent").count(), 1);
        assert.equal(await page.locator("#chart-ranks").count(), 1);
        assert.equal(await page.locator(".show").count(), 0);
      });
    });
  }

  test("damaged columns are left out without an error", () => {
    const data = traced();
    const { ranks, messages } = data.timeline;
    ranks[0].streams[0].calls.columns = "not base64 !";
    ranks[1].streams[0].calls.columns = ranks[1].streams[0].calls.columns.slice(0, 40);
    ranks[2].streams = "many";
    ranks[3].bins = "AAAA";
    ranks[3].streams[0].calls.count = 1e15;
    messages.columns = messages.columns.replace(/^..../, "////");
    data.timeline.shapes = [null, 7, ...data.timeline.shapes.slice(2)];
    return check_page(data, async (page) => {
      await settle(page);
      for (let i = 0; i < 6; i += 1) {
        await page.evaluate(() => globalThis.__plait.timeline.zoom(0.3));
        await settle(page);
      }
      assert.equal((await state(page)).layout.rows.length, 4);
    });
  });
});
