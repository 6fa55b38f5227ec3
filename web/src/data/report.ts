// SPDX-License-Identifier: BSD-3-Clause
// Reads the data of a page: a run with its machine, comparison and trace, or another kind of page.
import { read_analysis } from "./analysis";
import type { Analysis } from "./analysis";
import { read_applied } from "./apply";
import type { Applied } from "./apply";
import { read_comparison } from "./compare";
import type { Comparison } from "./compare";
import { read_machine } from "./machine";
import type { Machine } from "./machine";
import { read_profile } from "./profile";
import type { Profile } from "./profile";
import { read_prediction } from "./prediction";
import type { Prediction } from "./prediction";
import { DataError, is_object } from "./reader";
import type { JsonObject } from "./reader";
import { read_samples, read_sources } from "./samples";
import type { Samples, SourcePart } from "./samples";
import { read_sweep } from "./sweep";
import type { Sweep } from "./sweep";
import { read_timeline } from "./timeline";
import type { Timeline } from "./timeline";
import { read_tuning } from "./tuning";
import type { Tuning } from "./tuning";

export interface Report {
  profile: Profile;
  machine: Machine | null;
  machine_problem: string | null;
  /** The comparison of which `profile` is side B. */
  compare: Comparison | null;
  compare_problem: string | null;
  /** The traces of both sides' first runs; null: a side has no trace. */
  compared_timelines: { a: Timeline; b: Timeline } | null;
  /** The analysis of the run's trace; null: no trace. */
  analysis: Analysis | null;
  analysis_problem: string | null;
  timeline: Timeline | null;
  timeline_problem: string | null;
  /** Call stacks; null: the run was not sampled. */
  samples: Samples | null;
  samples_problem: string | null;
  /** Source text around the hot lines. */
  sources: SourcePart[];
  /** The samples of both sides' first runs; null: a side has none. */
  compared_samples: { a: Samples; b: Samples } | null;
}

/** Reads an optional part. If it has another version, only its sections are missing. */
function read_part<T>(value: unknown, read: (part: JsonObject) => T): [T | null, string | null] {
  if (!is_object(value)) return [null, null];
  try {
    return [read(value), null];
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    return [null, error.what];
  }
}

/** The kinds of pages: a run, a prediction, a plan that was tested, a sweep, or a tuning. */
export type PageData =
  | { kind: "run"; report: Report }
  | { kind: "prediction"; prediction: Prediction }
  | { kind: "applied"; applied: Applied }
  | { kind: "sweep"; sweep: Sweep }
  | { kind: "tuning"; tuning: Tuning };

/** Reads the JSON in the page. @throws DataError with a message for the reader of the page. */
export function read_page(json: string): PageData {
  const remedy = "write the report with plait report DIR";
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new DataError("The data in this page are damaged", remedy);
  }
  if (value === null) throw new DataError("This page contains no profile yet", remedy);
  if (is_object(value) && is_object(value["prediction"])) {
    return { kind: "prediction", prediction: read_prediction(value["prediction"]) };
  }
  if (is_object(value) && is_object(value["apply"])) {
    return { kind: "applied", applied: read_applied(value["apply"]) };
  }
  if (is_object(value) && is_object(value["sweep"])) {
    return { kind: "sweep", sweep: read_sweep(value["sweep"]) };
  }
  if (is_object(value) && is_object(value["tuning"])) {
    return { kind: "tuning", tuning: read_tuning(value["tuning"]) };
  }
  if (!is_object(value) || !is_object(value["profile"])) {
    throw new DataError("The data in this page contain no profile", remedy);
  }
  return { kind: "run", report: read_report(value, value["profile"]) };
}

function read_timelines(compare: unknown): { a: Timeline; b: Timeline } | null {
  const both = is_object(compare) ? compare["timelines"] : null;
  if (!is_object(both)) return null;
  const [a] = read_part(both["a"], read_timeline);
  const [b] = read_part(both["b"], read_timeline);
  return a === null || b === null || a.ranks.length === 0 || b.ranks.length === 0 ? null : { a, b };
}

function read_compared_samples(compare: unknown): { a: Samples; b: Samples } | null {
  const both = is_object(compare) ? compare["samples"] : null;
  if (!is_object(both)) return null;
  const [a] = read_part(both["a"], read_samples);
  const [b] = read_part(both["b"], read_samples);
  return a === null || b === null ? null : { a, b };
}

function read_report(value: JsonObject, of_run: JsonObject): Report {
  const profile = read_profile(of_run);
  const [machine, machine_problem] = read_part(value["machine"], read_machine);
  const [compare, compare_problem] = read_part(value["compare"], read_comparison);
  const [analysis, analysis_problem] = read_part(value["analysis"], read_analysis);
  const [timeline, timeline_problem] = read_part(value["timeline"], read_timeline);
  const [samples, samples_problem] = read_part(value["samples"], read_samples);
  return {
    profile,
    machine,
    machine_problem,
    compare,
    compare_problem,
    compared_timelines: read_timelines(value["compare"]),
    analysis,
    analysis_problem,
    timeline,
    timeline_problem,
    samples,
    samples_problem,
    sources: read_sources(value["sources"]),
    compared_samples: read_compared_samples(value["compare"]),
  };
}
