// SPDX-License-Identifier: BSD-3-Clause
// The pages of a prediction (curves over nodes, measured points), of plait apply, sweep and tune.
import assert from "node:assert/strict";
import { test } from "node:test";
import { check_page, page_tests, share_page } from "./browser.mjs";
import { apply, prediction, sweep, tuning } from "./fixtures.mjs";
import { assert_fits, curves_of, resize } from "./page.mjs";

page_tests("pages that are not about a run", () => {
  let page;
  share_page({ prediction }, (opened) => (page = opened));

  const assert_shows = async (shown, texts) => {
    const text = await shown.locator("main").innerText();
    for (const part of texts) assert.ok(text.includes(part), part);
  };

  test("draws a curve for each model over nodes", async () => {
    assert.deepEqual(await curves_of(page, "scaling"), [
      ["mpi_1ppn", [[1, 177], [8, 1005]]],
      ["task_openmp_upper (bound)", [[1, 198], [8, 1584]]],
    ]);
  });

  test("draws measured points, and predictions where there are any", async () => {
    assert.deepEqual(await curves_of(page, "measured"), [
      ["mpi_1ppn, measured", [[1, 150], [4, 300]]],
      ["mpi_1ppn, predicted", [[1, 160]]],
    ]);
    await assert_shows(page,
      [prediction.verdict, "Figure 2.5", "4 *", "unknown", "share cores"]);
  });

  test("a plan that was tested: runs, ratios and commands", () =>
    check_page({ apply }, async (other) => {
      assert.deepEqual(await curves_of(other, "runs"), [
        ["before", [[1, 2e6], [2, 2.1e6]]], ["map by blocks", [[1, 1e6], [2, 1.05e6]]],
      ]);
      await assert_shows(other, [apply.verdict, "2.00 (1.90 to 2.10)", "1.80 (1.50 to 2.50)",
        apply.seen, "In quarantine: A=1 (hung: waiting)", "a note",
        "env 'A=<b>' mpiexec ./app"]);
    }));

  test("a sweep: curves over cores, a table of points, the point to use", () =>
    check_page({ sweep }, async (other) => {
      assert.deepEqual(await curves_of(other, "sweep-values"), [
        ["measured", [[1, 2e6], [2, 1.2e6]]], ["Amdahl", [[1, 2e6], [2, 1.2e6]]],
      ]);
      assert.deepEqual((await curves_of(other, "sweep-speedup"))[1], ["ideal", [[1, 1], [2, 2]]]);
      await assert_shows(other, [sweep.verdicts[0], "Amdahl: serial fraction 20 %",
        "load balance 83 %", "1.20 s (best)", "hung, killed after 10 s", "mpiexec -n 2 ./app"]);
    }));

  test("a tuning: what was tried and left out, the plan, the next command", () =>
    check_page({ tuning }, async (other) => {
      await assert_shows(other, [tuning.result.sentence, "1.67", "chosen", "crashed",
        "<b>large</b> messages", "confirmation", tuning.left_out[0], "OMPI_MCA_x=16384",
        "In quarantine: single-copy-none", tuning.result.read_back[0],
        "plait apply plait-plan.json -- mpiexec -n 2 ./app"]);
    }));

  test("asks for nothing and fits a narrow page", async () => {
    await resize(page, 420);
    await assert_fits(page);
  });
});
