// SPDX-License-Identifier: BSD-3-Clause
// Speed over nodes: a curve for each parallel model, and measured points with their prediction.
import type { Measured, Prediction, Speed } from "../data/prediction";
import { make_lines_chart } from "./lines";
import type { Axis, Line, Point } from "./lines";

const nodes_axis: Axis = { quantity: "count", name: "nodes", log: false };
const speed_axis: Axis = { quantity: "mlups", name: "MLUP/s, all nodes", log: false };

function point(nodes: number, { value, low, high }: Speed, runs: number | null): Point {
  return {
    x: nodes,
    y: value,
    statistic: { median: value, min: null, ci_low: low, ci_high: high, n: runs },
  };
}

/** The points of each mode in the order of nodes; modes in order of appearance. */
function by_mode<T extends { mode: string; nodes: number }>(items: readonly T[]): [string, T[]][] {
  return [...new Set(items.map(({ mode }) => mode))].map((mode) => [
    mode,
    items.filter((item) => item.mode === mode).sort((a, b) => a.nodes - b.nodes),
  ]);
}

/** The predicted curves; a bound is dashed. */
export function make_scaling_chart(prediction: Prediction): HTMLElement {
  const lines = by_mode(prediction.points).map(
    ([mode, points], colour): Line => ({
      name: points[0]?.bound === true ? `${mode} (bound)` : mode,
      points: points.map(({ nodes, speed }) => point(nodes, speed, null)),
      colour,
      dashed: points[0]?.bound === true,
      value_name: "Predicted",
    }),
  );
  return make_lines_chart({
    id: "scaling",
    title:
      prediction.figure === null
        ? `Predicted speed, ${prediction.scaling} scaling`
        : `Figure ${prediction.figure}`,
    caption:
      `${prediction.size} cells ${prediction.scaling === "weak" ? "per node" : "in total"}, ` +
      `${prediction.host}${prediction.source === "" ? "" : ` (${prediction.source})`}.`,
    x: nodes_axis,
    y: speed_axis,
    lines: () => lines,
  });
}

/** Measured curves and, dashed, the predictions for the machine on which they were measured. */
export function make_measured_chart(measured: Measured): HTMLElement {
  const lines = by_mode(measured.points).flatMap(([mode, points], colour): Line[] => [
    {
      name: `${mode}, measured`,
      points: points.map(({ nodes, speed, runs }) => point(nodes, speed, runs)),
      colour,
      dashed: false,
    },
    {
      name: `${mode}, predicted`,
      points: points.flatMap(({ nodes, predicted }) =>
        predicted === null ? [] : [point(nodes, predicted, null)],
      ),
      colour,
      dashed: true,
      value_name: "Predicted",
    },
  ]);
  return make_lines_chart({
    id: "measured",
    title: "Measured and predicted speed",
    caption:
      `Runs of plait-jacobi, ${measured.cluster ?? "on separate nodes"}; ` +
      `predictions for ${measured.machine}.`,
    x: nodes_axis,
    y: speed_axis,
    lines: () => lines.filter(({ points }) => points.length > 0),
  });
}
