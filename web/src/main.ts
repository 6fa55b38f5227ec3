// SPDX-License-Identifier: BSD-3-Clause
// Builds the page: reads its data, makes the sections, draws the charts.
import type { EChartsType } from "echarts/core";
import { start_charts } from "./chart";
import { DataError } from "./data/reader";
import { read_page } from "./data/report";
import type { PageData, Report } from "./data/report";
import { h } from "./dom";
import { make_applied_header, make_applied_sections } from "./sections/apply";
import { make_calls, make_sites } from "./sections/calls";
import { make_callers } from "./sections/callers";
import { make_matrix, make_sizes } from "./sections/communication";
import { make_computation } from "./sections/computation";
import { make_comparison } from "./sections/compare";
import { make_trace_efficiencies } from "./sections/efficiencies";
import { make_findings } from "./sections/findings";
import { make_header, make_top_bar, quote_command } from "./sections/header";
import { make_imbalance } from "./sections/imbalance";
import { make_limits, make_provenance } from "./sections/limits";
import { make_machine } from "./sections/machine";
import { make_overview } from "./sections/overview";
import { make_patterns } from "./sections/patterns";
import { make_phases } from "./sections/phases";
import { make_placement } from "./sections/placement";
import { make_prediction_header, make_prediction_sections } from "./sections/prediction";
import { make_remapping } from "./sections/remapping";
import { make_counters, make_files, make_memory } from "./sections/resources";
import { make_sweep_header, make_sweep_sections } from "./sections/sweep";
import { make_openmp, make_ranks, make_regions } from "./sections/threads";
import { make_timeline_section } from "./sections/timeline";
import { make_transfers } from "./sections/transfers";
import { make_waiting } from "./sections/waiting";
import { make_tuning_header, make_tuning_sections } from "./sections/tuning";
import { start_theme } from "./theme";
import type { Controller } from "./timeline/controller";
import { timeline_made } from "./timeline/timeline";

declare global {
  interface Window {
    /** For tests: the data as read, the charts by name, the timeline. */
    __plait?: {
      data: PageData;
      charts: Record<string, EChartsType>;
      timeline: Controller | null;
    };
  }
}

function show(page: HTMLElement, report: Report): void {
  const { profile, compare } = report;
  const subject =
    compare === null
      ? quote_command(profile.command)
      : `Comparison of ${compare.a.name} with ${compare.b.name}`;
  document.title = `${subject.slice(0, 80)} \u2013 Plait report`;
  const sections = [
    make_comparison(report),
    make_overview(report),
    make_trace_efficiencies(report),
    make_findings(profile),
    make_timeline_section(report),
    make_computation(report),
    make_waiting(report),
    make_phases(report),
    make_imbalance(report),
    make_patterns(report),
    make_ranks(profile),
    make_calls(profile),
    make_sites(profile),
    make_callers(profile),
    make_matrix(report),
    make_sizes(report),
    make_transfers(report),
    make_openmp(profile),
    make_regions(profile),
    make_counters(profile),
    make_memory(report),
    make_files(profile),
    make_placement(report),
    make_remapping(profile),
    make_machine(report),
    make_limits(report),
    make_provenance(report),
  ].filter((section) => section !== null);
  const header = make_header(report);
  page.replaceChildren(make_top_bar(sections), h("main", {}, header, sections));
  window.__plait = {
    data: { kind: "run", report },
    charts: start_charts(),
    timeline: timeline_made,
  };
}

/** Shows a page that is not about a run. */
function show_parts(
  page: HTMLElement,
  data: PageData,
  subject: string,
  header: HTMLElement,
  sections: readonly HTMLElement[],
): void {
  document.title = `${subject.slice(0, 80)} \u2013 Plait`;
  page.replaceChildren(make_top_bar(sections), h("main", {}, header, sections));
  window.__plait = { data, charts: start_charts(), timeline: null };
}

function show_page(page: HTMLElement, data: PageData): void {
  if (data.kind === "run") {
    show(page, data.report);
  } else if (data.kind === "prediction") {
    const { prediction } = data;
    const subject = prediction.figure === null ? "Prediction" : `Figure ${prediction.figure}`;
    const header = make_prediction_header(prediction);
    show_parts(page, data, subject, header, make_prediction_sections(prediction));
  } else if (data.kind === "sweep") {
    const header = make_sweep_header(data.sweep);
    show_parts(page, data, "Sweep", header, make_sweep_sections(data.sweep));
  } else if (data.kind === "tuning") {
    const header = make_tuning_header(data.tuning);
    show_parts(page, data, "Tuning", header, make_tuning_sections(data.tuning));
  } else {
    const { applied } = data;
    const header = make_applied_header(applied);
    show_parts(page, data, applied.plan || "Plan", header, make_applied_sections(applied));
  }
}

function show_problem(page: HTMLElement, error: DataError): void {
  page.replaceChildren(
    h(
      "main",
      { class: "problem" },
      h("h1", {}, "Plait report"),
      h("p", { role: "alert" }, `${error.what}.`),
      h("p", {}, `What to do: ${error.remedy}.`),
    ),
  );
}

function main(): void {
  const page = document.getElementById("page");
  const data = document.getElementById("plait-data");
  if (page === null || data === null) return;
  start_theme();
  try {
    show_page(page, read_page(data.textContent ?? ""));
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    show_problem(page, error);
  }
}

main();
