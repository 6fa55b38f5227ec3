// SPDX-License-Identifier: BSD-3-Clause
// The page: reads the data in it, makes the sections, draws the charts.
import type { EChartsType } from "echarts/core";
import { start_charts } from "./chart";
import { DataError } from "./data/reader";
import { read_report } from "./data/report";
import type { Report } from "./data/report";
import { h } from "./dom";
import { make_calls, make_sites } from "./sections/calls";
import { make_matrix, make_sizes } from "./sections/communication";
import { make_comparison } from "./sections/compare";
import { make_findings } from "./sections/findings";
import { make_header, make_top_bar, shell_words } from "./sections/header";
import { make_limits, make_provenance } from "./sections/limits";
import { make_machine } from "./sections/machine";
import { make_overview } from "./sections/overview";
import { make_placement } from "./sections/placement";
import { make_openmp, make_ranks, make_regions } from "./sections/threads";
import { start_theme } from "./theme";

declare global {
  interface Window {
    /** What tests read: the data as understood, and the charts by name. */
    __plait?: { report: Report; charts: Record<string, EChartsType> };
  }
}

function show(page: HTMLElement, report: Report): void {
  const { profile, compare } = report;
  const subject =
    compare === null
      ? shell_words(profile.command)
      : `Comparison of ${compare.a.name} with ${compare.b.name}`;
  document.title = `${subject.slice(0, 80)} \u2013 Plait report`;
  const sections = [
    make_comparison(report),
    make_overview(profile),
    make_findings(profile),
    make_ranks(profile),
    make_calls(profile),
    make_sites(profile),
    make_matrix(report),
    make_sizes(report),
    make_openmp(profile),
    make_regions(profile),
    make_placement(report),
    make_machine(report),
    make_limits(report),
    make_provenance(report),
  ].filter((section) => section !== null);
  const header = make_header(profile, compare);
  page.replaceChildren(make_top_bar(sections), h("main", {}, header, sections));
  window.__plait = { report, charts: start_charts() };
}

function show_problem(page: HTMLElement, error: DataError): void {
  page.replaceChildren(
    h(
      "main",
      { class: "problem" },
      h("h1", {}, "Plait report"),
      h("p", { role: "alert" }, `${error.what}.`),
      h("p", {}, `What helps: ${error.remedy}.`),
    ),
  );
}

function main(): void {
  const page = document.getElementById("page");
  const data = document.getElementById("plait-data");
  if (page === null || data === null) return;
  start_theme();
  try {
    show(page, read_report(data.textContent ?? ""));
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    show_problem(page, error);
  }
}

main();
