// SPDX-License-Identifier: BSD-3-Clause
// Every kind of run shows its page without a console message, a request, or a broken layout.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { page_path, page_tests, share_page } from "./browser.mjs";
import * as fixtures from "./fixtures.mjs";
import { assert_fits, next_frame, resize } from "./page.mjs";

const runs = ["hybrid", "large", "killed", "no_mpi", "hostile", "compared", "traced",
  "hostile_traced", "sampled", "hostile_sampled"];
/** Runs that together print every section and both kinds of charts, SVG and canvas. */
const printed = ["large", "compared", "traced", "sampled"];

for (const [index, name] of runs.entries()) {
  page_tests(`the page of the run "${name}"`, () => {
    const data = fixtures[name]();
    // Each page is loaded in one theme and then changes to the other.
    const themes = index % 2 === 0 ? ["light", "dark"] : ["dark", "light"];
    let page;
    share_page(data, (opened) => (page = opened), { colorScheme: themes[0] });

    for (const theme of themes) {
      test(`shows all sections in ${theme}`, async () => {
        await page.emulateMedia({ colorScheme: theme });
        await next_frame(page);
        assert.equal(await page.getAttribute("html", "data-theme"), theme);
        const of_trace = data.timeline === undefined ? 0 : 7;
        const of_callers = data.profile.caller_tree === undefined ? 0 : 1;
        const texts = await page.locator("section").allInnerTexts();
        const of_samples = data.samples === undefined ? 0 : 1;
        const sections = (data.compare === null ? 13 : 14) + of_trace + of_callers + of_samples;
        assert.equal(texts.length, sections);
        for (const text of texts) assert.ok(text.trim().split("\n").length > 1, "none is empty");
      });
    }

    test("needs no sideways scrolling at 360 px", async () => {
      await resize(page, 360, 800);
      await assert_fits(page);
      const widest = await page.evaluate(() =>
        Math.max(0, ...[...document.querySelectorAll("figure svg")].map((svg) =>
          svg.getBoundingClientRect().right)));
      assert.ok(widest <= 360, "no drawing leaves the window");
    });

    if (!printed.includes(name)) return;
    test("prints in light from a dark screen, with charts that fit and tables unclipped",
      async () => {
      await page.emulateMedia({ colorScheme: "dark" });
      // The comparison adds only tables, whose widths are checked below.
      if (name !== "compared") {
        const pdf = await page.pdf({ printBackground: true, preferCSSPageSize: true });
        assert.ok(pdf.length > 50000, "the printed file has content");
      }
      await page.emulateMedia({ media: "print", colorScheme: "dark" });
      await resize(page, 695, 1000);
      await page.waitForSelector("html.paper[data-theme=light]");
      const paper = await page.evaluate(() => ({
        charts: [...document.querySelectorAll(".chart-frame")].every((frame) =>
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
      await assert_fits(page);
      assert.deepEqual(paper, { charts: true, clipped: 0, buttons: 0 });
      await page.emulateMedia({ media: "screen", colorScheme: "dark" });
      await page.waitForSelector("html[data-theme=dark]");
    });
  });
}

page_tests("the charts of a measured hybrid run", () => {
  let page;
  share_page(fixtures.hybrid(), (opened) => (page = opened));

  test("lie inside their boxes", async () => {
    for (const id of ["ranks", "matrix", "sizes", "latency", "bandwidth", "stream", "jacobi"]) {
      const outside = await page.locator(`#chart-${id}`).evaluate((figure) => {
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
      assert.deepEqual(outside, [], `labels of ${id} leave the chart`);
    }
  });

  test("have no labels that overlap", async () => {
    for (const width of [1280, 700, 360]) {
      await resize(page, width);
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
    }
  });

  test("change between light and dark by the page's button", async () => {
    const colour = () =>
      page.evaluate(
        () => globalThis.__plait.charts.matrix.getOption().visualMap[0].inRange.color[0],
      );
    const before_change = await colour();
    await page.getByRole("button", { name: "Change to the dark theme" }).click();
    assert.equal(await page.getAttribute("html", "data-theme"), "dark");
    assert.notEqual(await colour(), before_change);
  });
});

page_tests("the page's file", () => {
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
});
