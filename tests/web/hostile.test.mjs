// SPDX-License-Identifier: BSD-3-Clause
// Hostile text stays text in every place, and data that cannot be read get a clear message.
import assert from "node:assert/strict";
import { test } from "node:test";
import { check_page, page_tests, share_page } from "./browser.mjs";
import * as fixtures from "./fixtures.mjs";
import { assert_only_text, series_of } from "./page.mjs";

page_tests("hostile data", () => {
  let page;
  share_page(fixtures.hostile(), (opened) => (page = opened));

  test("hostile strings are shown as they are and start nothing", async () => {
    for (const details of await page.locator("details").all()) {
      await details.evaluate((element) => (element.open = true));
    }
    await page.waitForTimeout(100);
    const command = await page.locator("header code").innerText();
    for (const text of fixtures.hostile_strings) assert.ok(command.includes(text), text);
    await assert_only_text(page);
  });

  test("tooltips of all charts show hostile names as text", async () => {
    const tips = await page.evaluate(() => {
      const shown = [];
      for (const [name, chart] of Object.entries(globalThis.__plait.charts)) {
        chart.getOption().series.forEach((series, seriesIndex) => {
          if (series.silent || series.data.length === 0) return;
          chart.dispatchAction({ type: "showTip", seriesIndex, dataIndex: 0 });
        });
        const tip = document.querySelector(`#chart-${name} .tip`);
        if (tip !== null)
          shown.push({
            name,
            text: tip.textContent,
            elements: tip.querySelectorAll("img, svg, script").length,
          });
      }
      return shown;
    });
    assert.ok(tips.length >= 6, `tooltips of ${tips.map(({ name }) => name)}`);
    assert.ok(tips.every(({ elements }) => elements === 0));
    assert.ok(
      tips.some(({ text }) => /<img src=x|<svg onload|<script>/.test(text)),
      "a hostile name is in one",
    );
  });
});

page_tests("damaged data", () => {
  const damaged = [
    ["no data", "null", /contains no profile yet/],
    ["an empty object", "{}", /contain no profile/],
    ["text that is not JSON", '{"profile": {', /damaged/],
    [
      "another schema",
      { profile: { schema: "something", schema_version: 1 } },
      /not a plait-profile/,
    ],
    [
      "another version",
      { profile: { ...fixtures.hybrid().profile, schema_version: 2 } },
      /version 1, but the data have version 2/,
    ],
    [
      "a hostile version",
      { profile: { schema: "plait-profile", schema_version: "<img src=x onerror=alert(1)>" } },
      /<img src=x onerror=alert\(1\)>/,
    ],
  ];
  for (const [name, data, message] of damaged) {
    test(`${name} gives a message with a remedy`, () =>
      check_page(data, async (page) => {
        assert.match(await page.getByRole("alert").innerText(), message);
        assert.match(await page.locator("main").innerText(), /What to do: .*(plait|profile)/);
      }));
  }

  test("a profile with nothing in it still gives a page", () =>
    check_page(
      { profile: { schema: "plait-profile", schema_version: 1 }, machine: null },
      async (page) => assert.equal(await page.locator("section").count(), 13),
    ));

  test("a machine file of another version costs the machine's charts only, and is named", () => {
    const data = fixtures.hybrid();
    data.machine.schema_version = 9;
    return check_page(data, async (page) => {
      assert.match(
        await page.locator("#machine").innerText(),
        /plait-machine version 1, but the data have version 9/,
      );
      assert.equal(await page.locator("#chart-ranks").count(), 1);
    });
  });

  test("values of wrong types are left out without an error", () => {
    const data = fixtures.hybrid();
    Object.assign(data.profile, {
      wall_s: "long",
      ranks: { 0: 1 },
      calls: [null, 3, { name: 7 }],
      sizes: "many",
      matrix: { size: 4, nodes: null, point_to_point: [[0, 99, 1, 1], [0], "x", [0, 1, 2, 3]] },
    });
    data.machine.measured.paths = [{ id: "l3" }, null];
    return check_page(data, async (page) =>
      assert.equal((await series_of(page, "matrix"))[0].data.length, 1));
  });
});
