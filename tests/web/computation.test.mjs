// SPDX-License-Identifier: BSD-3-Clause
// Samples: the flame graph, differences of ranks and runs, the call tree, hot spots and source.
import assert from "node:assert/strict";
import { test } from "node:test";
import { check_page, page_tests, share_page } from "./browser.mjs";
import * as fixtures from "./fixtures.mjs";
import {
  assert_fits,
  assert_only_text,
  next_frame,
  plain,
  resize,
  rows_of,
  series_of,
} from "./page.mjs";

/** Frames drawn: name of the function, row, left and width as shares of the drawing. */
const frames_of = (page, chart = "flame") =>
  page.locator(`#chart-${chart} .flame`).evaluate((svg) => {
    const whole = Number(svg.getAttribute("width"));
    return [...svg.querySelectorAll("g.frame")].map((group) => {
      const rect = group.querySelector("rect");
      const at = (name) => Number(rect.getAttribute(name));
      return {
        name: group.querySelector("text")?.textContent ?? "",
        row: at("y") / 20,
        left: Math.round((1000 * at("x")) / whole) / 1000,
        width: Math.round((1000 * (at("width") + 1)) / whole) / 1000,
        fill: rect.getAttribute("fill"),
        look: group.getAttribute("class"),
      };
    });
  });

const named = async (page, name, chart) =>
  (await frames_of(page, chart)).filter((frame) => frame.name === name);

const seen = async (page, chart = "flame") =>
  plain(await page.locator(`#chart-${chart} .flame-seen`).innerText());

page_tests("a sampled run", () => {
  let page;
  share_page(fixtures.sampled(), (opened) => (page = opened));
  const figure = () => page.locator("#chart-flame");
  const press = async (key) => {
    await page.keyboard.press(key);
    await next_frame(page);
  };

  test("draws each function below its caller, as wide as its share of the samples", async () => {
    const frames = await frames_of(page);
    assert.deepEqual(
      frames.slice(0, 3).map(({ name, row, left, width }) => [name, row, left, width]),
      [["<module>", 0, 0, 1], ["main", 1, 0, 1], ["solve", 2, 0, 1]],
    );
    const third = frames.filter(({ row }) => row === 3).map(({ name, width }) => [name, width]);
    assert.deepEqual(third, [["gomp_team_barrier_wait_end", 0.419], ["assemble", 0.294],
      ["sweep", 0.156], ["PMPI_Allreduce", 0.131]]);
    const [inlined] = await named(page, "element_matrix");
    assert.deepEqual([inlined.row, inlined.width], [4, 0.163]);
    assert.match(await seen(page), /^All samples: 16\.0 s\.$/);
  });

  test("colours code, MPI, OpenMP, Python and waiting by what the thread did", async () => {
    const legend = await figure().locator(".legend-item").allInnerTexts();
    assert.deepEqual(legend, ["Code", "MPI", "OpenMP runtime", "Python", "Waiting for a CPU"]);
    const fill = async (name) => (await named(page, name))[0].fill;
    // poll() belongs to no MPI library, but runs for one.
    assert.equal(await fill("poll"), await fill("PMPI_Allreduce"));
    assert.notEqual(await fill("assemble"), await fill("PMPI_Allreduce"));
    assert.notEqual(await fill("<module>"), await fill("assemble"));
  });

  test("a click zooms to a function below its callers, and another one back", async () => {
    await figure().locator("g.frame", { hasText: "assemble" }).click();
    await next_frame(page);
    const [assemble] = await named(page, "assemble");
    assert.deepEqual([assemble.row, assemble.left, assemble.width], [3, 0, 1]);
    assert.equal((await named(page, "sweep")).length, 0);
    assert.match(await seen(page), /Zoomed to assemble: 29 %\./);
    await figure().getByRole("button", { name: "Zoom out" }).click();
    assert.equal((await named(page, "sweep")).length, 1);
  });

  test("a search marks what matches and says its share", async () => {
    const box = figure().getByRole("searchbox");
    await box.fill("MESH.cpp");
    await next_frame(page);
    const looks = (await frames_of(page)).filter(({ look }) => look.includes("match"));
    assert.deepEqual(looks.map(({ name }) => name), ["assemble", "sweep", "element_matrix"]);
    // element_matrix, below assemble, is not counted again.
    assert.match(await seen(page), /Matches: 45 % of the samples\./);
    await box.fill("");
    assert.doesNotMatch(await seen(page), /Matches/);
  });

  test("the keyboard goes through callers and called functions, and says them", async () => {
    await figure().locator(".flame-frame").focus();
    await press("Escape");
    for (let i = 0; i < 4; i += 1) await press("ArrowDown");
    const spoken = async () => plain(await figure().locator("p.unseen[role=status]").innerText());
    assert.match(await spoken(), /^gomp_team_barrier_wait_end\. Place: libgomp/);
    await press("ArrowRight");
    assert.match(await spoken(), /^assemble\(Mesh&\)\. Place: mesh\.cpp:60; Kind: Code;/);
    assert.match(await spoken(), /Share: 29 % \(27\.2 to 31\.7 %\); Itself: 2\.10 s; Samples: 470/);
    await press("Enter");
    assert.equal((await named(page, "assemble"))[0].width, 1);
    await press("Escape");
    assert.equal((await named(page, "assemble"))[0].width, 0.294);
    await press("ArrowDown");
    assert.match(await spoken(), /^<module>/);
  });

  test("shows one rank, two ranks compared, and the slowest against the mean", async () => {
    await figure().getByLabel("Ranks shown").selectOption("0");
    assert.match(await seen(page), /^All samples: 8\.00 s\.$/);
    assert.equal((await named(page, "PMPI_Allreduce"))[0].width, 0.25);
    await figure().getByLabel("Compared with").selectOption("1");
    assert.match(await seen(page), /^Rank 0: 8\.00 s per rank; Rank 1: 8\.00 s per rank\.$/);
    const legend = await figure().locator(".legend-item").allInnerTexts();
    assert.deepEqual(legend, ["Less", "The same", "More"]);
    const less = (await named(page, "assemble"))[0];
    const more = (await named(page, "PMPI_Allreduce"))[0];
    // As wide as the mean of both: (1.4 + 3.3) / 2 of 8 s.
    assert.equal(less.width, 0.294);
    assert.notEqual(less.fill, more.fill);
    await figure().getByRole("button", { name: "Slowest rank against mean" }).click();
    assert.match(await seen(page), /^Rank 1: 8\.00 s per rank; Mean of all ranks: 8\.00 s/);
    await figure().getByLabel("Ranks shown").selectOption("all");
    await figure().getByLabel("Compared with").selectOption("");
  });

  test("a rank that is selected in another chart is shown alone", async () => {
    await page.evaluate(() => {
      const chart = globalThis.__plait.charts["hot-ranks"];
      chart.trigger("click", { dataIndex: 1 });
    });
    assert.match(await seen(page), /^All samples: 8\.00 s\.$/);
    assert.equal((await named(page, "assemble"))[0].width, 0.413);
    await page.evaluate(() => globalThis.__plait.charts["hot-ranks"].trigger("click",
      { dataIndex: 1 }));
    assert.match(await seen(page), /^All samples: 16\.0 s\.$/);
  });

  test("the call tree gives both times, samples and the worst rank, and unfolds", async () => {
    const name = "Call tree";
    const row = async (of) => (await rows_of(page, name)).find(([cell]) => cell.includes(of));
    assert.deepEqual((await row("assemble")).slice(1), ["29 % | 4.70 s", "13 % | 2.10 s", "470", "",
      "1.40 × | rank 1"]);
    const region = page.getByRole("region", { name, exact: true });
    const strip = region.locator("tr", { hasText: "assemble" }).getByRole("img");
    assert.equal(await strip.getAttribute("aria-label"), "rank 1: 1.40 times the mean");
    await region.getByRole("button", { name: "Close assemble" }).click();
    assert.equal(await row("element_matrix"), undefined);
    const button = region.getByRole("button", { name: "Open assemble" });
    assert.ok(await button.evaluate((element) => element === document.activeElement));
    await page.keyboard.press("ArrowRight");
    assert.equal((await row("element_matrix"))[3], "260");
    const level = region.locator("tr", { hasText: "element_matrix" });
    assert.equal(await level.getAttribute("aria-level"), "5");
    await page.locator("#computation").getByRole("group", { name: "Ranks are coloured by" })
      .getByRole("button", { name: "Itself" }).click();
    assert.equal((await row("assemble"))[5], "1.43 × | rank 1");
  });

  test("functions by rank are a heat map with a table", async () => {
    const [series] = await series_of(page, "hot-ranks");
    assert.deepEqual(series.data.slice(0, 4), [[0, 0, 3.4], [1, 0, 3.3], [0, 1, 0.8], [1, 1, 1.8]]);
  });

  test("hot spots have an interval, and name the rank that spends most there", async () => {
    const [first, second] = await rows_of(page, "Hot spots");
    assert.deepEqual(first, ["element_matrix(double const*) | mesh.cpp:21", "16 %",
      "14.5 to 18.1 %", "1.38 × | rank 1, thread 0", "55 %"]);
    assert.deepEqual(second.slice(3), ["1.00 × | rank 0", "–"]);
    const sentence = plain(await page.locator("#computation .judgement").innerText());
    assert.equal(sentence, "Rank 1 spends 1.4 times the mean in assemble (mesh.cpp:60): " +
      "81 % of its excess in code.");
  });

  test("source lines have shares of their own and with what they call", async () => {
    const rows = await page
      .getByRole("region", { name: "Source of mesh.cpp" })
      .locator("tbody tr")
      .evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
    const lines = rows.map((row) => row.map((cell) => plain(cell)));
    assert.deepEqual(lines[2], ["16 %", "16 %", "21", "k += b[i] * b[i];"]);
    assert.deepEqual(lines[5], ["", "16 %", "62", "element_matrix(e.k);"]);
    assert.deepEqual(lines[6], ["", "", "63", "// <img src=x> & such"]);
    assert.deepEqual(lines[7], ["13 %", "13 %", "64", "add(e);"]);
    await assert_only_text(page);
  });

  test("instrumented functions say what was switched off", async () => {
    const rows = await rows_of(page, "Instrumented functions");
    assert.deepEqual(rows[0], ["element_matrix(double const*) | mesh.cpp:60", "2 000 000", "2.60 s",
      "55 %", "2.60 s", "1.30 µs", "1.80 s | rank 1", "2", "switched off"]);
    assert.match(await page.locator("#computation").innerText(), /1 function too short/);
  });

  test("its data are also a table", async () => {
    const data = figure().locator("details.data");
    await data.locator("summary").click();
    await data.locator("tbody tr").first().waitFor();
    const rows = await data.locator("tbody tr").allInnerTexts();
    assert.equal(rows.length, 10);
    assert.match(plain(rows[0]), /^<module>\s+drive\.py:3\s+16\s+0$/);
  });

  test("fits a window of 360 px, with the flame graph inside its box", async () => {
    await resize(page, 360, 800);
    await assert_fits(page);
    const [drawing, box] = await figure().evaluate((element) =>
      [".flame", ".flame-frame"].map((name) =>
        element.querySelector(name).getBoundingClientRect().width));
    assert.ok(drawing <= box && drawing > 200, `${drawing} in ${box}`);
    await resize(page, 1280);
  });
});

page_tests("other samples", () => {
  function open(change, check, options) {
    const data = fixtures.sampled();
    return check_page(change(data) ?? data, check, options);
  }

  test("a run without samples and without functions has no such section", () =>
    check_page(fixtures.hybrid(), async (page) =>
      assert.equal(await page.locator("#computation").count(), 0)));

  test("one rank has no choice of ranks", () =>
    open(
      ({ samples }) => {
        samples.threads.forEach((thread) => (thread.rank = 0));
      },
      async (page) => {
        assert.equal(await page.locator("#chart-flame select").count(), 0);
        assert.equal(await page.locator("#chart-hot-ranks").count(), 0);
        assert.equal((await rows_of(page, "Call tree"))[0].length, 4);
      },
    ));

  test("samples of another version cost their part only, and are named", () =>
    open(
      ({ samples }) => void (samples.schema_version = 9),
      async (page) => {
        const text = await page.locator("#computation").innerText();
        assert.match(text, /plait-samples version 1, but the data have version 9/);
        assert.match(text, /Instrumented functions/);
      },
    ));

  test("a damaged tree is named, and values of wrong types are left out", async () => {
    await open(
      ({ samples }) => void (samples.nodes[3].parent = 7),
      async (page) =>
        assert.match(await page.locator("#computation").innerText(), /call tree .* is damaged/),
    );
    await open(
      ({ samples, profile }) => {
        samples.counts.push([99, 0, 0, 1], [0, "x"], null, [0, 0, 0, -3]);
        profile.computation.hot_spots = [null, 7];
        profile.functions = {};
      },
      async (page) => assert.match(await seen(page), /^All samples: 16\.0 s\.$/),
    );
  });

  test("many ranks are drawn in groups", () =>
    open(
      ({ samples }) => {
        const { threads, counts } = samples;
        samples.threads = Array.from({ length: 512 }, (_, rank) => ({ ...threads[0], rank }));
        samples.counts = samples.threads.flatMap((_, at) =>
          counts.filter((count) => count[1] === 0).map(([node, , state, taken]) =>
            [node, at, state, taken]));
      },
      async (page) => {
        const strip = page.locator("#computation .rank-strip").first();
        assert.equal(await strip.locator("span").count(), 128);
        const [series] = await series_of(page, "hot-ranks");
        assert.equal(series.data.length % 128, 0);
        await assert_fits(page);
      },
    ));
});

page_tests("two sampled runs compared", () => {
  let page;
  share_page(fixtures.compared_samples(), (opened) => (page = opened));

  test("names the functions that changed, with intervals", async () => {
    const rows = await rows_of(page, "Functions by difference");
    assert.deepEqual(rows[0], ["assemble(Mesh&) | mesh.cpp:60", "1.05 s | 0.930–1.20 s",
      "525 ms | 440–620 ms", "−50.0 % | faster"]);
    assert.deepEqual(rows[1].slice(1), ["–", "1.20 s | 1.06–1.35 s", "– | new"]);
    assert.equal(rows[2][3], "+1.0 % | undecided");
  });

  test("draws the functions of both, those of one side too", async () => {
    assert.match(await seen(page, "compared-flame"),
      /^B: 7\.48 s per rank; A: 6\.75 s per rank\.$/);
    const [sweep] = await named(page, "sweep", "compared-flame");
    const [assemble] = await named(page, "assemble", "compared-flame");
    assert.notEqual(sweep.fill, assemble.fill);
    assert.ok(sweep.width > 0.05);
  });
});
