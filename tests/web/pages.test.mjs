// SPDX-License-Identifier: BSD-3-Clause
// The pages of a prediction (curves over nodes, measured points beside them) and of plait apply.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Browser, assert_quiet, cannot_run } from "./page.mjs";

function speed(value) {
  return { value, low: value * 0.98, high: value * 1.01 };
}

function mode(name, value) {
  return { mode: name, bound: name === "task_openmp_upper", mlups: speed(value) };
}

const prediction = {
  schema: "plait-predict", schema_version: 1, created: "2026-01-02T03:04:05Z",
  verdict: "On 8 nodes, overlap pays.", figure: "2.5: parallel models", scaling: "weak",
  size: [120, 120, 120], machine: { host: "townsend", source: "Stengel 2010" }, notes: [],
  predictions: [[8, 1005, 1584], [1, 177, 198]].map(([nodes, mpi, upper]) => ({
    nodes, modes: [mode("mpi_1ppn", mpi), mode("task_openmp_upper", upper)],
  })),
  measured: {
    machine: "here", notes: ["*: nodes share cores"],
    cluster: { name: "c", nodes: 4, cores_per_node: 1, bytes_per_s: 125e6, latency_s: 0 },
    points: [
      { nodes: 1, mode: "mpi_1ppn", runs: 6, mlups: speed(150), covers: true,
        predicted: speed(160), shares_cores: false },
      { nodes: 4, mode: "mpi_1ppn", runs: 6, mlups: speed(300), covers: true, predicted: null,
        shares_cores: true },
    ],
  },
};

const apply = {
  schema: "plait-apply", schema_version: 1, created: "2026-01-02T03:04:05Z", host: "here",
  verdict: "Kept: map by blocks is 2.00 (1.90 to 2.10) times as fast as before.",
  plan: { name: "map by blocks", file: "" }, timed: "the whole command",
  before: ["mpiexec", "./app"], after: ["env", "A=<b>", "mpiexec", "./app"],
  pairs: [{ before_s: 2, after_s: 1 }, { before_s: 2.1, after_s: 1.05 }],
  ratio: { value: 2, low: 1.9, high: 2.1 }, predicted: { value: 1.8, low: 1.5, high: 2.5 },
  predicted_of: "one exchange", seen: "All 4 ranks ran where the plan has them.",
  quarantined: [{ settings: ["A=1"], ending: "hung", words: "waiting" }], notes: ["a note"],
};

describe("pages that are not of a run", { skip: cannot_run }, () => {
  let browser, page, watch;
  before(async () => {
    browser = await Browser.start();
    ({ page, watch } = await browser.open({ prediction }));
  });
  after(async () => browser.stop());

  const series = (name) => page.evaluate((chart) =>
    globalThis.__plait.charts[chart].getOption().series.map((one) =>
      [one.name, one.data.map((point) => point.slice(0, 2))]), name);

  test("draws a curve for each model over nodes", async () => {
    assert.deepEqual(await series("scaling"), [
      ["mpi_1ppn", [[1, 177], [8, 1005]]],
      ["task_openmp_upper, a bound", [[1, 198], [8, 1584]]],
    ]);
  });

  test("draws measured points, and what is predicted where it is known", async () => {
    assert.deepEqual(await series("measured"), [
      ["mpi_1ppn, measured", [[1, 150], [4, 300]]],
      ["mpi_1ppn, predicted", [[1, 160]]],
    ]);
    const text = await page.locator("main").innerText();
    for (const part of [prediction.verdict, "Figure 2.5", "4 *", "not known", "share cores"]) {
      assert.ok(text.includes(part), part);
    }
  });

  test("a plan that was tried: runs, ratios and commands", async () => {
    const other = await browser.open({ apply });
    const lines = await other.page.evaluate(() =>
      globalThis.__plait.charts.runs.getOption().series.map((one) =>
        [one.name, one.data.map((point) => point.slice(0, 2))]));
    assert.deepEqual(lines, [
      ["before", [[1, 2e6], [2, 2.1e6]]], ["map by blocks", [[1, 1e6], [2, 1.05e6]]],
    ]);
    const text = await other.page.locator("main").innerText();
    for (const part of [apply.verdict, "2.00 (1.90 to 2.10)", "1.80 (1.50 to 2.50)", apply.seen,
      "In quarantine: A=1 (hung: waiting)", "a note", "env 'A=<b>' mpiexec ./app"]) {
      assert.ok(text.includes(part), part);
    }
    assert_quiet(other.watch);
    await other.page.close();
  });

  test("asks for nothing and fits a narrow page", async () => {
    await page.setViewportSize({ width: 420, height: 900 });
    const [wide, inner] = await page.evaluate(() =>
      [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(wide <= inner, `${wide} of ${inner}`);
    assert_quiet(watch);
  });
});
