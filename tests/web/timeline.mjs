// SPDX-License-Identifier: BSD-3-Clause
// Reads the timeline of an open page: its state, what is drawn where, and its tooltips.
import assert from "node:assert/strict";
import { plain } from "./page.mjs";

export const ms = 1e6;

/** Waits until nothing is left to unpack and the last change is drawn. */
export const settle = (page) =>
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
export const state = (page) =>
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
export async function place(page) {
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

export async function tip_at(page, time, label) {
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
export function assert_bounded({ counters, layout }) {
  assert.ok(counters.rectangles <= 6500, `${counters.rectangles} rectangles`);
  assert.ok(counters.events <= 6500, `${counters.events} events`);
  assert.ok(counters.lines <= 2500, `${counters.lines} lines`);
  assert.ok(counters.messages <= 20000, `${counters.messages} messages`);
  assert.ok(counters.columns <= 40000 + layout.rows.length, `${counters.columns} columns`);
}
