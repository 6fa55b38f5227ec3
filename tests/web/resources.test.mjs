// SPDX-License-Identifier: BSD-3-Clause
// Counted events, memory and files on the page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { check_page, page_tests, share_page } from "./browser.mjs";
import { hybrid } from "./fixtures.mjs";
import { assert_fits, curves_of, plain, resize, rows_of } from "./page.mjs";

const calls = (count, bytes, time_s) =>
  ({ calls: count, failures: 0, bytes, time_s, max_s: time_s });
const nothing = calls(0, 0, 0);

/** A run with counters, memory and files. */
function with_resources() {
  const data = hybrid();
  data.profile.counters = {
    events: [
      { name: "cycles", threads: 4, failures: 0, problem: "", user_only: false, counted: 0.5 },
      { name: "r10c7", threads: 0, failures: 4, problem: "not counted here", user_only: false,
        counted: 0 },
    ],
    regions: [
      { region: "", ranks: 2, outside_s: 4, inside_s: 1, outside: [3e9, null],
        inside: [1e9, null] },
      { region: "solve", ranks: 2, outside_s: 2, inside_s: 0, outside: [2e9, null],
        inside: [0, null] },
    ],
    threads: [],
    derived: [{ id: "memory_bandwidth", region: "", name: "memory bandwidth of a node", value: 5,
      unit: "GB/s", bound: 20, bound_name: "STREAM triad, 8 threads" }],
    left_out: 0, readings: 1000, reading_ns: 650, overhead: 0.001,
    energy: [{ host: "n0", name: "package-0", joules: 400, watts: 40 }],
    roofline: {
      points: [{ rank: -1, region: "", intensity: 0.25, gflops: 4 },
        { rank: -1, region: "solve", intensity: 2, gflops: 12 },
        { rank: 1, region: "", intensity: 0.5, gflops: 3 }],
      bounds: [{ name: "STREAM triad, 8 threads", gbs: 20 },
        { name: "STREAM triad, 1 thread", gbs: 5 }],
      peaks: [{ name: "peak (AVX2), 8 cores", gflops: 100 },
        { name: "peak (AVX2), 1 core", gflops: 15 }],
      missing: "",
    },
  };
  const memory = (rank, peak) => ({ rank, host: "n0", peak, resident: peak / 2, anonymous: 0,
    shared: 0, minor_faults: 5000, major_faults: 2, growth_per_s: 0, allocations: 900, frees: 800,
    allocated: 9000, heap_live: 1024, heap_peak: 2048,
    user_s: rank === 0 ? 1.5 : null, system_s: rank === 0 ? 0.25 : null });
  data.profile.memory = {
    heap: true, ranks: [memory(0, 2 ** 30), memory(1, 2 ** 31)],
    hosts: [{ host: "n0", ranks: 2, peak: 3 * 2 ** 30, limit: 2 ** 32, limit_name: "the node" }],
    series: [0, 1].map((rank) => ({ rank, points: [[0, 2 ** 20], [1.5, 2 ** (21 + rank)]] })),
    left_out: 0,
  };
  const file = (path, kind, write) => ({ path, kind, ranks: 2, writers: 2, open: calls(2, 0, 0.01),
    close: nothing, read: nothing, write, seek: nothing, sync: nothing, meta: calls(5, 0, 0.1),
    read_sizes: [], write_sizes: [], time_s: write.time_s, slowest_rank: 1, slowest_s: 0.3 });
  data.profile.io = {
    measured: true, ranks: [], left_out: 0, without_series: 0,
    series: [0, 1].map((rank) => ({ rank, points: [[0, 512, 0], [1.5, 0, 2 ** (20 + rank)]] })),
    files: [file("/scratch/<b>out.dat", "posix", calls(1000, 65536, 0.4)),
      file("", "mpi", calls(3, 2 ** 20, 0.1))],
  };
  return data;
}

page_tests("counters, memory and files", () => {
  let page;
  share_page(with_resources(), (opened) => (page = opened));

  test("events have a row for the run and each region, with their share in MPI", async () => {
    const rows = await rows_of(page, "Events by region");
    assert.deepEqual(rows.map((row) => row.map(plain)), [
      ["(whole run)", "4 000 000 000", "25 %", "–", "–"],
      ["solve", "2 000 000 000", "0.00 %", "–", "–"],
    ]);
    const text = plain(await page.locator("#counters").innerText());
    for (const part of ["cycles counted 50 % of the time", "r10c7: not counted here",
      "400 J", "1 000 readings"])
      assert.ok(text.includes(part), `${part} in ${text}`);
  });

  test("derived figures stand beside their bound", async () => {
    const [row] = await rows_of(page, "Figures that follow, beside their bounds");
    assert.deepEqual(row.map(plain), ["(whole run)", "memory bandwidth of a node", "5.00 GB/s",
      "20.0 GB/s", "STREAM triad, 8 threads", "25 %"]);
  });

  test("the roofline has points of regions or ranks below memory and cores", async () => {
    const roofs = [
      ["Memory: STREAM triad, 8 threads", [[0.0625, 1.25], [5, 100]]],
      ["Memory: STREAM triad, 1 thread", [[0.0625, 0.3125], [20, 100]]],
      ["Cores: peak (AVX2), 8 cores", [[5, 100], [20, 100]]],
      ["Cores: peak (AVX2), 1 core", [[0.75, 15], [20, 15]]],
    ];
    assert.deepEqual(await curves_of(page, "roofline"),
      [...roofs, ["(whole run)", [[0.25, 4]]], ["solve", [[2, 12]]]]);
    await page.locator("#chart-roofline .chart-tools").getByRole("button", { name: "Ranks" })
      .click();
    assert.deepEqual(await curves_of(page, "roofline"), [...roofs, ["rank 1", [[0.5, 3]]]]);
  });

  test("without its events there is a line that says what the roofline needs", async () => {
    const data = with_resources();
    const missing = "The roofline chart needs counts of floating-point operations.";
    data.profile.counters.roofline = { points: [], bounds: [], missing };
    await check_page(data, async (other) => {
      assert.equal(await other.locator("#chart-roofline").count(), 0);
      assert.ok(plain(await other.locator("#counters").innerText()).includes(missing));
    });
  });

  test("memory has a curve for each rank, and a row", async () => {
    assert.deepEqual(await curves_of(page, "memory"), [
      ["rank 0", [[0, 2 ** 20], [1.5e6, 2 ** 21]]],
      ["rank 1", [[0, 2 ** 20], [1.5e6, 2 ** 22]]],
    ]);
    const rows = (await rows_of(page, "Memory and CPU time by rank")).map((row) => row.map(plain));
    assert.deepEqual(rows.map((row) => row.slice(4, 6)), [["1.50 s", "250 ms"], ["–", "–"]]);
    const text = plain(await page.locator("#memory").innerText());
    assert.ok(text.includes("n0: at most 3 GiB, 75 % of 4 GiB of the node."), text);
  });

  test("bytes of files over time stand beside memory", async () => {
    assert.deepEqual(await curves_of(page, "moved"), [
      ["rank 0", [[0, 0], [1.5e6, 2 ** 20]]],
      ["rank 1", [[0, 0], [1.5e6, 2 ** 21]]],
    ]);
    await page.locator("#chart-moved .chart-tools").getByRole("button", { name: "Read" }).click();
    assert.deepEqual((await curves_of(page, "moved"))[0], ["rank 0", [[0, 512], [1.5e6, 0]]]);
  });

  test("files have calls, bytes and time, most time first", async () => {
    const rows = (await rows_of(page, "Files")).map((row) => row.map(plain));
    assert.deepEqual(rows.map((row) => row[0]), ["/scratch/<b>out.dat", "(other files)"]);
    assert.deepEqual(rows[0].slice(1, 8),
      ["POSIX", "2", "0", "0 B", "1 000", "64 KiB", "7"]);
    assert.equal(rows[1][1], "MPI-IO");
  });

  test("fits a narrow page", async () => {
    await resize(page, 420);
    await assert_fits(page);
  });

  test("a profile of an earlier version has none of these sections", () =>
    check_page(hybrid(), async (other) => {
      for (const id of ["counters", "memory", "files"])
        assert.equal(await other.locator(`section#${id}`).count(), 0, id);
    }));
});
