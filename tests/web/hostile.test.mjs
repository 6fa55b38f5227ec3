// SPDX-License-Identifier: BSD-3-Clause
// Hostile text stays text in every place, and data that cannot be read get a clear message.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as fixtures from "./fixtures.mjs";
import { Browser, assert_quiet, cannot_run } from "./page.mjs";

describe("hostile and damaged data", { skip: cannot_run }, () => {
  let browser;
  before(async () => (browser = await Browser.start()));
  after(async () => browser.stop());

  test("hostile strings are shown as they are and start nothing", async () => {
    const { page, watch } = await browser.open(fixtures.hostile());
    for (const details of await page.locator("details").all()) {
      await details.evaluate((element) => (element.open = true));
    }
    await page.waitForTimeout(100);
    const command = await page.locator("header code").innerText();
    for (const text of fixtures.hostile_strings) assert.ok(command.includes(text), text);
    const foreign = await page.evaluate(() => ({
      images: document.querySelectorAll("img").length,
      scripts: document.querySelectorAll("script").length,
      handlers: [...document.querySelectorAll("*")].filter((element) =>
        element.getAttributeNames().some((name) => name.startsWith("on")),
      ).length,
    }));
    assert.deepEqual(foreign, { images: 0, scripts: 2, handlers: 0 });
    assert_quiet(watch);
    await page.close();
  });

  test("tooltips of all charts show hostile names as text", async () => {
    const { page, watch } = await browser.open(fixtures.hostile());
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
    assert_quiet(watch);
    await page.close();
  });

  const damaged = [
    ["no data", "null", /holds no profile yet/],
    ["an empty object", "{}", /hold no profile/],
    ["text that is no JSON", '{"profile": {', /damaged/],
    [
      "another schema",
      { profile: { schema: "something", schema_version: 1 } },
      /not a plait-profile/,
    ],
    [
      "another version",
      { profile: { ...fixtures.hybrid().profile, schema_version: 2 } },
      /version 1, the data are of version 2/,
    ],
    [
      "a hostile version",
      { profile: { schema: "plait-profile", schema_version: "<img src=x onerror=alert(1)>" } },
      /<img src=x onerror=alert\(1\)>/,
    ],
  ];
  for (const [name, data, message] of damaged) {
    test(`${name} gives a message with a remedy`, async () => {
      const { page, watch } = await browser.open(data);
      assert.match(await page.getByRole("alert").innerText(), message);
      assert.match(await page.locator("main").innerText(), /What helps: .*(plait|profile)/);
      assert_quiet(watch);
      await page.close();
    });
  }

  test("a profile with nothing in it still gives a page", async () => {
    const { page, watch } = await browser.open({
      profile: { schema: "plait-profile", schema_version: 1 },
      machine: null,
    });
    assert.equal(await page.locator("section").count(), 13);
    assert_quiet(watch);
    await page.close();
  });

  test("a machine file of another version costs the machine's charts only, and is named",
    async () => {
    const data = fixtures.hybrid();
    data.machine.schema_version = 9;
    const { page, watch } = await browser.open(data);
    assert.match(
      await page.locator("#machine").innerText(),
      /plait-machine version 1, the data are of version 9/,
    );
    assert.equal(await page.locator("#chart-ranks").count(), 1);
    assert_quiet(watch);
    await page.close();
  });

  test("values of wrong types are left out without an error", async () => {
    const data = fixtures.hybrid();
    Object.assign(data.profile, {
      wall_s: "long",
      ranks: { 0: 1 },
      calls: [null, 3, { name: 7 }],
      sizes: "many",
      matrix: { size: 4, nodes: null, point_to_point: [[0, 99, 1, 1], [0], "x", [0, 1, 2, 3]] },
    });
    data.machine.measured.paths = [{ id: "l3" }, null];
    const { page, watch } = await browser.open(data);
    const cells = await page.evaluate(
      () => globalThis.__plait.charts.matrix.getOption().series[0].data.length,
    );
    assert.equal(cells, 1);
    assert_quiet(watch);
    await page.close();
  });
});
