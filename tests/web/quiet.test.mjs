// SPDX-License-Identifier: BSD-3-Clause
// Every kind of run shows its page without a console message, a request, or a broken layout.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import * as fixtures from "./fixtures.mjs";
import { Browser, assert_quiet, cannot_run, page_path } from "./page.mjs";
import * as traces from "./traces.mjs";

const all_runs = { ...fixtures, ...traces };
const runs = ["hybrid", "large", "killed", "no_mpi", "hostile", "compared", "traced",
  "hostile_traced"];
const chart_ids = ["ranks", "matrix", "sizes", "latency", "bandwidth", "stream", "jacobi"];

describe("the page", { skip: cannot_run }, () => {
  let browser;
  before(async () => (browser = await Browser.start()));
  after(async () => browser.stop());

  for (const name of runs) {
    for (const colorScheme of ["light", "dark"]) {
      test(`shows the run "${name}" in ${colorScheme} without a message or request`, async () => {
        const data = all_runs[name]();
        const { page, watch } = await browser.open(data, { colorScheme });
        assert.equal(await page.getAttribute("html", "data-theme"), colorScheme);
        const of_trace = data.timeline === undefined ? 0 : 7;
        const sections = (data.compare === null ? 13 : 14) + of_trace;
        assert.equal(await page.locator("section").count(), sections);
        for (const section of await page.locator("section").all()) {
          assert.ok(
            (await section.innerText()).trim().split("\n").length > 1,
            "no section is empty",
          );
        }
        assert_quiet(watch);
        await page.close();
      });
    }

    test(`needs no sideways scrolling for the run "${name}" at 360 px`, async () => {
      const { page, watch } = await browser.open(all_runs[name](), { width: 360, height: 800 });
      const widest = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(widest <= 360, `the page is ${widest} px wide`);
      for (const svg of await page.locator("figure svg").all()) {
        const box = await svg.boundingBox();
        if (box !== null) assert.ok(box.x + box.width <= 360, "a drawing leaves the window");
      }
      assert_quiet(watch);
      await page.close();
    });
  }

  test("has a policy that lets only its own script run, and names no address to load from", () => {
    const html = readFileSync(page_path, "utf8");
    const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(html)?.[1] ?? "";
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /script-src 'sha256-[^']+';/);
    assert.doesNotMatch(policy, /unsafe-eval|https?:/);
    const body = html.slice(0, html.indexOf("</html>"));
    assert.doesNotMatch(body, /<(script|link|img|iframe)[^>]+(src|href)="(?!data:)/);
    assert.equal(body.match(/<\/script>/g).length, 2, "only the two elements end a script");
  });

  test("draws every chart of a measured hybrid run inside its box", async () => {
    const { page } = await browser.open(fixtures.hybrid());
    for (const id of chart_ids) {
      const inside = await page.locator(`#chart-${id}`).evaluate((figure) => {
        const frame = figure.querySelector(".chart-frame").getBoundingClientRect();
        return [...figure.querySelectorAll(".chart svg text")]
          .filter((text) => {
            const box = text.getBoundingClientRect();
            return (
              box.left < frame.left - 1 ||
              box.right > frame.right + 1 ||
              box.top < frame.top - 1 ||
              box.bottom > frame.bottom + 1
            );
          })
          .map((text) => text.textContent);
      });
      assert.deepEqual(inside, [], `labels of ${id} leave the chart`);
    }
    await page.close();
  });

  test("does not let labels of a chart overlap", async () => {
    for (const width of [1280, 700, 360]) {
      const { page } = await browser.open(fixtures.hybrid(), { width });
      const overlaps = await page.evaluate(() =>
        [...document.querySelectorAll("figure .chart svg")].flatMap((svg) => {
          const boxes = [...svg.querySelectorAll("text")].map((text) => ({
            name: text.textContent,
            box: text.getBoundingClientRect(),
          }));
          return boxes.flatMap((a, i) =>
            boxes
              .slice(i + 1)
              .filter(
                (b) =>
                  a.box.left < b.box.right - 1 &&
                  b.box.left < a.box.right - 1 &&
                  a.box.top < b.box.bottom - 3 &&
                  b.box.top < a.box.bottom - 3,
              )
              .map((b) => `${a.name} / ${b.name}`),
          );
        }),
      );
      assert.deepEqual(overlaps, [], `at ${width} px`);
      await page.close();
    }
  });

  test("changes between light and dark by its button, charts included", async () => {
    const { page, watch } = await browser.open(fixtures.hybrid());
    const colour = () =>
      page.evaluate(
        () => globalThis.__plait.charts.matrix.getOption().visualMap[0].inRange.color[0],
      );
    const before_change = await colour();
    await page.getByRole("button", { name: "Change to the dark theme" }).click();
    assert.equal(await page.getAttribute("html", "data-theme"), "dark");
    assert.notEqual(await colour(), before_change);
    assert_quiet(watch);
    await page.close();
  });

  test("prints in light from a dark screen, with charts that fit and tables unclipped",
    async () => {
    for (const name of ["hybrid", "large", "compared", "traced"]) {
      const { page, watch } = await browser.open(all_runs[name](), { colorScheme: "dark" });
      const pdf = await page.pdf({ printBackground: true, preferCSSPageSize: true });
      assert.ok(pdf.length > 50000, "the printed file has content");
      await page.emulateMedia({ media: "print", colorScheme: "dark" });
      await page.setViewportSize({ width: 695, height: 1000 });
      await page.waitForSelector("html.paper[data-theme=light]");
      const paper = await page.evaluate(() => ({
        page: document.documentElement.scrollWidth,
        charts: [...document.querySelectorAll(".chart-frame")].map((frame) =>
          [...frame.children]
            .filter((child) => !child.hidden)
            .every((child) => child.getBoundingClientRect().width <= frame.clientWidth),
        ),
        clipped: [...document.querySelectorAll(".table-scroll")].filter(
          (box) => getComputedStyle(box).overflowX !== "visible",
        ).length,
        buttons: [...document.querySelectorAll(".top-bar, .copy, .chart-tools")].filter(
          (element) => element.getClientRects().length > 0,
        ).length,
      }));
      assert.ok(paper.page <= 695, `the page is ${paper.page} px wide`);
      assert.ok(paper.charts.every(Boolean), "every chart fits the paper");
      assert.equal(paper.clipped, 0);
      assert.equal(paper.buttons, 0);
      await page.emulateMedia({ media: "screen", colorScheme: "dark" });
      await page.waitForSelector("html[data-theme=dark]");
      assert_quiet(watch);
      await page.close();
    }
  });
});
