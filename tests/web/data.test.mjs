// SPDX-License-Identifier: BSD-3-Clause
// Charts and tables show the data; tables sort and filter; toggles change the charts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { check_page, page_tests, share_page } from "./browser.mjs";
import * as fixtures from "./fixtures.mjs";
import { labels_of, plain, rows_below, rows_of, series_of } from "./page.mjs";

async function open_data(page, id) {
  const details = page.locator(`#chart-${id} details.data`);
  await details.locator("summary").click();
  await details.locator("table").waitFor();
  return rows_below(details);
}

const near = (actual, expected, what) =>
  assert.ok(
    Math.abs(actual - expected) <= 1e-9 * Math.max(1, Math.abs(expected)),
    `${what}: ${actual} is not ${expected}`,
  );

page_tests("what the page shows", () => {
  const data = fixtures.hybrid();
  const { profile, machine } = data;
  let page;
  share_page(data, (opened) => (page = opened));

  test("names what ran, how long, and its outcome", async () => {
    const header = plain(await page.locator("header").innerText());
    for (const text of [
      "mpiexec -n 4 ./cg --grid '400 400 400'",
      "12.3 s",
      "Open MPI v4.1.4",
      "n0 (4 ranks)",
      "2026-11-20 12:00 UTC",
    ])
      assert.ok(header.includes(text), text);
    assert.equal(await page.locator(".verdict").innerText(), profile.verdict);
    assert.match(await page.title(), /mpiexec -n 4/);
  });

  test("shows each efficiency with its kind, bounds marked as bounds", async () => {
    const tile = async (name) => plain(await page.locator(`[data-efficiency=${name}]`).innerText());
    assert.match(await tile("parallel"), /85 %[^]*measured/);
    assert.match(await tile("transfer"), /≥ 93 %[^]*lower bound/);
    assert.match(await tile("threads"), /91 %[^]*measured/);
  });

  test("shows findings by severity with their fixes as code", async () => {
    const titles = await page.locator(".finding h3").allInnerTexts();
    assert.deepEqual(titles, [profile.findings[1].what, profile.findings[0].what]);
    const fixes = await page.locator(".finding pre").allInnerTexts();
    assert.deepEqual(fixes, [profile.findings[1].mend, profile.findings[0].mend]);
  });

  test("stacks each rank's compute, MPI and idle time as in the profile", async () => {
    const series = await series_of(page, "ranks");
    const field = {
      Compute: "compute_s",
      MPI: "mpi_s",
      "OpenMP idle": "omp_idle_s",
      "Waiting for a CPU": "cpu_taken_s",
    };
    assert.deepEqual(series.map(({ name }) => name).sort(), Object.keys(field).sort());
    for (const { name, data: values } of series) {
      profile.ranks.forEach((rank, index) =>
        near(values[index], rank[field[name]], `${name} of rank ${index}`),
      );
    }
    const rows = await open_data(page, "ranks");
    assert.deepEqual(
      rows.map((row) => row[6]),
      profile.ranks.map((rank) => String(rank.compute_s)),
    );
  });

  test("colours the cells of the matrix by the traffic, for each toggle", async () => {
    const figure = page.locator("#chart-matrix");
    for (const [kind, button] of [
      ["point_to_point", "Point to point"],
      ["collective", "Implied by collectives"],
    ]) {
      for (const [column, measure] of [
        [3, "Bytes"],
        [2, "Messages"],
      ]) {
        await figure.getByRole("button", { name: button }).click();
        await figure.getByRole("button", { name: measure }).click();
        const [{ data: cells }] = await series_of(page, "matrix");
        const expected = profile.matrix[kind].map(
          (entry) => `${entry[1]} ${entry[0]} ${Math.log10(entry[column]).toFixed(9)}`,
        );
        assert.deepEqual(
          cells.map(([x, y, value]) => `${x} ${y} ${value.toFixed(9)}`).sort(),
          expected.sort(),
        );
      }
    }
    await figure.getByRole("button", { name: "Point to point" }).click();
    const rows = await open_data(page, "matrix");
    const sorted = [...profile.matrix.point_to_point].sort((a, b) => b[2] - a[2]);
    assert.deepEqual(
      rows.map((row) => Number(row[2].replace(/ /g, ""))),
      sorted.map((entry) => entry[2]),
    );
  });

  test("draws the size histogram and lays the measured ping-pong over it", async () => {
    const series = await series_of(page, "sizes");
    const drawn = (name) => series.find((one) => one.name === name).data;
    for (const [kind, name] of [
      ["point_to_point", "Point to point"],
      ["collective", "Collective"],
    ]) {
      const classes = profile.sizes.filter((size) => size.kind === kind);
      const bars = drawn(name);
      assert.equal(bars.length, classes.length);
      classes.forEach((size, index) => {
        assert.equal(bars[index][2], size.count);
        near(
          bars[index][1],
          size.high_bytes === 0 ? 0 : Math.log2(size.high_bytes + 1),
          "right edge",
        );
      });
    }
    for (const path of machine.measured.paths) {
      const points = drawn(`${path.name}: half round trip`);
      path.mpi_pingpong.forEach((point, index) =>
        near(points[index][1], point.half_round_trip_us.median, `${path.name}, ${point.bytes} B`),
      );
    }
  });

  test("draws paths and speeds by their medians, and the bound from STREAM copy", async () => {
    const latency = await series_of(page, "latency");
    assert.equal(latency.length, 2 * machine.measured.paths.length);
    const bare = latency.find(({ name }) => name === "shared L3: without MPI").data;
    machine.measured.paths[0].bare_memcpy.forEach((point, index) =>
      near(bare[index][1], point.one_way_us.median, `bare copy of ${point.bytes} B`),
    );
    await page.locator("#chart-latency").getByRole("button", { name: "Ping-ping" }).click();
    const exchange = (await series_of(page, "latency")).find(
      ({ name }) => name === "shared L3: MPI",
    ).data;
    near(exchange[0][1], machine.measured.paths[0].mpi_pingping[0].time_us.median, "ping-ping");
    const jacobi = await series_of(page, "jacobi");
    const bound = jacobi.find(({ name }) => name === "Bound: STREAM copy, ordinary stores").data;
    const copy = machine.measured.stream.filter(
      (item) => item.kernel === "copy" && !item.non_temporal,
    );
    copy.forEach((item, index) => near(bound[index][1], (item.gbs.median * 1e3) / 16, "bound"));
    const stream = await series_of(page, "stream");
    near(
      stream.find(({ name }) => name === "triad, non-temporal stores").data.at(-1)[1],
      machine.measured.stream.at(-1).gbs.median,
      "triad",
    );
  });

  test("marks bound threads on their core and unbound ones across theirs", async () => {
    const figure = page.locator("#chart-placement");
    assert.equal(await figure.locator(".core").count(), 16);
    assert.equal(await figure.locator(".box-package").count(), 2);
    assert.equal(await figure.locator(".box-numa").count(), 4);
    assert.equal(await figure.locator(".box-cache").count(), 4);
    const on = (core) => figure.locator(`[data-core="${core}"] .chip text`).allTextContents();
    assert.deepEqual(await on(0), ["0 ×2"]);
    assert.deepEqual(await on(4), ["1.0"]);
    assert.deepEqual(await on(8), ["2 ×2"]);
    assert.deepEqual(await on(12), []);
    assert.deepEqual(await figure.locator(".strip .chip text").allTextContents(), ["3 ×2"]);
    await figure.getByRole("button", { name: "At MPI_Init" }).click();
    assert.deepEqual(await on(0), ["0.0"]);
  });

  test("sorts the calls by click and by keyboard and says so to a screen reader", async () => {
    const table = page.locator("#calls table");
    const names = async () => (await rows_below(table)).map((row) => row[0]);
    // MPI_Init is outside the ranks' time: it has no share, and comes last in both directions.
    const by_time = [...profile.calls]
      .filter((call) => call.name !== "MPI_Init")
      .sort((a, b) => b.time_s - a.time_s)
      .map((call) => call.name)
      .concat("MPI_Init");
    assert.deepEqual(await names(), by_time);
    const header = (title) => table.locator("th", { hasText: title });
    assert.equal(await header("Share of MPI").getAttribute("aria-sort"), "descending");
    await header("Count").getByRole("button").click();
    assert.equal(await header("Count").getAttribute("aria-sort"), "descending");
    const counts = [...profile.calls].map((call) => call.count).sort((a, b) => b - a);
    assert.deepEqual(
      (await rows_below(table)).map((row) => Number(row[1].replace(/ /g, ""))),
      counts,
    );
    await header("Call").getByRole("button").focus();
    await page.keyboard.press("Enter");
    assert.equal(await header("Call").getAttribute("aria-sort"), "ascending");
    assert.deepEqual(await names(), [...by_time].sort());
    await page.keyboard.press("Space");
    assert.equal(await header("Call").getAttribute("aria-sort"), "descending");
    assert.equal(await header("Count").getAttribute("aria-sort"), "none");
  });

  test("names the caller of a call site where call paths meet", async () => {
    const cells = await page.locator("#sites .site").allInnerTexts();
    const named = cells.filter((cell) => cell.includes("\u203a")).map(plain);
    assert.equal(named.length, 1);
    assert.match(named[0], /^solve \u203a\s+dot_product\s+src\/cg.c:120/);
  });

  test("unfolds the callers of each function", async () => {
    const callers = page.locator("#callers");
    const tops = await callers.locator(".callers > li").allInnerTexts();
    assert.equal(tops.length, 2);
    assert.match(plain(tops[0]), /^80.* %, 3.20 s\s*MPI_Allreduce \u2039 reduce \(src\/cg.c:20\)/);
    const branches = callers.locator(".callers > li").first().locator("ul li");
    assert.deepEqual(
      (await branches.allInnerTexts())
        .map((text) => plain(text).replace(/^[\d.]+ %, [\d.]+ m?s\s*/, "")),
      ["dot_product (cg.c:120) \u2039 solve (cg.c:188) 8 000 calls", "norm (cg.c:131) 8 000 calls"],
    );
    await callers.locator("summary").first().click();
    assert.equal(await branches.first().isVisible(), false);
  });

  test("filters call sites by function, file and caller", async () => {
    const section = page.locator("#sites");
    await section.getByRole("searchbox").fill("halo.c");
    assert.equal(await section.locator("tbody tr").count(), 3);
    assert.match(await section.getByRole("status").innerText(), /3 of 7 call sites/);
    await section.getByRole("searchbox").fill("no such function");
    assert.equal(await section.locator("tbody tr").count(), 0);
    await section.getByRole("searchbox").fill("");
    assert.equal(await section.locator("tbody tr").count(), 7);
    const [first] = await rows_below(section.locator("table"));
    assert.match(first[1], /dot_product \| src\/cg\.c:120/);
  });

  test("hides a curve when its name in the legend is pressed", async () => {
    const figure = page.locator("#chart-stream");
    const button = figure.getByRole("button", { name: "copy, ordinary stores" });
    await button.click();
    const selected = await page.evaluate(
      () => globalThis.__plait.charts.stream.getOption().legend[0].selected,
    );
    assert.equal(selected["copy, ordinary stores"], false);
    assert.equal(
      await figure
        .getByRole("button", { name: "copy, ordinary stores" })
        .getAttribute("aria-pressed"),
      "false",
    );
  });

  test("gives Plait's overhead and the limits of the report", async () => {
    const limits = plain(await page.locator("#limits").innerText());
    assert.match(limits, /18\.3 ns per call/);
    assert.match(limits, /transfer, serialization: without a trace only a bound/);
  });
});

page_tests("runs with something missing", () => {
  test("a killed run says which ranks and entry points are missing", () =>
    check_page(fixtures.killed(), async (page) => {
      const text = await page.locator("main").innerText();
      for (const part of [
        "killed by SIGKILL",
        "3 of 4 recorded",
        "rank 3 left no record",
        "MPI_Register_datarep, mpi_sizeof_",
        "17 records",
        "libomp",
      ])
        assert.ok(text.includes(part), part);
      assert.match(await page.locator("#chart-sizes figcaption").innerText(), /was not measured/);
      assert.match(await page.locator("#machine").innerText(), /no machine file/);
      assert.match(await page.locator("#openmp").innerText(), /Not measured/);
    }));

  test("a program without MPI gets a line instead of each chart", () =>
    check_page(fixtures.no_mpi(), async (page) => {
      assert.equal(await page.locator(".chart-box").count(), 0);
      assert.ok((await page.locator(".absent").count()) >= 9);
      assert.equal(await page.locator(".tile.not-measured").count(), 7);
    }));

  test("1024 ranks come as cells of 4 x 4 ranks with the borders of 16 nodes", () => {
    const data = fixtures.large();
    const { profile } = data;
    return check_page(data, async (page) => {
      const [cells, borders] = await series_of(page, "matrix");
      assert.equal(borders.data.length, 15);
      const sum = (values) => values.reduce((total, value) => total + value, 0);
      assert.ok(
        Math.abs(
          sum(cells.data.map((cell) => 10 ** cell[2])) /
            sum(profile.matrix.point_to_point.map((entry) => entry[3])) -
            1,
        ) < 1e-9,
        "no byte is lost",
      );
      assert.equal(Math.max(...cells.data.map((cell) => cell[0])), 255);
      const ranks = await series_of(page, "ranks");
      assert.equal(ranks.find(({ name }) => name === "Compute").data.length, 1024);
      await page.locator("#chart-ranks").getByRole("button", { name: "Mean of each host" }).click();
      const hosts = (await series_of(page, "ranks")).find(({ name }) => name === "MPI").data;
      assert.equal(hosts.length, 16);
      near(
        hosts[5],
        sum(profile.ranks.slice(320, 384).map((rank) => rank.mpi_s)) / 64,
        "mean of n05",
      );
      assert.equal(await page.locator("#sites tbody tr").count(), 25);
      await page.locator("#sites .more").click();
      assert.equal(await page.locator("#sites tbody tr").count(), 300);
    });
  });
});

page_tests("a page of 10 000 ranks", () => {
  test("has bins of ranks with their least and most computation, and binned cells", () => {
    const data = fixtures.hybrid();
    const { profile } = data;
    const [bins, per_bin] = [200, 50];
    profile.world_size = profile.ranks_recorded = bins * per_bin;
    profile.ranks = Array.from({ length: bins }, (_, bin) => ({
      ...profile.ranks[0],
      rank: bin * per_bin,
      last_rank: (bin + 1) * per_bin - 1,
      pid: null,
      compute_least_s: profile.ranks[0].compute_s / 2,
      compute_most_s: profile.ranks[0].compute_s * 2,
    }));
    profile.matrix = {
      size: bins * per_bin, ranks_per_cell: per_bin, nodes: [], left_out: 0,
      point_to_point: [[0, 199, 7, 700], [199, 0, 7, 700]], collective: [],
    };
    const spread = (value) => ({ min: value * 0.9, median: value, max: value * 1.1 });
    const group = (ranks, count, typical_rank, compute) => ({
      ranks, count, typical_rank, compute_s: spread(compute), mpi_s: spread(10 - compute),
      omp_idle_s: spread(0), compute_wait_s: spread(0),
    });
    profile.rank_groups = [group("0-7776,7778-9999", 9999, 42, 6), group("7777", 1, 7777, 9)];
    return check_page(data, async (page) => {
      const groups = await rows_below(page.locator("#ranks"));
      assert.deepEqual(groups.map((row) => row.slice(0, 4)), [
        ["0-7776,7778-9999", "9 999", "42", "6.00 s (5.40 s to 6.60 s)"],
        ["rank 7777", "1", "7777", "9.00 s (8.10 s to 9.90 s)"],
      ]);
      const labels = await labels_of(page, "ranks", "xAxis");
      assert.equal(labels.length, bins);
      assert.deepEqual([labels[0], labels[199]], ["0\u201349", "9950\u20139999"]);
      const series = await series_of(page, "ranks");
      const first = (name) => series.find((one) => one.name === name).data[0];
      near(first("Least compute of these ranks") * 2, first("Compute"), "least");
      near(first("Most compute of these ranks"), first("Compute") * 2, "most");
      assert.equal((await series_of(page, "matrix"))[0].data.length, 2);
      const rows = await open_data(page, "matrix");
      assert.deepEqual(rows[0].slice(0, 3), ["0\u201349", "9950\u20139999", "7"]);
    });
  });
});

page_tests("a heterogeneous job", () => {
  test("has a table of its parts", () => {
    const data = fixtures.hybrid();
    const part = (program, ranks, count, least_threads, most_threads, wall_s) => ({
      program, ranks, count, least_threads, most_threads, wall_s, compute_s: wall_s / 2,
      cpu_wait_s: 0, mpi_s: wall_s / 4, omp_idle_s: wall_s / 4,
    });
    data.profile.parts = [part("ocean", "0-2", 3, 1, 1, 30), part("ice", "3", 1, 2, 4, 0)];
    return check_page(data, async (page) => {
      assert.deepEqual(await rows_of(page, "Parts of the job"), [
        ["ocean", "0-2", "3", "1", "50 %", "0.00 %", "25 %", "25 %"],
        ["ice", "rank 3", "1", "2 to 4", "-", "-", "-", "-"],
      ]);
    });
  });
});
