// SPDX-License-Identifier: BSD-3-Clause
// Message costs on a cluster: curves, fits and verdicts of the machine file.
import assert from "node:assert/strict";
import { test } from "node:test";
import { check_page, page_tests, share_page } from "./browser.mjs";
import { cluster_machine, hybrid } from "./fixtures.mjs";
import { assert_fits, resize, series_of } from "./page.mjs";

page_tests("messages of a machine", () => {
  const machine = cluster_machine();
  const { measured } = machine;
  let page;
  share_page({ ...hybrid(), machine }, (opened) => (page = opened));

  test("the verdict on overlap comes first, as the machine file has it", async () => {
    const text = await page.locator("#machine").innerText();
    assert.ok(text.indexOf(`${measured.overlap_headline}.`) < text.indexOf("Latency of the paths"));
    for (const { sentence } of measured.overlap_verdicts) assert.ok(text.includes(sentence));
  });

  test("several pairs: a curve for each number, of the path and pattern chosen", async () => {
    const network = measured.paths.at(-1);
    const of = (points, pairs) => points.filter((point) => point.pairs === pairs)
      .map((point) => point.bandwidth_gbs.median);
    const heights = async () => (await series_of(page, "pairs")).map(({ name, data }) =>
      [name, data.map((point) => point[1])]);
    assert.deepEqual(await heights(), [1, 2, 4].map((pairs) =>
      [pairs === 1 ? "1 pair" : `${pairs} pairs`, of(network.mpi_multi_pair, pairs)]));
    await page.locator("#chart-pairs").getByRole("button", { name: "Ping-ping" }).click();
    assert.deepEqual((await heights())[2][1], of(network.mpi_multi_pair_pingping, 4));
    await page.locator("#chart-pairs").getByRole("button", { name: "shared L3" }).click();
    assert.deepEqual((await heights())[2][1], of(measured.paths[0].mpi_multi_pair_pingping, 4));
  });

  test("pairs of core 0, coloured by path", async () => {
    const curves = await series_of(page, "by-pair");
    assert.equal(curves.length, 7);
    assert.equal(curves[6].name, "0\u20137, same node");
    const last = measured.paths[1].by_pair.at(-1).mpi_pingpong.at(-1);
    assert.deepEqual(curves[6].data.at(-1).slice(0, 2), [
      last.bytes, last.half_round_trip_us.median,
    ]);
  });

  test("overlap: measured curves between the sum and the longer of both", async () => {
    const curves = await series_of(page, "overlap");
    assert.deepEqual(curves.map(({ name }) => name), [
      "isend, compute-bound work", "isend, memory-bound work", "irecv, compute-bound work",
      "irecv, memory-bound work", "no overlap", "full overlap",
    ]);
    const point = measured.overlap[0];
    const [, , , , sum, longest] = curves.map(({ data }) => data);
    assert.equal(sum.at(-1)[1], sum.at(-1)[0] + point.alone_us);
    assert.deepEqual(longest.map(([x, y]) => y), longest.map(([x]) => Math.max(x, point.alone_us)));
    assert.equal(curves[0].data[0][1], point.total_us.median);
    await page.locator("#chart-overlap").getByRole("button", { name: "a communicating thread" })
      .click();
    const helped = measured.overlap.find(
      ({ setting, operation }) => setting !== "" && operation === "irecv",
    );
    assert.equal((await series_of(page, "overlap"))[2].data[0][1], helped.total_us.median);
  });

  test("one and two senders with their bounds", async () => {
    const curves = await series_of(page, "mixed");
    assert.deepEqual(curves.map(({ name }) => name), [
      "2 senders", "1 sender", "no overlap", "full overlap",
    ]);
    const both = measured.mixed.filter(({ senders }) => senders === 1)
      .map(({ both_us }) => both_us.median);
    assert.deepEqual(curves[1].data.map((point) => point[1]), both);
  });

  test("all-to-all by processes per node; collectives by ranks", async () => {
    const names = (await series_of(page, "all-to-all")).map(({ name }) => name);
    assert.ok(names.includes("4 per node, 2 per socket, spread"), names.join("; "));
    await page.locator("#chart-collectives").getByRole("button", { name: "alltoall" }).click();
    const curves = await series_of(page, "collectives");
    assert.deepEqual(curves.map(({ name }) => name), [4, 8, 16, 32].map((ranks) =>
      `${ranks} ranks on 4 nodes`));
    const largest = measured.collectives.at(-1);
    assert.equal(curves[3].data.at(-1)[1], largest.time_us.median);
  });

  test("fits are in tables; inferred parameters are marked", async () => {
    const text = await page.locator("#machine").innerText();
    assert.match(text, /between nodes\s+64 KiB and 128 KiB\s+6\.\d+ µs\s+eager to rendezvous/);
    assert.match(text, /between nodes\s+1\.57 µs ±/);
    assert.doesNotMatch(text, /inferred/);
    const inferred = structuredClone(machine);
    inferred.measured.paths[0].loggp.gap_s.measured = false;
    await check_page({ ...hybrid(), machine: inferred }, async (other) =>
      assert.match(await other.locator("#machine").innerText(), /inferred: 9\d\.\d ns to/));
  });

  test("nothing overflows a wide or narrow page or asks the network", async () => {
    for (const width of [1280, 420]) {
      await resize(page, width);
      await assert_fits(page);
    }
  });
});
