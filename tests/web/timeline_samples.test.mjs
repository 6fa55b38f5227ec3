// SPDX-License-Identifier: BSD-3-Clause
// Samples on the timeline, and the flame graph of a phase.
import assert from "node:assert/strict";
import { test } from "node:test";
import { check_page, page_tests, share_page } from "./browser.mjs";
import { sampled_trace, two_ranks } from "./fixtures.mjs";
import { next_frame, plain } from "./page.mjs";
import { assert_bounded, ms, place, settle, state } from "./timeline.mjs";

const colours = { code: "4477aa", mpi: "ee7733", python: "009988", assemble: "aa3377",
  sweep: "555c64" };

/** The colours of the strips, by row and time. */
const strip_colours = (page, points) =>
  page.evaluate((all) => {
    const { drawn, view } = globalThis.__plait.timeline;
    const canvas = document.querySelector(".timeline-frame canvas");
    const ratio = canvas.width / drawn.layout.width;
    const copy = new OffscreenCanvas(canvas.width, canvas.height)
      .getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    return all.map(([label, time]) => {
      const row = drawn.layout.rows.find((each) => each.label === label);
      const share = (time - view.begin) / (view.end - view.begin);
      const x = drawn.layout.left + share * drawn.layout.plot_width;
      const y = row.top + row.height - 3;
      const pixel = copy.getImageData(Math.round(x * ratio), Math.round(y * ratio), 1, 1).data;
      return [...pixel.slice(0, 3)].map((value) => value.toString(16).padStart(2, "0")).join("");
    });
  }, points);

/** The description of what is at a time in the strip of a row. */
async function strip_tip(page, time, label) {
  const at = await place(page);
  const { layout } = await state(page);
  const row = layout.rows.find((each) => each.label === label);
  await page.mouse.move(at.x(time), at.top + row.top + row.height - 3);
  await settle(page);
  const box = page.locator(".timeline-frame .timeline-tip");
  if (!(await box.isVisible())) return null;
  const texts = (await box.locator("dl > *").allInnerTexts()).map(plain);
  return [await box.locator("strong").innerText(), ...texts];
}

const show = async (page, begin, end) => {
  await page.evaluate(([from, until]) => globalThis.__plait.timeline.show(from, until, 0),
    [begin, end]);
  await settle(page);
};

page_tests("a trace with samples", () => {
  let page;
  share_page(sampled_trace(), async (opened) => {
    page = opened;
    await settle(page);
  });

  test("has a strip by kind when all samples are visible", async () => {
    await page.getByRole("button", { name: "Show the whole run" }).click();
    await settle(page);
    const drawn = await state(page);
    assert.equal(drawn.counters.samples, 2 * 1019);
    assert_bounded(drawn);
    assert.deepEqual(
      await strip_colours(page, [["0", 20 * ms], ["0", 60 * ms], ["0", 90 * ms], ["1", 90 * ms]]),
      [colours.code, colours.code, colours.mpi, colours.code],
    );
    assert.match(await page.locator("#chart-timeline figcaption").innerText(), /samples of call/);
  });

  test("has a strip by function when few samples are visible", async () => {
    await show(page, 47 * ms, 55 * ms);
    assert.deepEqual(await strip_colours(page, [["0", 49.05 * ms], ["0", 53.05 * ms]]),
      [colours.assemble, colours.sweep]);
    await show(page, 78 * ms, 84 * ms);
    assert.deepEqual(await strip_colours(page, [["0", 79.05 * ms], ["0", 82.05 * ms]]),
      [colours.sweep, colours.mpi]);
  });

  test("describes the function, line and callers of a sample", async () => {
    await show(page, 47 * ms, 55 * ms);
    assert.deepEqual(await strip_tip(page, 49.05 * ms, "0"), [
      "assemble", "Place", "mesh.cpp:64", "Kind", "Code", "Rank", "0, thread 0", "Sampled",
      "49.100 ms", "Called from", "solve (solve.cpp:12)", "", "main (main.cpp:30)", "",
      "<module> (drive.py:7)"]);
    await show(page, 78 * ms, 84 * ms);
    const poll = await strip_tip(page, 82.05 * ms, "0");
    assert.deepEqual(poll.slice(0, 3), ["poll", "Kind", "MPI"]);
    // Above the strip are the calls.
    const at = await place(page);
    await page.mouse.move(at.x(82.05 * ms), at.y("0") - 6);
    await settle(page);
    assert.notEqual(await page.locator(".timeline-frame .timeline-tip strong").innerText(), "poll");
  });

  test("threads without events have a row with their samples", async () => {
    await page.getByRole("button", { name: "Show the whole run" }).click();
    await page.evaluate(() => {
      const { timeline } = globalThis.__plait;
      timeline.toggle_threads(timeline.drawn.layout.rows[0]);
    });
    await settle(page);
    assert.deepEqual(await strip_colours(page, [["tid 999", 30 * ms]]), [colours.python]);
    await page.evaluate(() => {
      const { timeline } = globalThis.__plait;
      timeline.toggle_threads(timeline.drawn.layout.rows[0]);
    });
    await settle(page);
  });

  test("hides the samples on request", async () => {
    const button = page.locator("[aria-label=Layers]").getByRole("button", { name: "Samples" });
    await button.click();
    await settle(page);
    assert.equal((await state(page)).counters.samples, 0);
    await button.click();
    await settle(page);
    assert.ok((await state(page)).counters.samples > 0);
  });

  test("shows the flame graph of a phase", async () => {
    const figure = page.locator("#chart-flame");
    const seen = async () => plain(await figure.locator(".flame-seen").innerText());
    const names = () => figure.locator("g.frame text").allTextContents();
    const list = figure.getByLabel("Phase shown");
    assert.deepEqual((await list.locator("option").allTextContents()).map(plain),
      ["Whole run", "before, 0 s to 20.0 ms", "iterations 1, 20.0 ms to 102 ms"]);
    assert.match(await seen(), /^All samples: 160 ms\.$/);
    await list.selectOption("0");
    await next_frame(page);
    assert.match(await seen(), /^All samples: 6\.00 ms\.$/);
    assert.ok((await names()).includes("assemble"));
    await list.selectOption("1");
    await next_frame(page);
    assert.match(await seen(), /^All samples: 4\.00 ms\.$/);
    assert.ok(!(await names()).includes("assemble"));
    assert.ok((await names()).includes("sweep"));
    // A rank of the phase, against another one.
    await figure.getByLabel("Ranks shown").selectOption("0");
    assert.match(await seen(), /^All samples: 3\.00 ms\.$/);
    await figure.getByLabel("Compared with").selectOption("1");
    assert.match(await seen(), /^Rank 0 in iterations 1: 3\.00 ms .* Rank 1 in iterations 1: 1/);
  });
});

page_tests("samples that cannot be shown", () => {
  const open = (change, look) => {
    const data = sampled_trace();
    change(data);
    return check_page(data, async (page) => {
      await settle(page);
      await look(page);
    });
  };
  const without_strip = async (page) => {
    const { counters, layout } = await state(page);
    assert.equal(counters.samples, 0);
    assert.equal(layout.rows.length, 4);
  };

  test("damaged samples are left out", () =>
    open((data) => {
      for (const rank of data.timeline.ranks) {
        for (const stream of rank.streams) {
          if (stream.samples !== undefined) stream.samples.columns = "////";
        }
      }
    }, without_strip));

  test("samples of nodes that the call tree does not have are left out", () =>
    open((data) => {
      data.samples = { ...two_ranks(), nodes: [], counts: [], region_counts: [] };
    }, without_strip));

  test("a timeline without a call tree has no strips", () =>
    open((data) => delete data.samples, async (page) => {
      await without_strip(page);
      assert.equal(await page.locator("[aria-label=Layers]", { hasText: "Samples" }).count(), 0);
    }));

  test("counts of phases that do not exist are left out", () =>
    open((data) => {
      data.samples.phase_counts.push([5, 0, 0, 9, 1], [5, 0, 0], null, [99, 0, 0, 1, 1]);
    }, async (page) => {
      await page.locator("#chart-flame").getByLabel("Phase shown").selectOption("0");
      const seen = page.locator("#chart-flame .flame-seen");
      assert.match(plain(await seen.innerText()), /^All samples: 6\.00 ms\.$/);
    }));
});
