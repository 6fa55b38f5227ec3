// SPDX-License-Identifier: BSD-3-Clause
// Ranks that were moved, on the page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { page_tests, share_page } from "./browser.mjs";
import { hybrid } from "./fixtures.mjs";
import { assert_fits, plain, resize, rows_of } from "./page.mjs";

function with_moves() {
  const data = hybrid();
  const move = { at_s: 4, asked: false, revert: false, interval_s: 2, predicted_gain_s: 0.12,
    cost_s: 0.0007, effect: "not_faster", speed: 0.9,
    ranks: [{ rank: 0, from: "2", to: "<b>4" }, { rank: 1, from: "4", to: "2" }] };
  data.profile.remapping = { host: "n0", interval_s: 2, ranks: 2, elsewhere: 1, intervals: 9,
    stopped: "the processes of the program changed",
    decisions: [move, { ...move, at_s: 8, revert: true, predicted_gain_s: 0, effect: "unknown" },
      { ...move, at_s: 12, asked: true, effect: "another_pattern" }] };
  return data;
}

page_tests("ranks that were moved", () => {
  let page;
  share_page(with_moves(), (opened) => (page = opened));

  test("each move has its prediction and what came of it", async () => {
    const rows = (await rows_of(page, "Moves of ranks")).map((row) => row.map(plain));
    assert.deepEqual(rows, [
      ["4.00 s", "predicted to pay", "0: 2 to <b>4, 1: 4 to 2", "120 ms", "2.00 s", "700 µs",
        "messages per second became 0.900 times as many"],
      ["8.00 s", "the last move was not faster", "0: 2 to <b>4, 1: 4 to 2", "–", "2.00 s",
        "700 µs", "moved back"],
      ["12.0 s", "the program asked", "0: 2 to <b>4, 1: 4 to 2", "120 ms", "2.00 s", "700 µs",
        "unknown: other ranks communicated then"],
    ]);
    const text = plain(await page.locator("#remapping").innerText());
    for (const part of ["2 ranks on n0 looked at after each of 9 intervals (every 2.00 s).",
      "Stopped: the processes of the program changed.", "1 rank on other nodes"])
      assert.ok(text.includes(part), `${part} in ${text}`);
  });

  test("fits a narrow page", async () => {
    await resize(page, 360);
    await assert_fits(page);
  });
});
